"""A time limit of a Swift test is what it may take on a slow machine beside others: unit-test bounds how many run at once, and the wait for
a turn does not count."""
import re

from trimdtest import sources

LIMIT = re.compile(r"\.timeLimit\((\.?\w+)(?:\((\d+)\))?\)")
# On two processors beside a build, tests take up to a minute; who waits for nothing is found within these.
LEAST, MOST = 5, 10
# make test-scale runs it, and nothing else.
SLOW = "Tests/JobQueueTests/Postgres/Scale/ScaleTests.swift"


def wrong(text):
    return [match[0] for match in LIMIT.finditer(text) if match[1] != ".minutes" or not LEAST <= int(match[2]) <= MOST]


def test_limits_are_those_of_a_test():
    found = {path: wrong(sources.read(path)) for path in sources.swift_files("Tests") if path != SLOW}
    assert {path: limits for path, limits in found.items() if limits} == {}


def test_other_limits_are_found_out():
    assert wrong("@Suite(.timeLimit(.minutes(1)))") and wrong("@Suite(.timeLimit(.minutes(60)))") and wrong("@Test(.timeLimit(limit))")
    assert not wrong("@Suite(.timeLimit(.minutes(10)))")


def test_the_tests_wait_before_they_begin():
    assert "--experimental-maximum-parallelization-width" in sources.read("Tests/Scripts/unit-test")
