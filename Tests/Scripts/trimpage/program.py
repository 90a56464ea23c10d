"""The page's program: when it ends, who else on the machine reaches it, work that nobody waits for, previews that are kept."""
import contextlib, json, os, pty, re, signal, socket, struct, subprocess, sys, time, urllib.parse

from trimdtest.paths import programs
from trimdtest.processes import ffmpeg
from trimpage.browser import admitted, ask, expect, make, place_of, socket_of
from trimpage.editing import until

STRANGER = 64002


def item_of(port, headers, name):
    return next(one["id"] for one in json.loads(ask(port, "/api/library", headers=headers)[1])["items"] if one["name"] == name)


def kept(films, daemon, environment):
    """With --keep the page stays when its terminal goes, and ends when it is told to. (`prompted` sees one end without.)"""
    child, terminal = pty.fork()
    if child == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        program = os.path.join(programs(), "trimctl")
        os.execve(program, [program, "page", films, "--socket", daemon.socket, "--keep"], environment)
    shown, end = b"", time.monotonic() + 30
    try:
        while not re.search(rb"token=\w+\r?\n", shown):
            expect(time.monotonic() < end, "the terminal shows", shown)
            shown += os.read(terminal, 4096)
        os.close(terminal)
        time.sleep(0.7)
        expect(os.waitpid(child, os.WNOHANG) == (0, 0), "the page ends with its terminal")
        port, good = admitted(shown.decode().strip())
        expect(ask(port, "/api/library", headers=good)[0] == 200, "the page that stays does not answer")
    finally:
        os.kill(child, signal.SIGTERM)
        _, status = os.waitpid(child, 0)
    expect(os.waitstatus_to_exitcode(status) == 0, "the page that stayed ends with", status)


# As another user: what the page answers without its token, whether a socket can be connected to and a file read, and command lines
# with a token.
LOOK = r"""
import glob, http.client, json, re, socket, sys
where, place, path = sys.argv[1], sys.argv[2], sys.argv[3]
host, port = where.split(":")
answers = []
for method, asked, body in (("GET", "/api/library", None), ("GET", "/api/events", None), ("GET", "/api/awake", None), ("GET", "/api/library?ticket=" + "0" * 48, None),
                            ("POST", "/api/session", "{}"), ("POST", "/api/session", '{"token": "%s"}' % ("0" * 48))):
    one = http.client.HTTPConnection(host, int(port), timeout=20)
    one.request(method, asked, body, {"Origin": "http://" + where, "Content-Type": "application/json"} if body else {})
    answers.append(one.getresponse().status)
def attempt(act):
    try:
        act()
        return "done"
    except OSError as error:
        return type(error).__name__
lines = []
for name in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        lines.append(open(name, "rb").read())
    except OSError:
        pass
print(json.dumps([answers, attempt(lambda: socket.socket(socket.AF_UNIX).connect(place)), attempt(lambda: open(path).read()),
                  sum(bool(re.search(rb"token=[0-9a-f]{48}", line)) for line in lines), len(lines)]))
"""


def strangers(browser, folder, films, daemon, environment):
    """Another user of the machine has neither the page nor its socket; the token is in no command line, also where a desktop's browser is
    started, which gets there all the same."""
    if os.geteuid() != 0:
        print("page-check: only root can be several users: left out")
        return
    os.chmod(folder, 0o755)
    place, desktop = os.path.join(folder, "strangers.sock"), os.path.join(folder, "desktop")
    os.mkdir(desktop)
    opened = os.path.join(desktop, "opened")
    with open(os.path.join(desktop, "xdg-open"), "w", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
        file.write(f'#!/bin/sh\nprintf "%s\\n" "$@" > {opened}.new\nmv {opened}.new {opened}\nexec sleep 20\n')
    words = [os.path.join(programs(), "trimctl"), "page", os.path.join(films, "film.mp4"), "--socket", daemon.socket]
    with contextlib.ExitStack() as ends:
        def start(*more, **variables):
            page = subprocess.Popen([*words, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment | variables, text=True)
            ends.callback(lambda: (page.kill() if page.poll() is None else None, page.wait()))
            return page, page.stdout.readline().strip()
        page, address = start(DISPLAY=":99", PATH=f"{desktop}:{environment['PATH']}")
        start("--listen", place, "--host", "films.example")
        until(lambda: os.path.exists(opened), "the desktop's browser is not started")
        with open(opened, encoding="utf-8") as file:
            path = file.read().strip()
        expect("token" not in path and os.stat(path).st_mode & 0o777 == 0o600, "the browser is started with", path)

        def look(groups):
            return json.loads(subprocess.run([sys.executable, "-c", LOOK, place_of(address), place, path], stdout=subprocess.PIPE, check=True,
                                             user=STRANGER, group=STRANGER, extra_groups=groups, cwd="/", timeout=60).stdout)
        answers, connected, read, tokens, lines = look([])
        expect(answers == [403] * 6, "another user gets", answers)
        expect(connected == read == "PermissionError" and tokens == 0 and lines > 2, "another user:", connected, read, tokens, lines)
        expect(os.stat(place).st_mode & 0o777 == 0o660 and look([os.stat(place).st_gid])[1] == "done", "the socket's group cannot connect")
        tab = browser.tab.context.new_page()
        tab.goto("file://" + path)
        tab.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=60_000)
        expect(tab.locator("#film").inner_text() == "film.mp4" and "token" not in tab.url, "the desktop's browser is at", tab.url)
        tab.close()
        page.terminate()
        expect(page.wait(timeout=30) == 0 and not os.path.exists(path), "the file with the address is left behind")


# As another user: a server at another port of an address, which says what browsers send to it, and tries what the page has.
FOREIGN = r"""
import http.server, json, sys
page = sys.argv[2]
class Listening(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(json.dumps([self.path, dict(self.headers)]), flush=True)
        if self.path.startswith("/said"):
            body = b""
        else:
            body = ("<!doctype html><img src='%s/api/library'><script type=module>const said = []; for (const [path, words] of [['/api/library', {credentials: 'include'}], ['/api/session', {method: 'POST',"
                    " credentials: 'include', headers: {'Content-Type': 'application/json'}, body: '{}'}], ['/api/awake', {}], ['/api/library', {mode: 'no-cors', credentials: 'include'}]])"
                    " { try { said.push(await (await fetch('%s' + path, words)).text()); } catch (error) { said.push(''); } } try { said.push(window.opener?.sessionStorage.session ?? ''); } catch { said.push(''); }"
                    " await fetch('/said?' + encodeURIComponent(JSON.stringify([document.cookie, ...said])));document.title = 'done';</script>" % (page, page)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.HTTPServer((sys.argv[1], 0), Listening)
print(server.server_port, flush=True)
server.serve_forever()
"""


def foreigners(browser, address):
    """A server of another user, at another port of this machine's and of the page's own address, receives nothing of use of a browser that has
    the page open: no cookie, no session, no token, and no answer of the page's."""
    if os.geteuid() != 0:
        print("page-check: only root can be several users: left out")
        return
    where, good = admitted(address)
    token = address.split("token=")[1]
    with contextlib.ExitStack() as ends:
        for host in ("127.0.0.1", where.split(":")[0]):
            server = subprocess.Popen([sys.executable, "-c", FOREIGN, host, "http://" + where], stdout=subprocess.PIPE, text=True, user=STRANGER, group=STRANGER, extra_groups=[], cwd="/")
            ends.callback(lambda server=server: (server.kill(), server.wait()))
            tab = browser.tab.context.new_page()
            tab.goto(f"http://{host}:{server.stdout.readline().strip()}/")
            tab.wait_for_function("document.title === 'done'", timeout=30_000)
            # As a link on the page would.
            secret = browser.tab.evaluate("sessionStorage.session")
            expect(secret and len(secret) == 48 and secret != good["X-Trim-Session"], "the page's tab has no session of its own:", secret)
            tab.close()
            server.kill()
            heard = server.stdout.read()
            expect("/said" in heard and not any(one in heard for one in (secret, token, good["X-Trim-Session"], '"Cookie"', "items")), "another user's server hears", heard)
            said = json.loads(urllib.parse.unquote(next(path for path, _ in map(json.loads, heard.splitlines()) if path.startswith("/said")).split("?")[1]))
            expect(said == [""] * len(said), "another user's script gets", said)
    expect(browser.tab.evaluate("document.cookie") == "" and not browser.tab.context.cookies(), "there is a cookie")
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]


def again(browser, films, daemon, environment):
    """The page is started again: it is at another address, its tab goes on there by itself, and the ranges and texts of the film are there, also
    those that the program had not got; nobody else is let in by what the tab before kept."""
    words = [os.path.join(programs(), "trimctl"), "page", films, os.path.join(films, "film.mp4"), "--socket", daemon.socket]

    def start():
        page = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment, text=True)
        return page, page.stdout.readline().strip()
    page, address = start()
    tab = browser.tab.context.new_page()
    try:
        tab.goto(address)
        tab.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=60_000)
        expect("token" not in tab.url, "the token stays in the address:", tab.url)
        other = type(browser).__new__(type(browser))
        other.tab, other.folder, other.faults, other.is_chromium = tab, browser.folder, [], browser.is_chromium
        tab.locator(".files button", has=tab.locator("b", has_text="lists.mp4")).first.click()
        tab.locator("#film", has_text="lists.mp4").wait_for(timeout=60_000)
        other.ready()
        other.blur()
        other.key("Home", "n", "ArrowRight", "ArrowRight", "i", "ArrowRight", "o")
        until(lambda: "00:00:02.000 to 00:00:03.040" in tab.locator(".ranges").inner_text(), "the ranges are", tab.locator(".ranges").inner_text())
        before, session = tab.url.split("/")[2], tab.evaluate("sessionStorage.session")
        page.kill()
        page.wait()
        # Known to the tab alone.
        other.key("ArrowRight", "ArrowRight")
        tab.locator(".ranges select").last.select_option("skip")
        tab.locator("job-queue .message", has_text="does not answer").wait_for(timeout=30_000)
        page, address = start()
        tab.wait_for_url(lambda url: place_of(url) == place_of(address), timeout=60_000)
        expect(place_of(address) != before, "the address is that of the process before")
        tab.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=60_000)
        expect(tab.locator("#film").inner_text() == "lists.mp4" and "token" not in tab.url, "the tab shows", tab.locator("#film").inner_text(), tab.url)
        until(lambda: "00:00:02.000 to 00:00:03.040" in tab.locator(".ranges").inner_text() and tab.locator(".ranges select").last.input_value() == "skip", "after a restart the ranges are", tab.locator(".ranges").inner_text())
        where, good = admitted(address)
        expect(ask(where, "/api/library", headers={"Host": where, "X-Trim-Session": session})[0] == 403, "a session outlives its program")
        # By the file's identity: under another name too.
        os.rename(os.path.join(films, "lists.mp4"), os.path.join(films, "renamed.mp4"))
        try:
            item = item_of(where, good, "renamed.mp4")
            until(lambda: json.loads(ask(where, f"/api/assets/{item}/draft", headers=good)[1])["draft"], "a file under another name has lost its draft")
        finally:
            os.rename(os.path.join(films, "renamed.mp4"), os.path.join(films, "lists.mp4"))
        state = os.path.join(environment["HOME"], ".local/state/trimd/page")
        expect(all(os.stat(os.path.join(at, name)).st_mode & 0o77 == 0 for at, folders, names in os.walk(state) for name in names + folders + ["."]), "others can read the state of the page")
    finally:
        tab.close()
        page.kill()
        page.wait()


# The threads of a worker that waits for its request.
SPARE = 2


def workers(daemon):
    """The processes of workers of a daemon that have a request, with those of its children."""
    parents, names, threads = {}, {}, {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry.name}/stat", encoding="utf-8", errors="replace") as file:
                name, rest = file.read().rsplit(")", 1)
                rest = rest.split()
                names[int(entry.name)], parents[int(entry.name)], threads[int(entry.name)] = name.split("(", 1)[1], int(rest[1]), int(rest[17])

    def descends(one):
        while one in parents:
            one = parents[one]
            if one == daemon.process.pid:
                return True
        return False
    return {one for one, name in names.items() if name.startswith("trim-worker") and threads.get(one, 0) > SPARE and descends(one)}


def unwaited(address, films, daemon):
    """Who goes away while a preview is made ends the worker that makes it; as long as somebody waits it is left alone."""
    path = os.path.join(films, "unwaited.mkv")
    make("-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=8", "-c:v", "libx264", "-preset", "ultrafast", path)
    port, good = admitted(address)
    item = item_of(port, good, "unwaited.mkv")
    lines = "".join(f"{name}: {value}\r\n" for name, value in good.items())
    for number, part in enumerate(("segment?duration=4&width=960&start=0.", "thumbnails?width=1280&at=" + ",".join(f"{at / 8}" for at in range(60)) + ",7.")):
        for attempt in range(10):
            before = workers(daemon)
            with socket.create_connection(socket_of(port), timeout=20) as one:
                one.sendall(f"GET /api/assets/{item}/{part}{attempt} HTTP/1.1\r\n{lines}\r\n".encode())
                # The worker that is new is frozen: it does not come to its end by itself.
                end, frozen = time.monotonic() + 5, set()
                while not frozen and time.monotonic() < end:
                    frozen = workers(daemon) - before
                time.sleep(0.1)
                for pid in frozen:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGSTOP)
                time.sleep(1)
                frozen &= workers(daemon)
                one.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    # It was faster.
                    if one.recv(1):
                        frozen = set()
                if not frozen:
                    continue
            began = time.monotonic()
            until(lambda: not frozen & workers(daemon), "a worker works on for nobody:", part, seconds=10)
            print(f"page-check: {part.split('?')[0]} for nobody: its worker is gone after {time.monotonic() - began:.1f} s")
            break
        else:
            expect(False, "no worker was caught at", part)
        expect(ask(port, f"/api/assets/{item}/thumbnails?at={number}", headers=good)[0] == 200, "the next preview is not made")


def cached(address, folder, films):
    """Previews are kept in the user's cache, and found again for the same file alone: also where another has its size and its time."""
    path, other, cache = (os.path.join(*one) for one in ((films, "cached.mp4"), (folder, "other.mp4"), (folder, ".cache/trimd/page")))
    for place, kind in ((path, "testsrc2"), (other, "smptebars")):
        ffmpeg("-f", "lavfi", "-i", f"{kind}=s=320x180:r=25:d=2", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", place)
    # Made equally long, by boxes that mean nothing.
    sizes = [os.path.getsize(one) for one in (path, other)]
    for place, size in zip((path, other), sizes):
        with open(place, "ab") as file:
            rest = max(sizes) + 64 - size
            file.write(struct.pack(">I4s", rest, b"free") + bytes(rest - 8))
    port, good = admitted(address)
    item = item_of(port, good, "cached.mp4")

    def picture():
        status, body, _ = ask(port, f"/api/assets/{item}/thumbnails?at=1&width=320", headers=good)
        expect(status == 200, "a picture gets", status, body[:300])
        return body
    def files():
        return {name for name in os.listdir(cache) if os.path.isfile(os.path.join(cache, name)) and not name.startswith(".")}
    before, first = files(), picture()
    made = files()
    expect(len(made - before) == 1 and picture() == first and files() == made, "the picture is not kept:", len(made - before), len(files() - made))
    expect(os.stat(cache).st_mode & 0o77 == 0 and all(os.stat(os.path.join(cache, name)).st_mode & 0o77 == 0 for name in made), "others can read the cache")
    times = os.stat(path)
    with open(path, "r+b") as file, open(other, "rb") as source:
        file.write(source.read())
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    expect(os.stat(path).st_ino == times.st_ino and os.stat(path).st_size == times.st_size, "the file is another one")
    expect(picture() != first, "a file that was changed is shown from the cache")
    os.remove(path)
