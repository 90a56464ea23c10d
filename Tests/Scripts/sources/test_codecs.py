"""The knowledge about a codec is in Codecs, and how it is encoded to join copied samples in HeadTail/Joins: nothing else asks for a codec by
its name."""
import os, re

from trimdtest import sources

# Formats of subtitles are in Render/Text.
HOME, JOINS, TEXT = "Sources/Codecs/", "Sources/Render/SmartTrim/HeadTail/Joins/", "Sources/Render/Text/"
# The targets that decide about media.
WORKERS = [f"Sources/{target}" for target in ("Source", "Render", "Pictures", "Check", "Export")]
ASKED = re.compile(r"""\bcodec\b\)?\s*(?:==|!=|~=)\s*"|"\s*(?:==|!=)\s*(?:\w+\.)*codec\b|switch\s+(?:\w+\.)*codec\s*\{|\bcontains\((?:\w+\.)*codec\)
    |\bcodec\.has(?:Pre|Suf)fix\("|\b(?:is|as[?!]?) (?:any )?(?!HeadTail|NAL|PCM)\w+Codec\.Type""", re.X)


def test_no_codec_is_asked_for_by_name():
    found = [f"{path}:{number}: {line.strip()}"
             for folder in WORKERS for path in sources.swift_files(folder) if not path.startswith((JOINS, TEXT))
             for number, line in enumerate(sources.read(path).splitlines(), 1) if ASKED.search(line)]
    assert found == []


def test_every_codec_is_in_a_registry():
    texts = {path: sources.read(path) for path in sources.swift_files(HOME)}
    registries = "".join(text for path, text in texts.items() if os.path.basename(path) in ("VideoCodecs.swift", "AudioCodecs.swift"))
    types = {name for text in texts.values() for name in re.findall(r"^(?:package )?enum (\w+): (?:Video|NAL|Audio)Codec\b", text, re.M)}
    assert len(types) > 20
    assert {name for name in types if f"{name}.self" not in registries and f"enum {name}:" not in registries and name != "PCMCodec"} == set()

