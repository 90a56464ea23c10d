// The daemon and its workers die as by a power cut of their own, at any moment; the next daemon makes of it exactly one whole
// output and one completed job. (CallFaultTests kills it at each of its calls.)
import Foundation
import Glibc
import Testing

/// Slow tests run where TRIMD_FAULTS is set (`make test-faults`).
let isThorough = ProcessInfo.processInfo.environment["TRIMD_FAULTS"] != nil

@Suite struct CrashTests {
    /// Everything that must be so once a job with a key has come to its end over one or more daemons.
    static func check(_ rig: Rig, key: String, film: String, output: String, frames: Int) throws {
        // The key names the job that was accepted, if it was; else it is accepted now. In either case once.
        let done = rig.trimctl(
            "export", film, "--preset", "m4v720", "-o", rig.path(output), "--key", key, "--json",
            "--progress", "none")
        #expect(done.code == 0, "\(done.err) \(rig.daemonLog.suffix(2000))")
        let job = try done.json()
        #expect(job["status"] as? String == "completed")
        #expect(try Rig.frameTimes(rig.path(output)).count == frames)
        #expect(try rig.leftovers().isEmpty)
        #expect(rig.busyWorkers().isEmpty)
        let id = try #require(job["id"] as? Int)
        let events = rig.trimctl("events", "--since", "1d", "--no-follow").out.split(separator: "\n")
        #expect(events.filter { $0.contains("  job \(id)  completed") }.count == 1, "\(events)")
    }

    /// Daemons and workers killed at random.
    @Test(.enabled(if: isThorough), .timeLimit(.minutes(10))) func rounds() throws {
        let seed = ProcessInfo.processInfo.environment["TRIMD_SEED"].flatMap(UInt64.init) ?? UInt64(time(nil))
        var random = Random(state: seed)
        print("CrashTests.rounds: TRIMD_SEED=\(seed)")
        let rig = try Rig(booted: false)
        let film = try rig.film()
        for round in 1...200 {
            let way = Int.random(in: 0..<3, using: &random)
            try rig.boot(workers: 2)
            for name in ["a", "b"] {
                rig.trimctl(
                    "export", film, "--preset", "m4v720", "-o", rig.path("\(name)\(round).m4v"), "--detach",
                    "--key",
                    "\(name)\(round)")
            }
            if way < 2 { usleep(UInt32.random(in: 0..<700_000, using: &random)) }
            if way == 2 {
                usleep(UInt32.random(in: 0..<300_000, using: &random))
                for pid in rig.busyWorkers() { kill(pid, SIGKILL) }
                usleep(UInt32.random(in: 0..<300_000, using: &random))
            }
            rig.end(SIGKILL)
            try rig.wait("the workers' end") { rig.busyWorkers().isEmpty }
            try rig.boot(workers: 2)
            // Both at their end first: what the other one is still writing is nothing that was left.
            for name in ["a", "b"] {
                rig.trimctl(
                    "export", film, "--preset", "m4v720", "-o", rig.path("\(name)\(round).m4v"), "--key",
                    "\(name)\(round)")
            }
            for name in ["a", "b"] {
                try Self.check(
                    rig, key: "\(name)\(round)", film: film, output: "\(name)\(round).m4v", frames: 100)
                try FileManager.default.removeItem(atPath: rig.path("\(name)\(round).m4v"))
            }
            rig.end(SIGTERM)
        }
    }
}

/// A generator whose numbers come again with its seed (splitmix64).
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
