"""The row of the long film: twenty of thirty minutes, encoded at the two cuts alone."""
import os

from . import films
from .machine import measured
from .table import middle


def smart(bench):
    film, start, end = films.half_hour(), "302.36", "1507.52"
    out = lambda who: bench.path(f"long-{who}.mp4")
    trimd = [bench.program("trimctl"), "export", film, "-o", out("trimd"), "--overwrite", "--start", start, "--end", end, "--render", "smart",
             "--standalone", "--progress", "none"]
    copy = [*films.FFMPEG, "-ss", start, "-to", end, "-i", film, "-c", "copy", out("copy")]
    runs = {"trimd": lambda: measured(trimd), "copy": lambda: measured(copy, ["sync", out("copy")])}
    if os.environ.get("SMARTCUT"):
        cut = [os.environ["SMARTCUT"], film, out("smartcut"), "--keep", f"{start},{end}"]
        runs["smartcut"] = lambda: measured(cut, ["sync", out("smartcut")])
    print(f"[{start}, {end}) of {os.path.getsize(film) / 1e6:.0f} MB, encoded at its ends alone, {bench.rounds} round(s)")
    rounds = bench.rounds_of(runs)
    copying = middle(rounds, "copy", "wall")
    most = 1.2 * copying + 1.5
    bench.row("smart trim: wall", middle(rounds, "trimd", "wall"), f"<= {most:.2f} s (1.2 x {copying:.2f} s of -c copy + 1.5 s)", most=most, unit=" s")
    edges = max(0.0, middle(rounds, "trimd", "cpu") - middle(rounds, "copy", "cpu"))
    bench.row("smart trim: CPU beyond copying", edges, "<= 2.5 s", most=2.5, unit=" s")
    bench.row("smart trim: memory", middle(rounds, "trimd", "kib") / 1024, "<= 200 MiB", most=200, form="{:.0f}", unit=" MiB")
    one = measured([*films.FFMPEG, "-i", films.minute(), "-c:v", "libx264", "-preset", "medium", "-crf", "21", "-c:a", "aac", "-b:a", "160k",
                              out("encoded")])["cpu"]
    whole = one * (float(end) - float(start)) / 60
    bench.fact("smart trim: CPU of encoding it all", f"{whole / middle(rounds, 'trimd', 'cpu'):.0f} x trimd's")
    if "smartcut" in runs:
        bench.fact("smart trim: CPU of smartcut", f"{middle(rounds, 'smartcut', 'cpu') / middle(rounds, 'trimd', 'cpu'):.1f} x trimd's")
