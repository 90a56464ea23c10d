"""Rows of what a job costs besides its media: one, a thousand, looks at a file, and the daemon's memory. A client in Python asks over
the socket, so that no start of a program counts but those of the workers."""
import json, os, statistics, time

from trimdtest.daemon import Daemon
from trimdtest.peer import Peer

from . import films
from .machine import cpu_below, resident, sync_seconds

# The syncs that a copy job waits for, in order. `strace -f -e fsync,fdatasync` on trimd shows them.
SYNCS = ["the job is accepted", "its attempt is counted", "the bytes of the output", "the name it is about to get", "its folder", "its end"]


class Following(Peer):
    """A connection that is told of the ends of all jobs."""

    def __init__(self, path):
        super().__init__(path, timeout=600)
        self.ended = {}
        self.result("job.watch")

    def note(self, message):
        """Takes a notification; the state of a job that has ended is kept."""
        job = message.get("params", {})
        if message.get("method") == "job.changed" and job.get("status") in ("completed", "failed", "cancelled"):
            self.ended[job["id"]] = job["status"]

    def ask(self, method, params=None, files=()):
        self.id += 1
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params or {}}).encode() + b"\n")
        while True:
            answer = json.loads(self.lines.readline())
            if answer.get("id") == self.id:
                return answer
            self.note(answer)

    def await_end(self, job):
        """The state in which a job has ended."""
        while job not in self.ended:
            self.note(json.loads(self.lines.readline()))
        return self.ended[job]


def copy_of(bench, output, **more):
    """The request of a copy of one second."""
    return {"input": films.short(), "output": bench.path(output), "preset": "passthrough", "render": "copy", "start": "1", "end": "2"} | more


def daemon(bench, name, **more):
    """A trimd of its own for one row."""
    folder = bench.path(name)
    os.makedirs(folder)
    return Daemon(folder, programs=bench.programs, **more)


def settled(daemon):
    """Waits until trimd and what it has started use no processor any more; the CPU seconds so far."""
    before = -1.0
    while (now := cpu_below(daemon.process.pid)) != before:
        before = now
        time.sleep(0.2)
    return now


def copy(bench):
    """A copy of one second, from its submission to the notification of its end."""
    sync = sync_seconds(bench.folder)
    bench.fact("this disk's fsync of 4 KiB", f"{sync * 1000:.2f} ms (median of 50)")
    with daemon(bench, "copy") as trimd:
        peer, times = Following(trimd.socket), []
        for number in range(3 + 7 * bench.rounds):
            settled(trimd)
            began = time.monotonic()
            job = peer.result("job.submit", **copy_of(bench, f"copy-{number}.mp4"))["id"]
            assert peer.await_end(job) == "completed"
            times.append(time.monotonic() - began)
        peer.close()
    most = 30 + len(SYNCS) * sync * 1000
    print("the syncs: " + ", ".join(SYNCS))
    bench.row("1 s copy, submit to completed", statistics.median(times[3:]) * 1000, f"<= {most:.0f} ms (30 ms + {len(SYNCS)} syncs)", most=most,
              form="{:.0f}", unit=" ms")


def jobs(bench):
    """A thousand copies of a second, submitted by one connection as fast as they are accepted."""
    count, rates, costs = 100 if bench.quick else 1000, [], []
    for number in range(bench.rounds):
        with daemon(bench, f"jobs-{number}", workers=None) as trimd:
            peer = Following(trimd.socket)
            peer.result("asset.probe", path=films.short())
            cpu, began = settled(trimd), time.monotonic()
            ids = [peer.result("job.submit", **copy_of(bench, f"jobs-{number}-{n}.mp4"))["id"] for n in range(count)]
            assert all(peer.await_end(job) == "completed" for job in ids)
            rates.append(count / (time.monotonic() - began))
            costs.append((settled(trimd) - cpu) / count * 1000)
            peer.close()
        print(f"  {count} jobs: {rates[-1]:.1f} a second, {costs[-1]:.1f} ms of CPU each", flush=True)
    bench.row(f"{count} copies from one connection", statistics.median(rates), f">= 60 a second on 2 cores ({os.cpu_count()} here)", least=60,
              form="{:.1f}", unit="/s")
    bench.row(f"{count} copies: CPU of each", statistics.median(costs), "<= 25 ms", most=25, form="{:.1f}", unit=" ms")


def look(bench):
    """The interactive requests, on a film of half a minute."""
    film = films.real() or films.minute()
    with daemon(bench, "look") as trimd:
        peer = Peer(trimd.socket, timeout=60)
        rows = [("probe of one file", 12, "asset.probe", {}), ("check of one preset", 20, "asset.check", {"preset": "m4v720"}),
                ("check of all presets", 100, "asset.check", {})]
        for what, most, method, more in rows:
            times = []
            for _ in range(2 + 5 * bench.rounds):
                settled(trimd)
                began = time.monotonic()
                peer.result(method, path=film, **more)
                times.append(time.monotonic() - began)
            bench.row(what, statistics.median(times[2:]) * 1000, f"<= {most} ms", most=most, form="{:.0f}", unit=" ms")
        peer.close()


def memory(bench):
    """The memory of trimd while a thousand chunks run and wait."""
    film, most = films.twenty_minutes(), 0
    try:
        trimd = daemon(bench, "memory", settings={"limits": {"chunkSeconds": 1}})
    except SystemExit:
        return bench.skip("memory of trimd with 1,000 chunks", "this trimd has no setting chunkSeconds")
    with trimd:
        peer = Peer(trimd.socket, timeout=60)
        jobs = [peer.result("job.submit", input=film, output=bench.path(f"memory-{n}.m4v"), preset="m4v480", render="encode")["id"] for n in range(2)]
        units = lambda: sum((peer.result("job.get", id=job).get("units") or {}).get("total", 0) for job in jobs)
        began = time.monotonic()
        while time.monotonic() - began < 120 and units() < 1000:
            most = max(most, resident(trimd.process.pid))
            time.sleep(0.5)
        for _ in range(20):
            most = max(most, resident(trimd.process.pid))
            time.sleep(0.25)
        found = units()
        for job in jobs:
            peer.result("job.cancel", id=job)
        peer.close()
    what = f"memory of trimd with {found} chunks"
    if found < 1000:
        return bench.skip(what, f"{most / 1e6:.0f} MB; the films gave fewer than 1,000")
    bench.row(what, most / 1e6, "<= 100 MB", most=100, form="{:.0f}", unit=" MB")
