"""The page of a user whose trimd is the service of another: it reads nothing of what the user keeps, and makes the exports all the same."""
import json, os, shutil, subprocess, time

from trimdtest.daemon import Daemon
from trimdtest.paths import PRESETS, programs
from trimdtest.processes import ffmpeg, ffprobe
from trimpage.browser import admitted, ask, expect
from trimpage.restricted import ask_events

DAEMON, ANN, GROUP = 64001, 64002, 64010


def service(folder, film):
    """Artwork, cues and exports with a trimd of another user that has a root with the films and no other; the picture goes with its job."""
    if os.geteuid() != 0:
        print("page-check: only root can be several users: left out")
        return
    top = os.path.join(folder, "service")
    os.chmod(folder, 0o755)
    for name, owner, mode in (("", 0, 0o755), ("bin", 0, 0o755), ("run", DAEMON, 0o755), ("films", ANN, 0o2775), ("home", ANN, 0o700)):
        path = os.path.join(top, name)
        os.mkdir(path)
        os.chown(path, owner, GROUP)
        os.chmod(path, mode)
    # Where the programs lie others may not go.
    for name in ("trimd", "trimctl", "trim-worker", "trim-page"):
        shutil.copy(os.path.join(programs(), name), os.path.join(top, "bin", name))
    shutil.copytree(PRESETS, os.path.join(top, "presets"))
    shutil.copytree(os.path.join(os.path.dirname(PRESETS), "Sources/TrimPage/Page"), os.path.join(top, "page"))
    films, picture = os.path.join(top, "films"), os.path.join(folder, "picture.jpg")
    source = os.path.join(films, "film.mp4")
    shutil.copy(film, source)
    os.chown(source, ANN, GROUP)
    os.chmod(source, 0o640)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180", "-frames:v", "1", picture)
    own = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    daemon = Daemon(os.path.join(top, "run"), "--presets", os.path.join(top, "presets"), "--worker-program", os.path.join(top, "bin/trim-worker"),
                    programs=os.path.join(top, "bin"), settings={"roots": {"read": [films], "write": [films]}}, environment=own, user=DAEMON, group=DAEMON,
                    extra_groups=[GROUP], umask=0o007)
    page = None
    try:
        os.chmod(daemon.socket, 0o666)
        # A narrow mask, as some users have: trimd may read the picture all the same.
        page = subprocess.Popen([os.path.join(top, "bin/trim-page"), "--socket", daemon.socket, "--files", os.path.join(top, "page"), films], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, env=own | {"HOME": os.path.join(top, "home")}, text=True, user=ANN, group=ANN, extra_groups=[GROUP], umask=0o077)
        address = page.stdout.readline().strip()
        expect(address, "trim-page does not start as another user")
        port, good = admitted(address)
        good |= {"Origin": "http://" + port}
        item = json.loads(ask(port, "/api/library", headers=good)[1])["items"][0]["id"]

        def post(part, body, kind="application/json"):
            status, answer, _ = ask(port, f"/api/assets/{item}/{part}", "POST", good | {"Content-Type": kind}, body)
            expect(status == 200, part, "gets", status, answer[:500])
            return json.loads(answer)

        def laid():
            return [name for name in os.listdir(films) if name.startswith(".trimd-artwork-")]
        with open(picture, "rb") as file:
            key = post("artwork", file.read(), "image/jpeg")["artwork"]
        status, body, _ = ask(port, f"/api/assets/{item}/artwork?key={key}", headers=good)
        expect(status == 200 and body.startswith(b"\xff\xd8"), "the picture does not come back:", status)
        expect(ask(port, f"/api/assets/{item}/artwork?key=../../../etc/passwd", headers=good)[0] == 404, "a picture by a path")
        request = json.dumps({"preset": "passthrough", "start": "1", "end": "3", "artwork": key, "name": "with.mp4", "metadata": {"items": {"title": "Ann's"}}}).encode()
        post("plan", request)
        expect(not laid(), "the picture of a plan is left behind:", laid())
        for name in ("with.mp4", "again.mp4"):
            post("export", request.replace(b"with.mp4", name.encode()))
        status, body, _ = ask(port, f"/api/assets/{item}/export", "POST", good | {"Content-Type": "application/json"}, request.replace(b"passthrough", b"nothing"))
        expect(status == 400 and len(laid()) <= 2, "a refused export leaves its picture:", status, body, laid())
        end = time.monotonic() + 90
        for name in ("with.mp4", "again.mp4"):
            while not os.path.exists(os.path.join(films, name)):
                expect(time.monotonic() < end, name, "is not made:", daemon.trimctl("list").stdout.decode())
                time.sleep(0.1)
            streams = ffprobe(os.path.join(films, name), "-show_streams")["streams"]
            expect(any(one["disposition"]["attached_pic"] for one in streams), name, "has no artwork:", [one["codec_name"] for one in streams])
        # Whoever looks at the jobs sees that they have ended: their pictures go.
        expect("again.mp4" in ask_events(port, good), "the job is not told")
        while laid():
            expect(time.monotonic() < end, "pictures are left behind:", laid())
            time.sleep(0.2)
            ask_events(port, good)
    finally:
        if page:
            page.terminate()
            page.wait()
        daemon.kill()
