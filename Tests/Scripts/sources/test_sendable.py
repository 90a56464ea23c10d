"""A promise that the compiler cannot check has its reason in the documentation of the type."""
from trimdtest import sources

WORDS = "@unchecked Sendable"


def documentation(lines, number):
    """The comment lines above a declaration."""
    first = number
    while first > 0 and lines[first - 1].lstrip().startswith(("///", "@")):
        first -= 1
    return "\n".join(lines[first:number])


def test_every_unchecked_type_says_why():
    missing = []
    for path in sources.swift_files():
        lines = sources.read(path).splitlines()
        missing += [f"{path}:{number + 1}" for number, line in enumerate(lines)
                    if WORDS in line and not line.lstrip().startswith("//") and f"`{WORDS}`: " not in documentation(lines, number)]
    assert missing == []
