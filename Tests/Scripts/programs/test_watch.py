"""`trimctl watch` in a real terminal (tmux), with a real trimd, seen and typed at as by a person.

Looks at the screen for jobs, bars and keys, tries orders by key, other sizes, NO_COLOR and TERM=dumb, Ctrl-Z, Ctrl-C, SIGTERM, and a
trimd that is killed and comes back; after each end the terminal must be as before. Skipped where there is no tmux. The tests of
this file go in their order: each finds the jobs as the one before left them.
"""
import os, re, shutil, signal, time

import pytest

from trimdtest import processes
from trimdtest.daemon import Daemon
from trimdtest.processes import ffmpeg
from trimdtest.waiting import within

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="there is no tmux")


class Desk:
    """A terminal, a daemon, and four jobs of which one runs."""

    def __init__(self, folder, programs):
        self.folder = folder
        self.environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TMUX")} | {
            "PATH": programs + ":" + os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "TRIMD_SOCKET": folder + "/trimd.sock", "PS1": "$ "}
        self.daemon = Daemon(folder, programs=programs, workers=1, environment=self.environment)
        self.film = folder + "/film.mp4"
        self.terminals = 0
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=120", "-c:v", "libx264", "-preset", "ultrafast", self.film)
        for name in ("one", "two", "three", "vier \u4e16\u754c"):
            self.run("trimctl", "export", self.film, "--detach", "--preset", "m4v720", "-o", f"{folder}/{name}.m4v")

    def run(self, *words):
        return processes.run(*words, text=True, env=self.environment, cwd=self.folder)

    def tmux(self, *words):
        """The output of tmux; each terminal has a server of its own, for one that has just lost its last session takes no other."""
        done = self.run("tmux", "-f", "/dev/null", "-S", self.server, *words)
        assert done.returncode == 0, f"tmux {' '.join(words)}: {done.stderr}"
        return done.stdout

    @property
    def server(self):
        return f"{self.folder}/tmux{self.terminals}"

    def screen(self, *more):
        return self.tmux("capture-pane", "-p", "-t", "x", *more)

    def soon(self, pattern, *more, seconds=90):
        """Waits until the screen shows a pattern; the screen."""
        end = time.monotonic() + seconds
        while not re.search(pattern, text := self.screen(*more), re.M):
            assert time.monotonic() < end, f"no {pattern!r} in\n{text}"
            time.sleep(0.1)
        return text

    def type(self, *keys):
        self.tmux("send-keys", "-t", "x", *keys)

    def shell(self, columns, rows, *variables):
        """A new shell in a terminal of this size."""
        self.close()
        self.terminals += 1
        self.tmux("new-session", "-d", "-s", "x", "-x", str(columns), "-y", str(rows), "env", *variables, "bash", "--norc", "--noprofile")
        self.soon(r"^\$")
        self.type("echo be''fore", "Enter")
        self.soon("^before")

    def close(self):
        """The end of the terminal, if there is one."""
        if self.terminals:
            self.tmux("kill-server")

    def watch(self, *words):
        self.type(" ".join(["trimctl watch", *words]), "Enter")

    def pid(self):
        return int(self.run("sh", "-c", f"tmux -S {self.server} list-panes -t x -F '#{{pane_pid}}' | xargs pgrep -x trimctl -P").stdout.split()[0])

    def back(self):
        """The view has gone: nothing of it stays, and keys are seen again."""
        assert "release" not in self.soon(r"^before[\s\S]*\n\$ *$")
        self.type("stty -a | grep -c ' echo ' ; echo do''ne", "Enter")
        assert re.search(r"^1\ndone", self.soon("^done"), re.M)


@pytest.fixture(scope="module")
def desk(module_folder, programs):
    desk = Desk(module_folder, programs)
    yield desk
    desk.close()
    desk.daemon.kill()


def test_the_view_shows_jobs_bars_and_keys(desk):
    desk.shell(100, 24)
    desk.watch()
    text = desk.soon(r"^> +1  exporting +\[\u2588*\u2591*\] +\d+ %  .*m4v720 +one\.m4v")
    assert re.search(r"1 exporting, 3 waiting", text) and "\u4e16\u754c" in text
    assert f"from {desk.film}" in text, "the chosen job's file"
    assert "Enter details  c cancel  ? keys  q quit" in text
    assert re.search(r"\x1b\[[0-9;]*7m", desk.screen("-e")), "the chosen line stands out"
    moved = re.search(r"(\d+) %", text).group(1)
    desk.soon(rf"exporting +\[.*\] +(?!{moved} )\d+ %")


def test_keys_give_orders_to_the_chosen_job(desk):
    for keys, *patterns in [
        ("j", r"^> +2"), ("h", r"2  held", r"^> +2  held"), ("l", r"^> +2  waiting"), (("Down", "c"), "cancel job 3\\?"), ("n", "job 3 is not cancelled", r"^> +3  waiting"), (("c", "y"), r"^> +3  cancelled"),
        ("Enter", r"^job 3", r"^log", "cancelled before it began"), ("Enter", r"^> +3"), ("?", "^Keys", "hold it"), ("q", r"^> +3"),
        ("h", "job 3 is cancelled, and cannot be held"), ("R", r"3  waiting"), ("g", r"^> +1"),
    ]:
        for key in (keys,) if isinstance(keys, str) else keys:
            desk.type(key)
        for pattern in patterns:
            desk.soon(pattern)


def test_other_sizes_are_filled(desk):
    for columns, rows in ((40, 10), (200, 50), (20, 5), (100, 24)):
        desk.tmux("resize-window", "-t", "x", "-x", str(columns), "-y", str(rows))
        desk.soon(r"^>? +1  exp")

        def jobs():
            return len([line for line in desk.screen().split("\n") if re.match(r"^[ >] +\d+  [a-z]", line)])

        # It is drawn anew when the terminal has told the program of its size.
        assert within(30, lambda: jobs() in (2, 4)), f"{columns}x{rows}: {jobs()} jobs"


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again(desk):
    desk.type("C-z")
    desk.soon(r"Stopped +trimctl watch")
    desk.type("fg", "Enter")
    desk.soon(r"^> +1  exporting")


def test_a_daemon_that_dies_and_comes_back(desk):
    desk.daemon.kill()
    desk.soon("does not answer; trying again")
    desk.daemon.boot()
    desk.soon(r"1  exporting +\[.*\] +\d+ %", seconds=40)
    desk.type("q")
    desk.back()


@pytest.mark.parametrize("end", [lambda desk: desk.type("C-c"), lambda desk: os.kill(desk.pid(), signal.SIGTERM)], ids=["Ctrl-C", "SIGTERM"])
def test_an_end_leaves_the_terminal_as_before(desk, end):
    desk.shell(80, 24)
    desk.watch()
    desk.soon(r"q quit")
    end(desk)
    desk.back()


def test_no_color(desk):
    desk.shell(90, 24, "NO_COLOR=1")
    desk.watch()
    desk.soon(r"q quit")
    assert not re.search(r"\x1b\[[0-9;]*[37]", desk.screen("-e"))
    desk.type("q")
    desk.back()


def test_a_dumb_terminal_gets_lines(desk):
    desk.shell(90, 24, "TERM=dumb")
    desk.watch()
    desk.soon(r"^job 1: exporting \d+ %")
    desk.type("C-c")
    desk.soon(r"\$ *$")


def test_the_view_of_a_job_ends_with_it_and_says_how(desk):
    desk.shell(90, 24)
    desk.watch("2")
    desk.soon("1 waiting")
    desk.run("trimctl", "cancel", "2")
    desk.soon(r"^before[\s\S]*^job 2: cancelled\n\$ *$")
