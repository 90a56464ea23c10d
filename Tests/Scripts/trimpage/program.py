"""The page's program: when it ends, who else on the machine reaches it, work that nobody waits for, previews that are kept."""
import contextlib, json, os, pty, re, signal, socket, struct, subprocess, sys, time

from trimdtest.paths import programs
from trimdtest.processes import ffmpeg
from trimpage.browser import ask, expect, make
from trimpage.editing import until

STRANGER = 64002


def admitted(address):
    """The port of a page, and the headers of a browser that opened its address."""
    port, token = int(address.split(":")[2].split("/")[0]), address.split("token=")[1]
    host = {"Host": f"127.0.0.1:{port}"}
    return port, host | {"Cookie": ask(port, f"/?token={token}", headers=host)[2]["Set-Cookie"].split(";")[0]}


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
port, place, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
answers = []
for asked in ("/", "/?token=" + "0" * 48, "/api/library", "/app.js"):
    one = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    one.request("GET", asked)
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
            return json.loads(subprocess.run([sys.executable, "-c", LOOK, address.split(":")[2].split("/")[0], place, path], stdout=subprocess.PIPE, check=True,
                                             user=STRANGER, group=STRANGER, extra_groups=groups, cwd="/", timeout=60).stdout)
        answers, connected, read, tokens, lines = look([])
        expect(answers == [403] * 4, "another user gets", answers)
        expect(connected == read == "PermissionError" and tokens == 0 and lines > 2, "another user:", connected, read, tokens, lines)
        expect(os.stat(place).st_mode & 0o777 == 0o660 and look([os.stat(place).st_gid])[1] == "done", "the socket's group cannot connect")
        tab = browser.tab.context.new_page()
        tab.goto("file://" + path)
        tab.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=60_000)
        expect(tab.locator("#film").inner_text() == "film.mp4" and "token" not in tab.url, "the desktop's browser is at", tab.url)
        tab.close()
        page.terminate()
        expect(page.wait(timeout=30) == 0 and not os.path.exists(path), "the file with the address is left behind")


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
            with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
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
