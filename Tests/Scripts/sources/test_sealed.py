"""Calls that a sealed worker may not make, though the C library has them under a harmless name."""
import re

from trimdtest import sources

# The modules of a worker. `fstat` of glibc 2.33 to 2.38 is newfstatat, which takes a path: the seal refuses it, and `trim_fstat` is not that.
MODULES = ("Platform", "ISOMedia", "Libav", "Libass", "Codecs", "Source", "Render", "Pictures", "Check", "Export", "Playlists", "trim-worker")
REFUSED = re.compile(r"(?<![\w.])fstat\(")


def calls(text):
    return [line for line in text.splitlines() if REFUSED.search(line) and not line.strip().startswith("//")]


def test_the_call_is_found():
    assert calls("guard unsafe fstat(file, &facts) == 0") and not calls("unsafe trim_fstat(file, &facts)")


def test_no_worker_asks_by_a_path():
    found = [f"{name}: {line.strip()}" for name in sources.swift_files() if name.split("/")[1] in MODULES for line in calls(sources.read(name))]
    assert found == []
