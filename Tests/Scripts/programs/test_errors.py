"""Bad input, asked of a real trimd: each thing that can be wrong with a request.

Every case must end with its exit code, name on stderr what is wrong, print the same error as JSON under --json, and leave
every folder as it was: no file more, none less, none changed. The inputs are made here with ffmpeg. Errors that need another user or a
file system of its own is skipped where this is not run by root.
"""
import json, os, shutil, socket as sockets, struct

import pytest

from trimdtest.daemon import Daemon
from trimdtest.processes import error_of, ffmpeg, run, text

NOBODY = 65534


def make_inputs(folder):
    """The files of the cases, by their names."""
    path = lambda name: os.path.join(folder, name)
    picture = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30000/1001:duration=4"]
    sound = ["-f", "lavfi", "-i", "sine=r=48000:d=4"]
    video = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
    ffmpeg(*picture, *sound, *video, "-c:a", "aac", path("film.mp4"))
    ffmpeg(*picture, *video, path("silent.mp4"))
    ffmpeg(*sound, "-c:a", "aac", path("sound.m4a"))
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30:duration=12", *video, path("large.mp4"))
    ffmpeg("-i", path("film.mp4"), "-c", "copy", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb",
           "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8", path("encrypted.mp4"))
    ffmpeg("-i", path("film.mp4"), "-c", "copy", "-f", "hls", "-hls_playlist_type", "vod", path("list.m3u8"))
    with open(path("list.m3u8")) as f:
        listed = f.read()
    with open(path("live.m3u8"), "w") as f:
        f.write(listed.replace("#EXT-X-ENDLIST", ""))
    shutil.copy(path("live.m3u8"), path("live-in-disguise.mp4"))
    with open(path("remote.m3u8"), "w") as f:
        f.write(listed.replace("list0.ts", "https://host/list0.ts"))
    with open(path("incomplete.m3u8"), "w") as f:
        f.write(listed.replace("list0.ts", "list7.ts"))
    with open(path("concat.ffconcat"), "w") as f:
        f.write("ffconcat version 1.0\nfile film.mp4\nfile ../film.mp4\n")
    with open(path("words.srt"), "w") as f:
        f.write("1\n00:00:01,000 --> 00:00:02,000\nWords\n")
    with open(path("text.srt"), "w") as f:
        f.write("No times in here.\n" * 9)
    with open(path("latin.srt"), "wb") as f:
        f.write("1\n00:00:01,000 --> 00:00:02,000\nCaf\xe9\n".encode("latin-1"))
    with open(path("text.mp4"), "w") as f:
        f.write("This is not media.\n" * 500)
    open(path("empty.mp4"), "w").close()
    # A film of which only the description is left: every sample is zeroes.
    with open(path("film.mp4"), "rb") as f:
        data = bytearray(f.read())
    at = 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"mdat":
            data[at + 8:at + size] = bytes(size - 8)
        at += size
    with open(path("hollow.mp4"), "wb") as f:
        f.write(data)
    os.mkdir(path("folder.mp4"))
    os.mkfifo(path("fifo.mp4"))
    listener = sockets.socket(sockets.AF_UNIX)
    listener.bind(path("socket.mp4"))
    listener.close()
    os.symlink("nowhere.mp4", path("dangling.mp4"))
    os.symlink("film.mp4", path("alias.m4v"))
    os.link(path("film.mp4"), path("twin.m4v"))
    shutil.copy(path("film.mp4"), path("unreadable.mp4"))
    os.chmod(path("unreadable.mp4"), 0)


def state_of(*folders):
    """Everything below folders, so that any change shows. Access times do not count."""
    found = {}
    for top in folders:
        for where, names, files in os.walk(top):
            for name in [*names, *files]:
                path = os.path.join(where, name)
                s = os.lstat(path)
                found[path] = (s.st_ino, s.st_mode, s.st_size, s.st_mtime_ns, s.st_nlink)
    return found


class Place:
    """The folders of the cases, and a trimd. Errors that can heal are not waited for: each case is to end."""

    def __init__(self, top, programs):
        self.top, self.programs = top, programs
        self.media, self.out, folder = (os.path.join(self.top, name) for name in ("media", "out", "daemon"))
        for each in (self.media, self.out, folder):
            os.mkdir(each)
        make_inputs(self.media)
        with open(f"{self.out}/there.m4v", "w") as f:
            f.write("already")
        self.film = f"{self.media}/film.mp4"
        self.daemon = self.boot(folder)

    def boot(self, folder, prefix=()):
        return Daemon(folder, programs=self.programs, settings={"limits": {"retries": 0}}, prefix=prefix)

    def refuses(self, code, says, ask, *folders):
        """`ask(more words)` runs trimctl; its error is looked at twice, for people and for scripts."""
        before = state_of(*folders)
        done, as_json = ask(), ask("--json")
        said = text(done.stderr)
        assert done.returncode == code, said
        for word in says:
            assert word in said
        assert not done.stdout.strip()
        assert as_json.returncode == code
        # A job that was accepted and failed is a job with its error.
        assert json.loads(as_json.stdout.splitlines()[-1])["error"]["code"]
        assert state_of(*folders) == before

    def export(self, daemon, source, output, *words):
        return lambda *more: daemon.trimctl("export", source, *(["-o", output] if output else []), "--progress", "none", *words, *more, timeout=120)


@pytest.fixture(scope="module")
def place(module_folder, programs):
    place = Place(module_folder, programs)
    yield place
    assert place.daemon.end() == 0


EXPORTS = [
    # The input.
    ("missing file", 1, ["nothing-here.mp4"], "nothing-here.mp4", None),
    ("a link to nothing", 1, ["dangling.mp4"], "dangling.mp4", None),
    ("a name mistyped", 1, ["No such file", "did you mean"], "fiml.mp4", None),
    ("a folder", 1, ["folder"], "folder.mp4", None),
    ("a FIFO", 1, ["fifo.mp4"], "fifo.mp4", None),
    ("a socket", 1, ["socket.mp4"], "socket.mp4", None),
    ("a device", 1, ["/dev/null"], "/dev/null", None),
    ("not media", 1, ["text.mp4"], "text.mp4", None),
    ("0 bytes", 1, ["empty.mp4"], "empty.mp4", None),
    ("nothing that decodes", 1, [], "hollow.mp4", None),
    ("encrypted", 7, ["encrypted"], "encrypted.mp4", None),
    ("a live playlist", 7, ["playlist", "live"], "live.m3u8", None),
    ("a live playlist named .mp4", 7, ["playlist", "live"], "live-in-disguise.mp4", None),
    ("a playlist of files elsewhere", 7, ["playlist", "line 7", "https://host/list0.ts"], "remote.m3u8", None),
    ("a playlist whose segment is missing", 1, ["list7.ts", "from 00:00:00.000"], "incomplete.m3u8", None),
    ("a list of files elsewhere", 7, ["concat.ffconcat", "line 3", "leads out of its folder"], "concat.ffconcat", None),
    # The preset.
    ("a preset that is not there", 2, ["m4v72", "m4v720"], None, None, "--preset", "m4v72"),
    ("video alone under m4a", 3, [], "silent.mp4", "out.m4a", "--preset", "m4a"),
    # A file of subtitles.
    ("a missing file of subtitles", 1, ["none.srt"], None, None, "--preset", "m4v480", "--burn-subtitles", "MEDIA/none.srt"),
    ("text without times", 2, ["text.srt is no file of subtitles"], None, None, "--preset", "m4v480", "--burn-subtitles", "MEDIA/text.srt"),
    ("subtitles in another encoding", 2, ["line 3", "0xE9", "iconv"], None, None, "--preset", "m4v480", "--burn-subtitles", "MEDIA/latin.srt"),
    ("a film as subtitles", 2, ["no file of subtitles"], None, None, "--preset", "m4v480", "--burn-subtitles", "MEDIA/silent.mp4"),
    # Times.
    ("start after end", 2, [], None, None, "--start", "3", "--end", "2"),
    ("start is end", 2, [], None, None, "--start", "2", "--end", "2"),
    ("no duration", 2, [], None, None, "--start", "2", "--duration", "0"),
    ("start beyond the film", 2, [], None, None, "--start", "100"),
    ("start at the film's end", 2, [], None, None, "--start", "end"),
    ("start before the film", 2, [], None, None, "--start", "-100"),
    ("frame beyond the film", 2, [], None, None, "--start", "9999f"),
    ("end beyond, --strict", 2, [], None, None, "--end", "100", "--strict"),
    ("not a time", 2, ["soon"], None, None, "--start", "soon"),
    ("a timecode that does not exist", 2, ["00:01:00;02"], None, None, "--start", "00:01:00;00"),
    ("a timescale beyond 31 bits", 2, [], None, None, "--start", "1/2147483648"),
    ("--end and --duration", 2, ["--duration"], None, None, "--end", "2", "--duration", "1"),
    ("a duration from the end", 2, ["distance from the end"], None, None, "--duration", "-1"),
    ("a chapter between ranges", 2, ["outside the ranges"], None, None, "--keep", "0..1", "--keep", "2..3", "--chapter", "1.5=Lost"),
    ("neither video nor audio", 2, ["neither"], None, None, "--video", "none", "--audio", "none"),
    ("a file of the shell's", 1, ["trimctl export -"], "/dev/fd/99", None),
    # The output.
    ("a file system without blocks", 1, ["/proc/"], None, "/proc/out.m4v"),
    ("the output exists", 6, ["there.m4v"], None, "there.m4v"),
    ("the output is the input", 6, ["input"], "alias.m4v", "MEDIA/alias.m4v", "--overwrite", "--preset", "m4v720"),
    ("the output is a link to the input", 6, ["input"], None, "MEDIA/twin.m4v", "--overwrite"),
    ("an extension that does not fit", 2, [".m4v"], None, "out.mkv", "--preset", "m4v720"),
    ("sound alone, named .m4v", 3, [".m4a"], "sound.m4a", None),
    ("a folder that is not there as output", 1, ["OUT/none", "make it first"], None, "none/"),
    ("no folder for the output", 1, ["OUT/none"], None, "none/out.m4v"),
    ("an output in a file", 1, [], None, "MEDIA/film.mp4/out.m4v"),
]


@pytest.mark.parametrize("code, says, source, output, words", [(c, s, i, o, w) for _, c, s, i, o, *w in EXPORTS], ids=[case[0] for case in EXPORTS])
def test_an_export_is_refused(place, code, says, source, output, words):
    named = lambda path: path.replace("MEDIA", place.media).replace("OUT", place.out)
    source = os.path.join(place.media, source or "film.mp4")
    output = os.path.join(place.out, named(output or "out.m4v"))
    place.refuses(code, map(named, says), place.export(place.daemon, source, output, *map(named, words)), place.media, place.out)


@pytest.mark.parametrize("font, word", [
    pytest.param("text.mp4", "is no font", id="a file that is no font"),
    pytest.param("none.ttf", "cannot be read", id="a font that is missing")])
def test_a_font_that_is_none(place, font, word, folder):
    font = f"{place.media}/{font}"
    words = ["--preset", "m4v480", "--burn-subtitles", f"{place.media}/words.srt"]
    with Daemon(folder, programs=place.programs, settings={"fonts": [font], "limits": {"retries": 0}}) as daemon:
        place.refuses(1, [font, word, "fonts-dejavu-core"], place.export(daemon, place.film, f"{place.out}/out.m4v", *words), place.media, place.out)


# Of the first two --json's error is the same.
@pytest.mark.parametrize("code, says, words", [
    pytest.param(2, ["trimctl export"], ["export"], id="no INPUT"),
    pytest.param(2, ["--strat", "--start"], ["export", "film.mp4", "--strat", "1"], id="an option nobody knows"),
    pytest.param(5, ["none.sock"], ["export", "FILM", "-o", "OUT/out.m4v", "--socket", "none.sock"], id="no daemon"),
])
def test_a_command_line_is_refused(place, code, says, words):
    words = [word.replace("FILM", place.film).replace("OUT", place.out) for word in words]
    place.refuses(code, says, lambda *more: run(f"{place.programs}/trimctl", *words, *more, cwd=place.top), place.media, place.out)


def test_a_job_that_nobody_knows(place):
    place.refuses(1, ["999"], lambda *more: place.daemon.trimctl("show", "999", *more))


@pytest.mark.parametrize("name, source, output", [
    pytest.param("unreadable.mp4", "MEDIA/unreadable.mp4", "THEIRS/out.m4v", id="an unreadable input"),
    pytest.param("locked", "MEDIA/film.mp4", "LOCKED/out.m4v", id="an unwritable folder")])
def test_what_a_user_may_not(place, name, source, output, folder):
    prefix, theirs, locked = [], f"{folder}/nobody", f"{folder}/locked"
    os.mkdir(theirs), os.mkdir(locked)
    if os.geteuid() == 0:
        prefix = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--"]
        if not shutil.which("setpriv") or run(*prefix, f"{place.programs}/trimd", "--version").returncode:
            pytest.skip(f"another user cannot run {place.programs}/trimd")
        os.chown(theirs, NOBODY, NOBODY)
    else:
        os.chmod(locked, 0o555)
    named = lambda path: path.replace("MEDIA", place.media).replace("THEIRS", theirs).replace("LOCKED", locked)
    with place.boot(theirs, prefix) as other:
        place.refuses(7, [name], place.export(other, named(source), named(output)), place.media, locked)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("size, source, word", [
    pytest.param("64k", "film.mp4", "free", id="disk full"),
    pytest.param("1200k", "large.mp4", "may need", id="disk full for what it may need")])
def test_a_full_disk(place, size, source, word, folder):
    if run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        place.refuses(1, [word], place.export(place.daemon, f"{place.media}/{source}", f"{folder}/out.m4v"), place.media, folder)
    finally:
        run("umount", "-l", folder)


def test_after_them_a_right_one_completes_and_nothing_is_left(place):
    done = place.export(place.daemon, place.film, f"{place.out}/out.m4v", "--start", "1", "--end", "2")()
    assert done.returncode == 0, error_of(done)
    assert [f for w, _, files in os.walk(place.top) for f in files if f.endswith(".part")] == []


def test_a_key_whose_output_is_gone_says_so(place):
    output = f"{place.out}/kept.mp4"
    ask = lambda: place.daemon.trimctl("export", place.film, "-o", output, "--end", "1", "--key", "gone", "--quiet", timeout=120)
    for _ in range(2):
        done = ask()
        assert done.returncode == 0 and not text(done.stderr)
    os.remove(output)
    assert "is not there" in text(ask().stderr)
