"""Folders of a target that use each other in a circle: none but those known, whose number only falls.

A folder uses another where it names a type that a file there declares at its top. Folders below a folder of a target count as it.
"""
import collections, functools, os, re

from trimdtest import sources

# The circles that there are, by target. One that is opened is taken out here.
KNOWN = {
    "JobQueue": [("", "Nodes", "Tables", "Units")],
    "Libav": [("Coding", "Files", "Frames")],
    "Lists": [("", "Formats", "Reading")],
    "Media": [("", "Assets", "Compatibility", "Metadata", "Presets", "Requests", "Units")],
    "Platform": [("Files", "Processes")],
    "Render": [("Chunks", "Encode", "Passthrough", "Pipeline", "Plan", "SmartTrim", "Text")],
    "TrimPage": [("", "HTTP", "Restriction", "Routes")],
    "trimctl": [("", "Arguments", "Batch", "Commands", "Daemon", "Manual", "Pictures", "Watch")],
    "trimd": [("Files", "Running", "Serving", "Start")],
}


def code(path):
    """A file without its comments and texts."""
    text = re.sub(r'"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"', '""', sources.read(path))
    # A name with its module is one of another target.
    return re.sub(r"\bMedia\.[A-Z]\w*", "", re.sub(r"//.*", "", text))


@functools.cache
def uses():
    """By target: which of its folders uses which, and by which type."""
    texts = {path: code(path) for path in sources.swift_files()}
    where = collections.defaultdict(dict)
    for path, text in texts.items():
        parts = path.split("/")
        folder = parts[2] if len(parts) > 3 else ""
        for line in text.splitlines():
            if (match := sources.TYPE.match(line)) and "private" not in match[1]:
                where[parts[1]].setdefault(match[2], folder)
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, text in texts.items():
        parts = path.split("/")
        folder = parts[2] if len(parts) > 3 else ""
        for name in set(re.findall(r"\b[A-Z]\w+", text)):
            other = where[parts[1]].get(name)
            if other is not None and other != folder:
                found[parts[1]][folder, other].add(name)
    return found


def circles(arrows):
    """The sets of folders of which each reaches every other."""
    nodes = {node for arrow in arrows for node in arrow}
    reach = {node: {b for a, b in arrows if a == node} for node in nodes}
    for middle in nodes:
        for node in nodes:
            if middle in reach[node]:
                reach[node] |= reach[middle]
    return {frozenset({node} | {other for other in reach[node] if node in reach[other]}) for node in nodes if node in reach[node]}


def test_circles_are_found():
    assert circles([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]) == {frozenset("abc")}
    assert circles([("a", "b"), ("a", "c"), ("b", "c")]) == set()


def test_folders_use_each_other_in_one_direction():
    found = {target: {tuple(sorted(circle)) for circle in circles(arrows)} for target, arrows in uses().items()}
    assert {target: some for target, some in found.items() if some} == {target: set(some) for target, some in KNOWN.items()}
