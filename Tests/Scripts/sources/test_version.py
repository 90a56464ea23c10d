"""The version stands in Sources/Wire/Version.swift alone; the change log and the examples of the protocol follow it."""
import os, re, subprocess

from trimdtest import sources
from trimdtest.paths import ROOT

VERSION = re.search(r'trimdVersion = "(.*)"', sources.read("Sources/Wire/Version.swift"))[1]


def test_the_change_log_begins_with_it_or_with_what_is_not_released():
    heading = re.search(r"^## (\S+)", sources.read(".github/CHANGELOG.md"), re.M)[1]
    assert heading in (VERSION, "Unreleased")


def test_its_entry_has_ten_lines_at_the_top():
    notes = subprocess.run([os.path.join(ROOT, "Tests/Scripts/packaging/release-notes"), VERSION], capture_output=True, text=True, check=True).stdout
    assert len(re.findall(r"^- ", notes.split("<details>")[0], re.M)) == 10


def test_examples_of_the_protocol_have_it():
    assert set(re.findall(r'"version": "([^"]*)"', sources.read("Sources/Wire/Wire.docc/Protocol.md"))) == {VERSION}


def test_the_sources_say_it_nowhere_else():
    swift = [path for top in ("Sources", "Tests") for path in sources.swift_files(top)]
    packaging = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(ROOT, "systemd")) for name in names]
    others = [os.path.relpath(path, ROOT) for path in packaging] + ["Makefile", "Package.swift"] + [os.path.relpath(path, ROOT) for path in swift]
    assert [path for path in others if f'"{VERSION}"' in sources.read(path) and not path.endswith("Wire/Version.swift")] == []
