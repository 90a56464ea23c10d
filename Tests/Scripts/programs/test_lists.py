"""Lists on their way: converted from folder to folder, and run where folders, homes and names are not as they might be."""
import json, os, shutil

import pytest

from trimdtest import processes
from trimdtest.processes import ffmpeg, ffprobe, text


@pytest.fixture(scope="module")
def film(module_folder):
    path = os.path.join(module_folder, "film.mp4")
    ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25:duration=2", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", path)
    return path


@pytest.fixture
def trimctl(programs, tmp_path):
    """Runs trimctl in a folder of its own, with a home there."""
    def run(*words, env=(), **more):
        place = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": "", **dict(env)}
        return processes.run(os.path.join(programs, "trimctl"), *words, **({"cwd": tmp_path, "env": place, "timeout": 120} | more))
    return run


def make_list(folder, film, *lines):
    os.makedirs(folder, exist_ok=True)
    shutil.copy(film, folder)
    path = os.path.join(folder, "cuts.csv")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("target", ["there/cuts.csv", "there/cuts.otio", "there/cuts.tsv", "cuts.csv", "here/deep/cuts.csv", "here/cuts.llc", "-"])
def test_a_converted_list_names_the_same_files(trimctl, tmp_path, film, target):
    """Beside the list and beside its copy lie films of one name: the copy means the list's, wherever it is."""
    cuts = make_list(tmp_path / "here", film, "input,start,end,label", "film.mp4,0,1,A")
    for other in ("there", "here/deep", "."):
        os.makedirs(tmp_path / other, exist_ok=True)
        shutil.copy(film, tmp_path / other / "film.mp4")
    done = trimctl("convert", cuts, *(["--to", "csv"] if target == "-" else ["-o", target]))
    assert done.returncode == 0, text(done.stderr)
    if target == "-":
        target = "cuts.csv"
        (tmp_path / target).write_bytes(done.stdout)
    planned = trimctl("batch", target, "--dry-run", "--json", "--standalone")
    assert planned.returncode == 0, text(planned.stderr)
    items = json.loads(text(planned.stdout).splitlines()[-1])["exports"]
    assert [os.path.realpath(item["input"]) for item in items] == [str((tmp_path / "here/film.mp4").resolve())]


@pytest.mark.parametrize("home", ["/nonexistent", "/", "", "/proc"])
def test_a_batch_without_a_daemon_needs_no_home(trimctl, folder, film, home):
    cuts = make_list(os.path.join(folder, "list"), film, "input,start,end,output", "film.mp4,0,1,a.mp4")
    os.chmod(folder, 0o777)
    # Root would make the home.
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
    done = trimctl("batch", cuts, "--standalone", "--output-dir", os.path.join(folder, "out"), env={"HOME": home}, **(other | {"cwd": folder}))
    assert done.returncode == 0, text(done.stderr)
    assert os.path.getsize(os.path.join(folder, "out/a.mp4")) > 1000


@pytest.mark.parametrize("code, says, line, words", [
    (1, "sub does not exist; make it first", "film.mp4,0,1,sub/a.mp4", []),
    (1, "is not a folder", "film.mp4,0,1,there.mp4/a.mp4", []),
    (3, ".webm cannot hold h264", "film.mp4,0,1,a.webm", []),
    (2, "makes .m4v", "film.mp4,0,1,a.webm", ["--preset", "m4v480"]),
    (6, "the output exists", "film.mp4,0,1,there.mp4", []),
    (6, "another list or other options", "film.mp4,0,1,there.mp4", ["--resume"]),
], ids=["no folder", "a file as folder", "a type that cannot hold it", "a type that the preset never makes", "it exists", "it exists, and --resume was given"])
def test_a_line_that_is_wrong_is_found_before_the_first_export(trimctl, tmp_path, film, code, says, line, words):
    cuts = make_list(tmp_path / "list", film, "input,start,end,output", "film.mp4,1,2,right.mp4", line)
    os.mkdir(tmp_path / "out")
    (tmp_path / "out/there.mp4").write_bytes(b"there")
    done = trimctl("batch", cuts, "--standalone", "--output-dir", str(tmp_path / "out"), *words)
    assert done.returncode == code, text(done.stderr)
    assert says in text(done.stderr)
    assert os.listdir(tmp_path / "out") == ["there.mp4"]


@pytest.mark.parametrize("output, folder", [("./a.mp4", "new"), ("a.mp4", "new/deep"), ("ABOVE/new/a.mp4", "new/deep"), ("a.mp4", "./new/")])
def test_the_folder_for_outputs_is_made(trimctl, tmp_path, film, output, folder):
    cuts = make_list(tmp_path / "list", film, "input,start,end,output", f"film.mp4,0,1,{output.replace('ABOVE', str(tmp_path))}")
    done = trimctl("batch", cuts, "--standalone", "--output-dir", folder)
    assert done.returncode == 0, text(done.stderr)


@pytest.mark.parametrize("member, says", [
    ('"keep":[[1,2]]', "keep[0] is not an object"), ('"options":{"speed":2}', "options.speed is not a string"),
    ('"strict":"yes"', "strict is not a truth value"), ('"priority":"high"', "priority is not a whole number"),
])
def test_a_wrong_value_is_named_in_words(trimctl, tmp_path, film, member, says):
    make_list(tmp_path, film)
    (tmp_path / "cuts.jsonl").write_text('{"input":"film.mp4",%s}\n' % member)
    done = trimctl("batch", "cuts.jsonl", "--standalone", "--dry-run")
    assert done.returncode == 2 and says in text(done.stderr), text(done.stderr)


def test_standard_input_may_be_given_by_its_path(trimctl, tmp_path, film):
    with open(film, "rb") as source:
        done = trimctl("export", "/dev/stdin", "-o", "out.mp4", "--standalone", stdin=source)
    assert done.returncode == 0, text(done.stderr)
    assert ffprobe(tmp_path / "out.mp4", "-show_streams")["streams"][0]["nb_frames"] == "50"
