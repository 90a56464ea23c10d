"""Arithmetic on numbers from outside cannot trap: it goes through MediaTime, wider integers, or a number whose bounds were checked.

Swift's `+`, `-`, `*` and `Int64(…)` of a floating-point number end the process where the result does not fit. In the folders that read
what others wrote, a number that was parsed takes part in them only in a type that holds every result.
"""
import re

import pytest

from trimdtest import sources

# Folders that parse texts, and the targets of those texts.
FOLDERS = ("Sources/Lists", "Sources/Media/Requests", "Sources/MediaTime/Spelling", "Sources/Playlists", "Sources/Text", "Sources/TrimPage",
           "Sources/Wire", "Sources/trimctl/Arguments", "Sources/trimctl/Batch", "Sources/trimctl/Commands")

INTEGER = r"U?Int(?:8|16|32|64)?"
# A number that is read from a text or from a message, and the name that it gets: `let n = Int64(text)`, `if let n = x.flatMap({ Int($0) })`,
# `case .frame(let n)`.
PARSED = re.compile(rf"\b(?:let|var) (\w+)(?:: \w+\??)?\s*=\s*[^=\n]*?\b{INTEGER}\((?!exactly|clamping|truncating|bitPattern|ascii|[\w.]+\.count\))")
BOUND = re.compile(r"case \.(?:frame|frameFromEnd)\(let (\w+)\)")
# Types that hold every sum and product of two such numbers, and operators that do not trap.
SAFE = re.compile(r"\bInt128\(|ReportingOverflow|multiplied\(by:|&[+*-] ")
# A floating-point number that becomes an integer without a look at its size.
ROUNDED = re.compile(rf"\b{INTEGER}\((?!exactly:)[^()]*\((?:[^()]|\([^()]*\))*\)\.rounded\(|\b{INTEGER}\((?!exactly:)[\w.$]+\.rounded\("
                     rf"|\b{INTEGER}\((?!exactly:|clamping:)[^()]*(?:\* 1e\d|\* Double|\* 1_?000_?000\b)")
# Shifts bind tighter than division in Swift: `a / b >> 20` divides by `b >> 20`, which may be 0.
SHIFTED_DIVISOR = re.compile(r"[/%] [\w.]+(?:\([^()]*\))? (?:&?>>|&?<<) ")
FUNCTION = re.compile(r"^\s*(?:@\w+ )*(?:public |private |fileprivate |package |internal |static |mutating |override )*(?:func |init[?(<]|var \w+: [^=]*\{$)")
# Where the numbers are small by another rule: path, part of the line, and that rule.
BOUNDED = [
    ("Options/FrameEdit.swift", "Int(width.rounded())", "the sides of a frame: an Int32 times an aspect ratio that the probe bounds"),
    ("Playlists/PlaylistLines.swift", "offset = end + 1", "an index of the text's bytes"),
    ("Marks/StitchedParts.swift", "program.value * 100", "a playlist's length in microseconds, which PlaylistTimeline bounds"),
    ("Paths/PathBytes.swift", "scalar.value - base", "a scalar of the range that is asked for on the line"),
    ("Messages/Framing.swift", "end", "an index of the bytes that are there"),
    ("Jobs/ListCommand.swift", "limit - jobs.count", "an option from 1 to 1000"),
    ("TrimPage/PageProgram.swift", "20_000 + wish % 12_000", "the remainder is below 12000"),
    ("TrimPage/Library.swift", "&* 1_099_511_628_211", "a hash"),
    ("TrimPage/PreviewCache.swift", "UInt32.random", "a name"),
    ("Routes/ByteRange.swift", "last - first + 1", "last is below the file's size, and not before first"),
]


def uses(name, line):
    """Whether a line adds, subtracts or multiplies a number of this name."""
    operand = rf"(?<![.\w]){name}(?!\w|\()"
    return re.search(rf"{operand} (?:[-+*]|[-+*]=) |[\w)\]] (?:[-+*]|[-+*]=) {operand}|\babs\({operand}\)|[(\s,]-{operand}", line)


def faults(text):
    """The lines whose arithmetic can trap: (number, line)."""
    found = []
    parsed, checked = set(), set()
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        if FUNCTION.match(code):
            parsed, checked = set(), set()
        parsed |= {match[1] for match in PARSED.finditer(code)} | {match[1] for match in BOUND.finditer(code)}
        checked |= set(re.findall(r"~= (\w+)", code)) | set(re.findall(r"\.contains\((\w+)\)", code))
        unsafe = [name for name in parsed - checked if uses(name, code)]
        reaches = re.search(r"\.(?:value|timescale|numerator|denominator) [-+*] |[-+*] [\w.?]+\.(?:value|timescale|numerator|denominator)\b(?!\.)", code)
        if ROUNDED.search(code) or (unsafe or reaches and "Double(" not in code) and not SAFE.search(code):
            found.append((number, line.strip()))
    return found


def test_arithmetic_on_numbers_from_outside_cannot_trap():
    found = [f"{path}:{number}: {line}" for path in sources.swift_files() if path.startswith(FOLDERS)
             for number, line in faults(sources.read(path))
             if not any(path.endswith(file) and part in line for file, part, _ in BOUNDED)]
    assert found == []


def test_no_divisor_is_shifted():
    found = [f"{path}:{number}: {line.strip()}" for path in sources.swift_files()
             for number, line in enumerate(sources.read(path).splitlines(), 1) if SHIFTED_DIVISOR.search(line.split("//")[0])]
    assert found == []


def test_a_shifted_divisor_is_found():
    assert SHIFTED_DIVISOR.search("let free = bytes / share >> 20")
    assert not SHIFTED_DIVISOR.search("let free = (bytes / share) >> 20")


@pytest.mark.parametrize("text", [
    "guard let number = Int64(text) else { return }\nlet far = number * 1000",
    "case .frame(let number): return number + first",
    "let exponent = Int(word)\nguard abs(exponent) < 400 else { return nil }",
    "exact = Time(Int64((number * 1e6).rounded()), 1_000_000)",
    "let next = time.value * 2",
])
def test_a_trap_is_found(text):
    assert faults(text)


@pytest.mark.parametrize("text", [
    "guard let number = Int64(text), 0...99 ~= number else { return }\nlet far = number * 1000",
    "let far = Int128(time.value) * 2",
    "guard let count = Int64(exactly: (number * 1e6).rounded()) else { return nil }",
])
def test_arithmetic_in_bounds_is_none(text):
    assert not faults(text)
