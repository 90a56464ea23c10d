"""Files above a rating: nothing of them leaves the program without the PIN, whatever is asked for."""
import json, os, pty, signal, time

from trimdtest.paths import programs
from trimpage.browser import admitted, ask, choose, expect, posting, socket_of

PIN = "2580"


def restricted(browser, address):
    """Without the PIN there is neither fact, picture, segment nor byte; with it there is, in that browser alone, until it is locked again."""
    port, stranger = admitted(address)
    post = posting(port, stranger)
    items = json.loads(ask(port, "/api/library", headers=stranger)[1])["items"]
    rated = next(item["id"] for item in items if item["name"] == "rated.mp4")
    free = next(item["id"] for item in items if item["name"] == "film.mp4")

    def closed(asset):
        for part in ("probe", "thumbnails?at=0", "waveform", "segment?start=0&duration=1", "cues?track=1", "artwork?key=a", "file", "saved"):
            status, body, _ = ask(port, f"/api/assets/{asset}/{part}", headers=stranger)
            expect(status == 423 and len(body) < 300, part, "of a restricted file:", status)
        status, body, _ = ask(port, f"/api/assets/{asset}/file", headers=stranger | {"Range": "bytes=0-99"})
        expect(status == 423 and b"ftyp" not in body, "a range of bytes:", status)
        for part in ("check", "plan", "export", "ranges", "list", "saved", "artwork"):
            status, body, _ = ask(port, f"/api/assets/{asset}/{part}", "POST", post, b'{"preset":"passthrough"}')
            expect(status == 423, part, "of a restricted file:", status, body)
    closed(rated)
    expect(ask(port, f"/api/assets/{free}/probe", headers=stranger)[0] == 200, "a file without a rating is closed")
    tab = browser.tab
    tab.locator(".files button", has=tab.locator("b", has_text="rated.mp4")).first.click()
    box = tab.get_by_label("PIN", exact=True)
    box.wait_for(timeout=30_000)
    expect(tab.locator(".files button", has_text="rated.mp4").locator("img[src]").count() == 0, "there is a poster before the PIN")
    browser.axe("the question for the PIN:")
    box.fill("0000")
    tab.keyboard.press("Enter")
    tab.locator("dialog .message", has_text="not the PIN").wait_for(timeout=20_000)
    box.fill(PIN)
    tab.keyboard.press("Enter")
    tab.locator("#film", has_text="rated.mp4").wait_for(timeout=30_000)
    browser.ready()
    expect(tab.evaluate("document.cookie") == "", "scripts can read a cookie")
    browser.blur()
    # An output has no rating of its own here, and is restricted all the same.
    browser.unfold()
    tab.get_by_label("Content rating").fill("")
    browser.export("m4a", "rated.m4a")
    closed(rated)
    output = next(item["id"] for item in json.loads(ask(port, "/api/library", headers=stranger)[1])["items"] if item["name"] == "rated.m4a")
    closed(output)
    events = ask_events(port, stranger)
    expect("rated.m4a" not in events and "film.mp4" in events, "the jobs of a restricted file are told")
    for _ in range(4):
        ask(port, "/api/unlock", "POST", post, b'{"pin":"1111"}')
    status, _, _ = ask(port, "/api/unlock", "POST", post, json.dumps({"pin": PIN}).encode())
    expect(status == 429, "after many wrong PINs the right one is taken at once:", status)
    tab.get_by_role("button", name="Lock again").click()
    tab.get_by_label("PIN", exact=True).wait_for(timeout=30_000)
    browser.key("Escape")
    choose(browser, "film.mp4")
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]


def ask_events(port, headers):
    """The beginning of the events."""
    import socket
    with socket.create_connection(socket_of(port), timeout=20) as one:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        one.sendall(f"GET /api/events HTTP/1.1\r\n{lines}\r\n".encode())
        text, end = b"", time.monotonic() + 20
        while b"event: jobs" not in text or not text.endswith(b"\n\r\n") and b"}]" not in text[-40:]:
            expect(time.monotonic() < end, "there are no events")
            text += one.recv(1 << 16)
        return text.decode()


def prompted(films, daemon, environment):
    """Without a file the PIN is asked for at the terminal, which does not show it; the page ends with its terminal."""
    child, terminal = pty.fork()
    if child == 0:
        # Under nohup the hangup that ends the program would be ignored.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        program = os.path.join(programs(), "trimctl")
        os.execve(program, [program, "page", films, "--socket", daemon.socket, "--restrict", "TV-14"], environment)
    shown = b""

    def read(until):
        nonlocal shown
        end = time.monotonic() + 30
        while until not in shown:
            expect(time.monotonic() < end, "the terminal shows", shown)
            shown += os.read(terminal, 4096)
    try:
        read(b"PIN for restricted files: ")
        time.sleep(0.2)
        os.write(terminal, PIN.encode() + b"\n")
        read(b"token=")
        expect(PIN.encode() not in shown.split(b"token=")[0], "the PIN is shown:", shown)
    finally:
        os.close(terminal)
        end = time.monotonic() + 20
        while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
            time.sleep(0.05)
        if not ended[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    expect(ended[0], "the page outlives its terminal")
