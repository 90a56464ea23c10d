"""The form of comments, documents and messages: no sentence begins with "What", and counts agree with their nouns."""
import os
import re
import subprocess

from trimdtest import sources
from trimdtest.paths import ROOT

# At the beginning of a line, behind the mark of a comment or a list, at the beginning of a text, and behind the end of a sentence.
SENTENCE = re.compile(r"""(^|[.:!?"] +|^\s*(///?|\#+|[*]|-)\s*|")What\b(?!:)""")
KINDS = (".swift", ".md", ".py", ".c", ".h", ".sh", ".yml", ".conf", ".service", ".json")


def begins_with_what(line):
    return SENTENCE.search(line) is not None


def prose(path):
    """Whether people read a file's comments or text: by its name, or a script without one."""
    return path.endswith(KINDS) or "." not in os.path.basename(path)


def test_sentences_are_found():
    found = ["/// What it is.", "// A value. What it", '    """What it says."""', "# What it needs", "What goes", "- What is", 'f("What to do")']
    assert [line for line in found if not begins_with_what(line)] == []
    passed = ["/// Says what it is.", "let What = 1", "// A value, What"]
    assert [line for line in passed if begins_with_what(line)] == []


def test_no_sentence_begins_with_what():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    # A link to a folder is listed too.
    names = [n for n in names if os.path.isfile(os.path.join(ROOT, n)) and prose(n) and n != os.path.relpath(__file__, ROOT)]
    assert names or listed.returncode != 0
    assert [f"{name}:{number}" for name in names for number, line in enumerate(sources.read(name).splitlines(), 1)
            if begins_with_what(line)] == []


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
