"""The form of messages: counts agree with their nouns."""
import os
import re

from trimdtest import sources
from trimdtest.paths import ROOT

# A count in a message, and a noun that is right for several alone: `quantity` has the one that agrees.
COUNTED = re.compile(r"""\\\((\w+\.)*(\w*[cC]ount)\) [a-z]+s\b""")


def test_counts_with_one_form_of_a_noun_are_found():
    assert COUNTED.search(r'"the video has \(times.count) frames"') and COUNTED.search(r'"\(count) chunks"')
    assert not COUNTED.search(r'"the video has \(quantity(times.count, "frame"))"')


def test_counts_agree_with_their_nouns():
    folders = [os.path.join(ROOT, "Sources", target) for target in ("Source", "Render", "Pictures", "Check", "Export")]
    names = [os.path.join(at, name) for folder in folders for at, _, files in os.walk(folder) for name in files if name.endswith(".swift")]
    assert names
    assert [f"{os.path.relpath(name, ROOT)}:{number}" for name in names for number, line in enumerate(sources.read(name).splitlines(), 1)
            if COUNTED.search(line)] == []
