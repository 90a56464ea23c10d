"""A time limit of a Swift test is as long as a run of all of them: the wait for a turn among the tests that run at once counts."""
import re

from trimdtest import sources

LIMIT = re.compile(r"\.timeLimit\((\.?\w+)(?:\((\d+)\))?\)")
# A slow machine's run, at most.
MINUTES = 60


def short(text):
    return [match[0] for match in LIMIT.finditer(text) if match[1] != ".minutes" or int(match[2]) < MINUTES]


def test_limits_are_those_of_a_run():
    found = {path: short(sources.read(path)) for path in sources.swift_files("Tests")}
    assert {path: limits for path, limits in found.items() if limits} == {}


def test_a_short_limit_is_found_out():
    assert short("@Suite(.timeLimit(.minutes(1)))") and not short("@Suite(.timeLimit(.minutes(60)))")
    assert short("@Test(.timeLimit(limit))")
