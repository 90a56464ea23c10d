"""Rows that encode: a minute beside ffmpeg, and a list of cuts beside a shell's loop."""
import os, subprocess, sys

from . import films
from .machine import measured
from .table import CACHE, middle, ratio

# The settings of m4v720, as ffmpeg spells them.
VIDEO = ["-vf", "scale=1280:720:flags=bicubic,format=yuv420p", "-fps_mode", "passthrough", "-c:v", "libx264", "-preset", "medium", "-crf", "21",
         "-profile:v", "high", "-level:v", "3.1", "-maxrate", "5M", "-bufsize", "10M", "-g", "48", "-forced-idr", "1"]
AUDIO = ["-c:a", "aac", "-b:a", "160k", "-ac", "2", "-ar", "48000"]
FIRST = ["-map", "0:v:0", "-map", "0:a:0"]


def newer_ffmpeg():
    """The ffmpeg that PyPI's imageio-ffmpeg carries, in an environment of the cache; or why there is none."""
    place = os.path.join(CACHE, "imageio")
    if not os.path.exists(place):
        os.makedirs(CACHE, exist_ok=True)
        got = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-input", "--disable-pip-version-check", "--target", place,
                              "imageio-ffmpeg"], capture_output=True, text=True)
        if got.returncode:
            return None, "pip installs no imageio-ffmpeg: " + (got.stderr.strip().splitlines() or ["?"])[-1][:90]
    binaries = os.path.join(place, "imageio_ffmpeg", "binaries")
    found = [name for name in os.listdir(binaries) if name.startswith("ffmpeg-")] if os.path.isdir(binaries) else []
    return (os.path.join(binaries, found[0]), found[0]) if found else (None, "imageio-ffmpeg carries none for this machine")


def encode(bench):
    """One encode of a minute."""
    film, end = films.hd(), str(10 + bench.seconds)
    print(f"[10, {end}) of {os.path.basename(film)} to 720p (m4v720), {bench.rounds} round(s)")
    ours = bench.path("trimd.m4v")
    export = [bench.program("trimctl"), "export", film, "-o", ours, "--overwrite", "--start", "10", "--end", end, "--preset", "m4v720", "--render",
              "encode", "--standalone", "--progress", "none"]
    runs = {"trimd": lambda: measured(export)}

    def other(name, program):
        theirs = bench.path(name + ".m4v")
        command = [program, "-hide_banner", "-v", "error", "-nostdin", "-y", "-ss", "10", "-to", end, "-i", film, *FIRST, *VIDEO, *AUDIO,
                   "-movie_timescale", "90000", "-f", "ipod", theirs]
        runs[name] = lambda: measured(command, ["sync", theirs])

    other("ffmpeg", "ffmpeg")
    newer, words = newer_ffmpeg()
    if newer:
        other("newer", newer)
    rounds = bench.rounds_of(runs)
    bench.row("encode: wall : ffmpeg", ratio(rounds, "trimd", "ffmpeg", "wall"), "<= 0.92", most=0.92)
    bench.row("encode: CPU : ffmpeg", ratio(rounds, "trimd", "ffmpeg", "cpu"), "<= 0.99", most=0.99)
    bench.row("encode: all cores busy", middle(rounds, "trimd", "share"), f">= 97% (ffmpeg {middle(rounds, 'ffmpeg', 'share'):.0%})", least=0.97,
              form="{:.0%}")
    bench.fact("encode: memory : ffmpeg", f"{ratio(rounds, 'trimd', 'ffmpeg', 'kib'):.2f}")
    if newer:
        bench.fact(f"encode: wall, CPU : {words}", f"{ratio(rounds, 'trimd', 'newer', 'wall'):.2f}, {ratio(rounds, 'trimd', 'newer', 'cpu'):.2f}"
                   f" (its cores {middle(rounds, 'newer', 'share'):.0%})")
    else:
        bench.skip("encode: beside a newer ffmpeg", words)


def cuts(bench):
    """A list of short cuts through `trimctl batch`, beside a shell's loop of ffmpeg: the same cuts and settings."""
    film, count = films.hd(), 6 if bench.quick else 100
    spans = [(0.5 + 0.8 * number, 2.5 + 0.8 * number) for number in range(count)]
    listed, looped = bench.path("cuts.csv"), bench.path("loop")
    with open(listed, "w") as file:
        file.write("input,start,end\n" + "".join(f"{film},{a:.1f},{b:.1f}\n" for a, b in spans))
    os.makedirs(looped, exist_ok=True)
    script = "set -e\n" + "".join(
        f"ffmpeg -v error -nostdin -y -ss {a:.1f} -to {b:.1f} -i {film} {' '.join(FIRST + VIDEO + AUDIO)} -f ipod {looped}/{n}.m4v; "
        f"sync {looped}/{n}.m4v\n" for n, (a, b) in enumerate(spans))
    print(f"a list of {count} cuts of 2 s to 720p, {bench.rounds} round(s)")
    environment = os.environ | {"XDG_STATE_HOME": bench.path("states")}
    made = []

    def batch():
        ours = bench.path(f"batch-{len(made)}")
        made.append(ours)
        return measured([
            bench.program("trimctl"), "batch", listed, "--output-dir", ours, "--preset", "m4v720", "--render", "encode", "--standalone",
            "--progress", "none"], environment=environment)

    rounds = bench.rounds_of({"trimd": batch, "loop": lambda: measured(["sh", "-c", script])})
    assert all(len(os.listdir(folder)) == count for folder in made)
    bench.row(f"{count} cuts: wall : a shell's loop", ratio(rounds, "trimd", "loop", "wall"), "<= 0.80", most=0.80)
    bench.row(f"{count} cuts: CPU : a shell's loop", ratio(rounds, "trimd", "loop", "cpu"), "<= 1.00", most=1.00)
