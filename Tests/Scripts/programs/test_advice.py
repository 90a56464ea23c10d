"""Advice that works when it is typed: what an error of `trimctl export` proposes is tried in place of what was given, and must be accepted.

Other words of the remedies, such as "choose a shorter range", are not for typing. Each way is tried with --dry-run, which writes nothing.
"""
import os, re

import pytest

from trimdtest.daemon import Daemon
from trimdtest.processes import ffmpeg, text

WAYS = [r"--preset [a-z0-9-]+(?: --render [a-z]+)?(?: -o \S+)?", r"(?<!auto)(?<![a-z0-9] )--render [a-z]+", r"name it '([^']+)'", r"the extension (\.[a-z0-9]+)", r"(?<![a-z0-9] )-o \S+"]

# The source, the output's name, and the other words; the error's exit code.
REFUSED = [
    (2, "film.mp4", "out"), (2, "speech.opus", "out"), (2, "sound.m4a", "out"), (2, "film.mp4", "out.xyz"),
    (2, "film.mp4", "out.m4a", "--preset", "mp3"), (2, "film.mp4", "out.m4a", "--preset", "highest"), (2, "film.mp4", "out.webm", "--preset", "m4v720"),
    (2, "film.mp4", "out.avi", "--preset", "highest"),
    (2, "sound.m4a", "out.mp4", "--preset", "mp3"), (2, "film.mp4", "out.gif", "--preset", "m4v720"),
    (2, "film.mp4", "out.flac", "--preset", "wav"), (2, "film.mp4", "out.opus", "--preset", "m4a"),
    (3, "film.mp4", "out.webm", "--preset", "passthrough"), (3, "film.mp4", "out.webm", "--render", "copy"),
    (3, "film.mp4", "out.webm", "--render", "smart"), (3, "film.mp4", "out.ogg", "--render", "copy"),
    (3, "film.mp4", "out.mp3", "--render", "copy"), (3, "speech.opus", "out.aac", "--render", "copy"),
    (1, "film.mp4", "out.mp4", "--render", "copy", "--no-hidden", "--start", "0.3", "--end", "0.7"),
    (3, "film.mp4", "out.m4a"), (3, "film.mp4", "out.wav"), (3, "film.mp4", "out.m4a", "--preset", "passthrough"),
    (3, "film.mp4", "out.flac", "--render", "copy"), (3, "sound.m4a", "out.m4v"), (3, "film.webm", "out.m4v", "--render", "copy"), (3, "film.webm", "out.ts", "--render", "smart"),
]


@pytest.fixture(scope="module")
def daemon(module_folder, programs):
    path = lambda name: os.path.join(module_folder, name)
    picture, sound = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2"], ["-f", "lavfi", "-i", "sine=r=48000:d=2"]
    ffmpeg(*picture, *sound, "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", path("film.mp4"))
    ffmpeg(*picture, *sound, "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus", path("film.webm"))
    ffmpeg(*sound, "-c:a", "libopus", path("speech.opus"))
    ffmpeg(*sound, "-c:a", "aac", path("sound.m4a"))
    os.mkdir(path("daemon"))
    with Daemon(path("daemon"), programs=programs, settings={"limits": {"retries": 0}}) as daemon:
        yield daemon


@pytest.mark.parametrize("code, source, output, words", [(c, s, o, w) for c, s, o, *w in REFUSED], ids=[" ".join(map(str, case)) for case in REFUSED])
def test_every_way_that_an_error_names_is_accepted(daemon, module_folder, code, source, output, words):
    def export(output, words):
        named = os.path.join(module_folder, output)
        return daemon.trimctl("export", os.path.join(module_folder, source), "-o", named, "--dry-run", *words, timeout=120)

    refused = export(output, words)
    said = text(refused.stderr).strip()
    assert refused.returncode == code, said
    ways = [match for pattern in WAYS for match in re.finditer(pattern, said.partition("; ")[2])]
    assert ways, said
    for match in ways:
        given, name = list(words), output
        if match.re.groups:
            name = match[1] if not match[1].startswith(".") else os.path.splitext(output)[0] + match[1]
        else:
            typed = match[0].rstrip(",").split()
            for option, value in zip(typed[::2], typed[1::2]):
                if option == "-o":
                    name = value
                elif option in given:
                    given[given.index(option) + 1] = value
                else:
                    given += [option, value]
        tried = export(name, given)
        assert tried.returncode == 0, f"{said}\n{match[0]}: {text(tried.stderr)}"
