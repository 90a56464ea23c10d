"""The model: how long a film of ten minutes would take with more processors than this machine has, from the times of its units.

The times are those of a job on this machine, from its log. The units are given out in the queue's order, each to the processor that is
free first; the plan, the join and the verification are one after the other, as they are in trimd.
"""
import datetime, heapq, os, re

from trimdtest.peer import Peer

from . import films
from .jobs import Following, daemon

PROCESSORS = (1, 2, 4, 8, 16)
# Units have names: `chunk 3`, `first pass of chunk 3`, `audio track 1`.
BEGUN, MADE = re.compile(r"^(\S.*) started: "), re.compile(r"^(\S.*) made: ")


def read(log):
    """The units' seconds in the order in which they were begun, and the seconds before the first and after the last one; None: no units.

    A unit that was made twice counts twice. Each begins when it was given to a worker, and ends when its file is on the disk.
    """
    moments, begun, units, first, last = [], {}, {}, None, None
    for line in log.splitlines():
        stamp, _, words = line.partition(" ")
        try:
            moment = datetime.datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()
        except ValueError:
            continue
        moments.append(moment)
        if found := BEGUN.match(words):
            begun[found[1]] = moment
            first = moment if first is None else first
        elif (found := MADE.match(words)) and found[1] in begun:
            units[found[1]] = units.get(found[1], 0.0) + moment - begun[found[1]]
            last = moment
    if not units:
        return None
    return [units[name] for name in begun if name in units], first - moments[0], moments[-1] - last


def makespan(units, processors):
    """When the last unit ends, if each begins where a processor is free first."""
    free = [0.0] * processors
    for seconds in units:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def bound(units, before, after, processors):
    """The part that keeps the whole from being N times as fast."""
    total = sum(units)
    idle = makespan(units, processors) - total / processors
    tail = (f"the longest unit, {max(units):.1f} s" if max(units) > total / processors
            else f"{len(units)} units do not fill {processors} processors to the end")
    parts = {"the plan": before * (1 - 1 / processors), "the join and the verification": after * (1 - 1 / processors), tail: idle}
    return max(parts, key=parts.get)


def simulate(units, before, after):
    """For each number of processors: seconds in all, the speed-up, and what bounds it."""
    alone = before + sum(units) + after
    return [(n, before + makespan(units, n) + after, alone / (before + makespan(units, n) + after), bound(units, before, after, n)) for n in PROCESSORS]


def model(bench):
    film = films.hd() if bench.quick else films.ten_minutes()
    with daemon(bench, "model", workers=os.cpu_count()) as trimd:
        peer = Following(trimd.socket)
        job = peer.result("job.submit", input=film, output=bench.path("model.m4v"), preset="m4v720", render="encode")["id"]
        state = peer.await_end(job)
        peer.close()
        peer = Peer(trimd.socket)
        log = peer.result("job.log", id=job)["text"]
        peer.close()
    assert state == "completed", log
    found = read(log)
    if found is None:
        return bench.skip("model: 1 to 16 processors", "the job's log names no units: it was made as one")
    units, before, after = found
    print(f"{len(units)} units of {min(units):.1f} to {max(units):.1f} s; plan {before:.2f} s, join and verification {after:.2f} s")
    for processors, seconds, gain, words in simulate(units, before, after):
        bench.row(f"model: {processors} processors, {seconds:.0f} s", gain / processors, f">= 0.90 N ({words})" if processors > 1 else ">= 0.90 N",
                  least=0.9, unit=" N")
