"""A count in a text of trimctl agrees with its noun: `Units.count` makes both ("1 frame", "2 frames")."""
import re

from trimdtest import sources

NOUNS = "bytes|chapters|checks|exports|frames|jobs|keyframes|lines|packets|presets|samples|shards|subtitles|tracks"
INSIDE = r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
COUNTED = re.compile(rf"{INSIDE} (?:{NOUNS})\b(?!/s)")
# Counts that are above one wherever they are printed: path, and why.
ABOVE_ONE = {
    "Batch/BatchList.swift": "more than 10000",
    "Batch/BatchNames.swift": "more than 255",
}


def wrong(text):
    return [match[0] for line in text.splitlines() if "? " not in line and not line.lstrip().startswith("//") for match in COUNTED.finditer(line)]


def test_counts_agree_with_their_nouns():
    found = {path: wrong(sources.read(path)) for path in sources.swift_files("Sources/trimctl")
             if not any(path.endswith(each) for each in ABOVE_ONE)}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_a_count_that_does_not_agree_is_found():
    assert wrong(r'"the video has \(count) frames"') and wrong(r'"\(report.tiles.count) frames, in a row"')
    assert not wrong(r'"the video has \(Units.count(count, "frame"))"') and not wrong(r'"\(Units.rate(rate)) frames/s"')
