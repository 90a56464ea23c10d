"""The rules of the layout: what lies at the top, one meaning for a name."""
import os, subprocess

from trimdtest import sources
from trimdtest.paths import ROOT

# Names of TrimClient's users, after AVFoundation's: where Media's type of that name is meant beside it, it is Media.Asset.
PUBLIC = {"Asset"}
# At the top, besides names that begin with a dot.
TOP = {"LICENSE", "Makefile", "Package.swift", "Presets", "README.md", "Sources", "Tests", "systemd"}


def test_nothing_else_lies_at_the_top():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    # Of a copy without its history, everything counts.
    names = listed.stdout.rstrip("\0").split("\0") if listed.returncode == 0 else os.listdir(ROOT)
    assert {name.split("/")[0] for name in names if not name.startswith(".")} == TOP


def test_no_two_targets_have_a_type_of_one_name():
    assert {name: found for name, found in sources.types_of_targets().items() if len(found) > 1 and name not in PUBLIC} == {}
