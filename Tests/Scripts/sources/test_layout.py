"""The measures of the layout: short files, small folders, one meaning for a name."""
import os, subprocess

from trimdtest import sources
from trimdtest.paths import ROOT

MOST_LINES, MOST_FILES = 300, 12
# Names of TrimClient's users, after AVFoundation's: where Media's type of that name is meant beside it, it is Media.Asset.
PUBLIC = {"Asset"}
# At the top, besides names that begin with a dot.
TOP = {"LICENSE", "Makefile", "Package.swift", "Presets", "README.md", "Sources", "Tests", "systemd"}


def test_nothing_else_lies_at_the_top():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    # Of a copy without its history, everything counts.
    names = listed.stdout.rstrip("\0").split("\0") if listed.returncode == 0 else os.listdir(ROOT)
    assert {name.split("/")[0] for name in names if not name.startswith(".")} == TOP


def test_no_file_is_longer_than_300_lines():
    lengths = {path: sources.read(path).count("\n") for folder in ("Sources", "Tests") for path in sources.swift_files(folder)}
    assert {p: n for p, n in lengths.items() if n > MOST_LINES} == {}


def test_no_folder_has_more_than_twelve_files():
    counts = {}
    for folder in ("Sources", "Tests"):
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            # Tests/Scripts holds commands, as bin does.
            if where != os.path.join(ROOT, "Tests", "Scripts") and not where.endswith("__pycache__"):
                counts[os.path.relpath(where, ROOT)] = sum(not name.startswith(".") for name in names)
    assert {p: n for p, n in counts.items() if n > MOST_FILES} == {}


def test_no_two_targets_have_a_type_of_one_name():
    assert {name: found for name, found in sources.types_of_targets().items() if len(found) > 1 and name not in PUBLIC} == {}
