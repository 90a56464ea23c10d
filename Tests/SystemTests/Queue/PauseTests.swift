// Running jobs that are held: their workers are stopped, and nothing that happens meanwhile lets them start unasked or stay behind.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct PauseTests {
    let rig: Rig
    let long: String

    init() throws {
        rig = try Rig(workers: 1)
        long = try rig.longFilm(seconds: 8)
    }

    private func submit(_ output: String, _ film: String? = nil, _ more: String...) -> String {
        let words = ["export", film ?? long, "-o", rig.path(output), "--preset", "m4v720", "--detach"] + more
        return rig.finish(rig.start(words)).out.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func show(_ id: String) throws -> [String: Any] { try rig.trimctl("show", id, "--json").json() }

    private func status(_ id: String) throws -> String { try show(id)["status"] as? String ?? "none" }

    private func state(_ pid: Int32) -> Character? { rig.state(pid) }

    /// A job whose worker runs, and is then stopped.
    private func paused(_ output: String) throws -> (id: String, worker: Int32) {
        let id = submit(output)
        var found: Int32?
        try rig.wait("the worker") {
            found = rig.worker(exporting: output)
            return found != nil
        }
        let worker = try #require(found)
        let held = rig.trimctl("hold", id)
        #expect(held.code == 0 && held.out.hasPrefix("job \(id): paused "), "\(held.out)\(held.err)")
        try rig.wait("the stop") { state(worker) == "T" }
        return (id, worker)
    }

    @Test func aPausedJobStandsStillAndTheNextOneRuns() throws {
        let (id, worker) = try paused("a.m4v")
        var before = try show(id)
        // Its reports from before the stop are still heard.
        try rig.wait("its last word") {
            defer { if let now = try? show(id) { before = now } }
            return try show(id)["progress"] as? Double == before["progress"] as? Double
        }
        #expect(before["status"] as? String == "exporting" && before["paused"] as? Bool == true)
        #expect(before["remaining"] == nil && before["speed"] == nil)
        #expect(rig.trimctl("list").out.contains("paused"))
        // To hold it again is no error.
        #expect(rig.trimctl("hold", id).code == 0)
        // The next one has its slot, and runs to its end.
        let next = submit("b.m4v", nil, "--end", "1")
        #expect(rig.trimctl("wait", next).code == 0)
        #expect(try show(id)["progress"] as? Double == before["progress"] as? Double)
        #expect(state(worker) == "T")
        // No more are paused than may run; the one that is refused goes on.
        let third = submit("c.m4v")
        try rig.wait("the third") { rig.worker(exporting: "c.m4v") != nil }
        let refused = rig.trimctl("hold", third, "--json")
        #expect(refused.code == 1 && refused.out.contains("limitReached"), "\(refused.out)")
        // Released, it waits for the slot, and then comes before those that wait.
        let fourth = submit("d.m4v")
        #expect(rig.trimctl("release", id).code == 0)
        #expect(try show(id)["paused"] == nil)
        #expect(rig.trimctl("cancel", third).code == 0)
        try rig.wait("the first to go on") { state(worker).map { $0 != "T" } ?? true }
        #expect(try status(fourth) == "waiting" || status(id) == "completed")
        #expect(rig.trimctl("wait", id).code == 0 && rig.exists("a.m4v"))
        #expect(rig.trimctl("cancel", fourth).code == 0)
        #expect(try rig.leftovers().isEmpty)
    }

    @Test func aPausedJobCanBeCancelledAndIsNotWaitedForByADrain() throws {
        let (id, worker) = try paused("a.m4v")
        #expect(rig.trimctl("drain").code == 0)
        #expect(try status(id) == "exporting")
        #expect(rig.trimctl("drain", "--off").code == 0)
        #expect(rig.trimctl("cancel", id).code == 0)
        #expect(try status(id) == "cancelled" && show(id)["paused"] == nil)
        #expect(state(worker) == nil)
        #expect(try rig.leftovers().isEmpty && !rig.exists("a.m4v"))
        // The queue goes on.
        #expect(rig.trimctl("wait", submit("b.m4v", nil, "--end", "1")).code == 0)
    }

    /// However the daemon ends, the job is held afterwards, its worker is gone, and nothing of it stays behind.
    @Test(arguments: [SIGTERM, SIGKILL]) func aPausedJobIsHeldAfterARestart(_ signal: Int32) throws {
        let (id, worker) = try paused("a.m4v")
        rig.end(signal)
        try rig.boot(workers: 1)
        // One that is stopped may outlive a daemon that was killed, but not the next one's start.
        try rig.wait("the worker's end") { state(worker).map { $0 == "Z" } ?? true }
        #expect(try status(id) == "held")
        #expect(try rig.leftovers().isEmpty)
        #expect(rig.trimctl("wait", submit("b.m4v", nil, "--end", "1")).code == 0)
        #expect(try status(id) == "held")
        #expect(rig.trimctl("release", id).code == 0)
        #expect(rig.trimctl("wait", id).code == 0)
        #expect(rig.exists("a.m4v"))
    }

    @Test func aPausedWorkerThatIsKilledLeavesAHeldJob() throws {
        let (id, worker) = try paused("a.m4v")
        kill(worker, SIGKILL)
        try rig.wait("the job's end") { try status(id) == "held" }
        let job = try show(id)
        #expect((job["error"] as? [String: Any])?["code"] as? String == "workerCrashed")
        #expect(rig.busyWorkers().isEmpty)
        #expect(try rig.leftovers().isEmpty)
        #expect(rig.trimctl("cancel", "--all").code == 0)
        #expect(try status(id) == "cancelled")
    }
}
