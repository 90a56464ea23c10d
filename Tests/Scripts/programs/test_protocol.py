"""The program of the protocol's page: a whole export with nothing but Python's standard library, run against a trimd as it stands there."""
import ast, json, os, re, signal, subprocess, sys

import pytest

from trimdtest import processes
from trimdtest.daemon import Daemon
from trimdtest.paths import ROOT

PAGE = os.path.join(ROOT, "Sources/Wire/Wire.docc/Protocol.md")
MOST_LINES = 40


def program():
    """The page's one block of Python."""
    with open(PAGE, encoding="utf-8") as file:
        [found] = re.findall(r"^```python\n(.*?)^```$", file.read(), re.S | re.M)
    return found


@pytest.fixture(scope="module")
def daemon(module_folder, programs):
    with Daemon(module_folder, programs=programs, workers=1) as daemon:
        yield daemon


@pytest.fixture
def start(daemon, folder):
    """Starts the page's program; ended with the test."""
    path = os.path.join(folder, "export.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program())
    started = []

    def start(*words):
        started.append(subprocess.Popen([sys.executable, "-I", path, *words], cwd=folder, env={"TRIMD_SOCKET": daemon.socket}, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def film(folder, seconds, size):
    path = os.path.join(folder, "film.mp4")
    processes.ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={seconds}", "-c:v", "libx264", "-preset", "ultrafast",
                     "-g", "25", "-pix_fmt", "yuv420p", path)
    return path


def test_it_is_short_and_needs_no_package():
    text = program()
    assert text.count("\n") <= MOST_LINES
    names = {name.name for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom)) for name in node.names}
    assert names <= sys.stdlib_module_names


def test_it_exports_the_range(start, folder):
    film(folder, 4, "320x180")
    process = start("film.mp4", "part.mp4")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    part = os.path.join(folder, "part.mp4")
    assert out == f"{part} {os.path.getsize(part)}\n"
    shown = processes.need("ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                           "stream=nb_read_frames:format=duration", "-of", "json", part, text=True).stdout
    found = json.loads(shown)
    # From 1 s to 2.5 s at 25 frames/s: the last frame is shown for half its time.
    assert (found["streams"][0]["nb_read_frames"], float(found["format"]["duration"])) == ("38", 1.5)


def test_its_errors_are_trimds(start, folder):
    with open(os.path.join(folder, "film.mp4"), "w") as file:
        file.write("no film")
    process = start("film.mp4", "part.mp4")
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (1, "") and "film.mp4" in err and "Traceback" not in err
    film(folder, 1, "320x180")
    refused = start("film.mp4", "film.mp4")
    out, err = refused.communicate(timeout=300)
    assert (refused.returncode, out) == (1, "") and "is the input" in err and "Traceback" not in err


def test_control_c_cancels_the_job(start, folder, daemon):
    """Of one worker the program's job waits until the job before it has ended."""
    film(folder, 30, "1280x720")
    words = ["export", "film.mp4", "--preset", "hevc1080", "-o", "busy.mp4", "--detach"]
    busy = daemon.trimctl(*words, cwd=folder, text=True).stdout.strip()
    process = start("film.mp4", "part.mp4")
    try:
        line = process.stderr.readline()
        assert line.startswith("job ") and line.endswith(": waiting\n")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    finally:
        daemon.trimctl("cancel", busy)
    assert process.returncode == 1 and "cancelled" in err and "Traceback" not in err, err
    assert json.loads(daemon.trimctl("show", line.split()[1].strip(":"), "--json").stdout)["status"] == "cancelled"
    assert not os.path.exists(os.path.join(folder, "part.mp4"))
