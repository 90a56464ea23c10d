"""The benchmark's model: times read from a log, and units given out one after the other."""
import pytest

from trimbench import model

LOG = """\
2026-01-01T00:00:00.000Z started: attempt 1, worker 5
2026-01-01T00:00:00.500Z chunk 1 started: video, attempt 1, worker 6, threads 1
2026-01-01T00:00:01.000Z first pass of chunk 2 started: statistics, attempt 1, worker 7, threads 1
2026-01-01T00:00:05.000Z first pass of chunk 2 made: 300 bytes
2026-01-01T00:00:05.000Z chunk 1 made: 200 bytes
2026-01-01T00:00:06.000Z audio track 1 started: audio, attempt 1, worker 8, threads 1
not a line of a log
2026-01-01T00:00:12.000Z audio track 1 made: 100 bytes
2026-01-01T00:00:12.250Z joining 2 chunks, 1 audio track: worker 9
2026-01-01T00:00:13.000Z completed in 13.0 s: a.m4v
"""


def test_the_times_are_read_from_the_log():
    assert model.read(LOG) == ([4.5, 4.0, 6.0], 0.5, 1.0)


def test_a_log_without_units_has_none():
    assert model.read("2026-01-01T00:00:00.000Z started: attempt 1") is None


@pytest.mark.parametrize("units, processors, seconds", [([1, 1, 1, 1], 1, 4), ([1, 1, 1, 1], 2, 2), ([1, 1, 1, 1], 16, 1), ([1, 1, 4], 2, 5),
                                                       ([4, 1, 1], 2, 4), ([3, 2, 2], 2, 4)])
def test_each_unit_begins_where_a_processor_is_free_first(units, processors, seconds):
    assert model.makespan(units, processors) == seconds


def test_what_bounds_it_is_named():
    assert model.bound([1.0] * 16, 0.1, 8, 16) == "the join and the verification"
    assert model.bound([1.0] * 16, 8, 0.1, 16) == "the plan"
    assert model.bound([1.0] * 17, 0, 0, 16).startswith("17 units do not fill")
    assert model.bound([1.0, 9.0], 0, 0, 16) == "the longest unit, 9.0 s"


def test_the_gain_counts_what_is_not_divided():
    gains = {processors: gain for processors, _, gain, _ in model.simulate([1.0] * 16, 0.5, 0.5)}
    assert gains == {1: 1, 2: 17 / 9, 4: 17 / 5, 8: 17 / 3, 16: 17 / 2}
