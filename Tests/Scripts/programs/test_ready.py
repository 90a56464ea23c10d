"""ffmpeg and ffprobe that are kept ready (Tests/ReadyTools) do as the programs themselves: output, exit code, folder, environment and end."""
import os, signal, subprocess, time

import pytest

pytestmark = pytest.mark.skipif("TRIM_TOOLS" not in os.environ, reason="no program is kept ready: Tests/Scripts/with-tools")
ITSELF = {"PATH": "/usr/bin:/bin"}
SOURCE = ["-f", "lavfi", "-i", "testsrc2=duration=1"]


def ran(*words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [
    ["ffprobe", "-v", "error", "-of", "json", "-show_streams", *SOURCE], ["ffprobe", "-v", "error", "none.mp4"],
    ["ffmpeg", "-v", "error", *SOURCE, "-f", "framemd5", "-"], ["ffmpeg", "-v", "error", "-i", "-", "-f", "null", "-"]])
def test_a_call_is_as_that_of_the_program(words, tmp_path):
    told = {"cwd": tmp_path, "input": b"no film"}
    # Addresses of memory stand in messages.
    ready, own = (tuple(part if isinstance(part, int) else part.split(b"]")[-1] for part in ran(*words, **told, **more))
                  for more in ({}, {"env": ITSELF}))
    assert ready == own


def test_it_runs_in_the_folder_and_environment_of_the_caller(tmp_path):
    assert ran("ffmpeg", "-v", "error", *SOURCE, "-frames:v", "1", "here.png", cwd=tmp_path)[0] == 0
    assert os.listdir(tmp_path) == ["here.png"]
    assert ran("ffmpeg", "-report", "-version", cwd=tmp_path, env=dict(os.environ, FFREPORT="file=said.log"))[0] == 0
    assert "said.log" in os.listdir(tmp_path)


def test_a_call_ends_with_its_caller(tmp_path):
    output = tmp_path / "endless.nut"
    process = subprocess.Popen(["ffmpeg", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2", "-c:v", "ffv1", output])
    until(output.exists)
    process.send_signal(signal.SIGKILL)
    process.wait()

    def ended():
        before = output.stat().st_size
        time.sleep(0.5)
        return output.stat().st_size == before
    until(ended)


def until(holds, seconds=30):
    for _ in range(seconds * 20):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass")
