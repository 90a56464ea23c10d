"""Pictures in a terminal: `--show` in a pseudo-terminal that answers as kitty, iTerm2, a Sixel terminal, another one, or none does.

The picture that reaches the terminal has to be the file's, and the terminal's mode as before, whatever it answered.
"""
import base64, fcntl, os, pty, re, select, signal, struct, subprocess, termios, time

import pytest

from trimdtest.daemon import Daemon
from trimdtest.processes import ffmpeg, need, run

DONE = b"\x1b[c"
KITTY, ITERM = b"\x1b_Gi=31;OK\x1b\\", b"\x1bP>|iTerm2 3.5.0\x1b\\"
PLAIN, SIXEL = b"\x1b[?62;22c", b"\x1b[?62;4;22c"


class Desk:
    """A daemon and a film."""

    def __init__(self, folder, programs):
        self.folder, self.programs = folder, programs
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "TERM": "xterm", "TRIMD_SOCKET": folder + "/trimd.sock"}
        self.daemon = Daemon(folder, programs=programs, environment=self.environment)
        self.film = folder + "/film.mp4"
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264",
               "-preset", "ultrafast", "-pix_fmt", "yuv420p", self.film)


@pytest.fixture(scope="module")
def desk(module_folder, programs):
    desk = Desk(module_folder, programs)
    yield desk
    desk.daemon.kill()


class Shown:
    """A run of trimctl in a terminal that answers its questions."""

    def __init__(self, desk, *words, answer=PLAIN, size=(24, 80, 640, 384), environment=(), stop=False):
        master, slave = pty.openpty()
        try:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
            before = termios.tcgetattr(slave)

            def own():
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

            process = subprocess.Popen([desk.programs + "/trimctl", *words], stdin=slave, stdout=slave, stderr=subprocess.PIPE, cwd=desk.folder,
                                       env=desk.environment | dict(environment), preexec_fn=own)
            self.out, isAnswered, end = b"", False, time.monotonic() + 60
            while time.monotonic() < end:
                if select.select([master], [], [], 0.05)[0]:
                    self.out += os.read(master, 1 << 16)
                    if DONE in self.out and not isAnswered:
                        isAnswered = True
                        self.raw = termios.tcgetattr(slave)
                        for piece in answer if isinstance(answer, list) else [answer]:
                            # A terminal takes no more than its reader reads.
                            if select.select([], [master], [], 1)[1]:
                                os.write(master, piece)
                        if stop:
                            process.send_signal(signal.SIGINT)
                elif process.poll() is not None:
                    break
            self.code, self.err = process.wait(5), process.stderr.read().decode()
            process.stderr.close()
            self.restored = termios.tcgetattr(slave) == before
            self.asked = isAnswered
        finally:
            os.close(master)
            os.close(slave)


def pixels(path, size):
    return need("ffmpeg", "-v", "error", "-i", path, "-vf", "scale=%d:%d" % size, "-f", "rawvideo", "-pix_fmt", "rgb24", "-").stdout


def decoded(data):
    """The pixels of a Sixel image."""
    head = re.match(rb'"1;1;(\d+);(\d+)', data)
    width, height = int(head[1]), int(head[2])
    image, colors = bytearray(3 * width * height), {}
    x = y = color = 0
    for match in re.finditer(rb"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)", data[head.end():]):
        if match[1]:
            colors[int(match[1])] = bytes(int(value) * 255 // 100 for value in match.groups()[1:4])
        elif match[5]:
            color = int(match[5])
        elif match[9]:
            x = 0
        elif match[10]:
            x, y = 0, y + 6
        else:
            mask = (match[7] or match[8])[0] - 63
            for _ in range(int(match[6] or 1)):
                for bit in range(6):
                    if mask >> bit & 1:
                        assert x < width and y + bit < height, "a pixel beside the image"
                        at = 3 * ((y + bit) * width + x)
                        image[at:at + 3] = colors[color]
                x += 1
    return (width, height), bytes(image)


def test_kitty_gets_the_file(desk):
    shown = Shown(desk, "frame", "film.mp4", "--at", "1", "-o", "kitty.png", "--show", answer=KITTY + PLAIN)
    assert shown.code == 0 and shown.asked and shown.restored, shown.err
    pieces = re.findall(rb"\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\", shown.out.split(DONE)[1])
    assert pieces[0][0] == b"a=T,f=100,q=2,m=1" and all(len(data) <= 4096 for _, data in pieces)
    assert {keys for keys, _ in pieces[1:-1]} <= {b"q=2,m=1"} and pieces[-1][0] == b"q=2,m=0"
    with open(desk.folder + "/kitty.png", "rb") as file:
        assert base64.b64decode(b"".join(data for _, data in pieces)) == file.read()
    assert b"kitty.png" in shown.out and shown.out.endswith(b"\x1b\\\r\n")


def test_kitty_gets_no_more_than_its_window(desk):
    shown = Shown(desk, "sheet", "film.mp4", "-o", "wide.png", "--show", answer=KITTY + PLAIN)
    assert shown.code == 0 and b"\x1b_Ga=T,f=100,q=2,r=22,m=1;" in shown.out, shown.out[-300:]
    shown = Shown(desk, "sheet", "film.mp4", "-o", "low.png", "--rows", "1", "--show", answer=KITTY + PLAIN)
    assert shown.code == 0 and b"\x1b_Ga=T,f=100,q=2,c=80,m=1;" in shown.out, shown.out[-300:]


def test_kitty_gets_a_jpeg_as_png(desk):
    shown = Shown(desk, "frame", "film.mp4", "--at", "1", "-o", "still.jpg", "--show", answer=KITTY + PLAIN)
    data = base64.b64decode(b"".join(re.findall(rb"\x1b_G[^;]*m=[01];([^\x1b]*)\x1b", shown.out.split(DONE)[1])))
    assert shown.code == 0 and data.startswith(b"\x89PNG"), shown.err


def test_iterm_gets_the_file(desk):
    for words, answer, environment in [((), ITERM + PLAIN, {}), ((), PLAIN, {"LC_TERMINAL": "iTerm2"})]:
        shown = Shown(desk, "frame", "film.mp4", "--at", "1", "-o", "iterm.jpg", "--overwrite", "--show", answer=answer, environment=environment)
        assert shown.code == 0 and shown.restored, shown.err
        keys, data = re.search(rb"\x1b\]1337;File=([^:]*):([^\x07]*)\x07", shown.out).groups()
        with open(desk.folder + "/iterm.jpg", "rb") as file:
            image = file.read()
        assert base64.b64decode(data) == image and keys == b"inline=1;size=%d;preserveAspectRatio=1" % len(image)


@pytest.mark.parametrize("words, name", [
    (["frame", "film.mp4", "--at", "1"], "sixel-frame.png"), (["sheet", "film.mp4"], "sixel-sheet.png"),
    (["verify", "film.mp4", "film.mp4"], "sixel-joins.png")], ids=["frame", "sheet", "verify"])
def test_a_sixel_terminal_gets_its_pixels(desk, words, name):
    shown = Shown(desk, *words, "--picture" if words[0] == "verify" else "-o", name, "--show", answer=SIXEL)
    assert shown.code == 0 and shown.restored, shown.err
    size, image = decoded(re.search(rb"\x1bP0;1;0q([ -~]*)\x1b\\", shown.out)[1])
    assert size[0] <= 640 and size[1] <= 22 * 16
    wanted = pixels(f"{desk.folder}/{name}", size)
    error = sum(abs(a - b) for a, b in zip(image, wanted)) / len(wanted)
    assert error < 8, f"{error} of 255 off"


@pytest.mark.parametrize("answer, says", [
    (PLAIN, "has none of"), (b"", "did not answer"), (b"\x1b[?62", "did not answer"), (b"\x1b[?4c", "has none of"),
    (b"\x1b_Gi=31;ENOTSUP\x1b\\\x1b_Gi=7;OK\x1b\\" + PLAIN, "has none of"),
    (b"\x1bP>|" + b"iTerm2" * 60 + b"\x1b\\" + PLAIN, "has none of"),
    (b"typed\x1b[A\x1b[99999999999999999999;4t" + PLAIN, "has none of"),
    ([b"\x1b_G" + b"x" * 2000] * 8, "did not answer"), ([b"\xff\x1b[\x1b_\x1bP" * 300] * 8, "did not answer"),
], ids=["none", "silent", "broken off", "a kind is no ability", "an error", "a long name", "keys", "a flood", "garbage"])
def test_other_terminals_get_the_path_and_a_reason(desk, answer, says):
    shown = Shown(desk, "frame", "film.mp4", "--at", "1", "-o", "none.png", "--overwrite", "--show", answer=answer)
    assert shown.code == 0 and shown.restored, shown.err
    assert f"not shown here: " in shown.err and says in shown.err and b"none.png" in shown.out
    assert b"\x1b_G" not in shown.out.split(DONE)[1] and b"1337" not in shown.out and b"\x1bP" not in shown.out


def test_without_a_terminal_none_is_asked(desk):
    done = run(desk.programs + "/trimctl", "frame", "film.mp4", "--at", "1", "-o", "pipe.png", "--show", cwd=desk.folder, env=desk.environment)
    assert done.returncode == 0 and b"stdout is not a terminal" in done.stderr and b"\x1b" not in done.stdout + done.stderr
    for type in ("dumb", "linux", ""):
        shown = Shown(desk, "frame", "film.mp4", "--at", "1", "-o", "dumb.png", "--overwrite", "--show", environment={"TERM": type})
        assert shown.code == 0 and not shown.asked and b"\x1b" not in shown.out and "shows no pictures" in shown.err


def test_a_stop_request_ends_the_question_and_restores_the_terminal(desk):
    began = time.monotonic()
    shown = Shown(desk, "frame", "film.mp4", "--at", "1", "-o", "stopped.png", "--show", answer=b"", stop=True)
    assert shown.asked and shown.restored and shown.code == 4, shown.err
    assert not shown.raw[3] & termios.ICANON and time.monotonic() - began < 30


def test_show_is_not_for_scripts(desk):
    for words in (["frame", "film.mp4", "--at", "1", "--show", "--json"], ["verify", "film.mp4", "film.mp4", "--show"]):
        done = run(desk.programs + "/trimctl", *words, cwd=desk.folder, env=desk.environment)
        assert done.returncode == 2, done.stderr
