// Processes are cancelled and killed: other jobs go on, nothing is lost, nothing half is left.
import Foundation
import Glibc
import Testing

@Suite struct FaultTests {
    private func submit(_ rig: Rig, _ film: String, _ output: String) throws -> String {
        let done = rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path(output), "--detach")
        #expect(done.code == 0, "\(done.err)")
        return done.out.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func status(_ rig: Rig, _ id: String) throws -> String {
        try rig.trimctl("show", id, "--json").json()["status"] as? String ?? "none"
    }

    @Test func twoAtOnceAndOneIsCancelled() throws {
        let rig = try Rig(workers: 2)
        let film = try rig.longFilm()
        let short = try rig.film()
        let first = try submit(rig, film, "a.m4v")
        let second = try submit(rig, film, "b.m4v")
        let third = try submit(rig, short, "c.m4v")
        // Chunks of the first job.
        try rig.wait("two workers") { rig.busyWorkers().count == 2 }
        #expect(try status(rig, third) == "waiting")
        let began = ContinuousClock.now
        #expect(rig.trimctl("cancel", first).code == 0)
        // Nobody waits for its end, which takes much longer.
        #expect(ContinuousClock.now - began < .seconds(15))
        #expect(try status(rig, first) == "cancelled")
        #expect(rig.trimctl("wait", first).code == 4)
        #expect(!rig.exists("a.m4v"))
        // The processors are free for the jobs that waited, in their order.
        try rig.wait("the second job") { try status(rig, second) == "exporting" }
        #expect(rig.trimctl("cancel", second).code == 0)
        #expect(rig.trimctl("wait", third).code == 0)
        #expect(try rig.leftovers().isEmpty)
    }

    @Test func interruptCancels() throws {
        let rig = try Rig()
        let film = try rig.longFilm()
        let process = rig.start(["export", film, "--preset", "m4v720", "-o", rig.path("a.m4v")])
        try rig.wait("a worker") { rig.busyWorkers().count == 1 }
        // As Ctrl-C does; a shell that runs tests in the background makes its children ignore SIGINT itself.
        kill(process.processIdentifier, SIGTERM)
        #expect(rig.finish(process).code == 4)
        #expect(rig.busyWorkers().isEmpty)
        #expect(try rig.leftovers().isEmpty)
        #expect(!rig.exists("a.m4v"))
    }

    @Test func aWorkerThatDiesFailsItsJobAlone() throws {
        let rig = try Rig(workers: 1)
        let film = try rig.longFilm()
        let short = try rig.film()
        let first = try submit(rig, film, "a.m4v")
        let second = try submit(rig, short, "b.m4v")
        // Once is an accident; the third time it is the job, or the chunk.
        var killed: Set<Int32> = []
        try rig.wait("the job's end") {
            if let pid = rig.worker(exporting: "a.m4v"), killed.insert(pid).inserted { kill(pid, SIGKILL) }
            let status = try rig.trimctl("show", first, "--json").json()["status"] as? String
            return status == "failed" || status == "completed"
        }
        #expect(killed.count >= 3)
        let ended = rig.trimctl("wait", first, "--json")
        #expect(ended.code == 1)
        #expect(ended.out.contains("workerCrashed"))
        #expect(rig.trimctl("wait", second).code == 0)
        #expect(!rig.exists("a.m4v"))
        #expect(try rig.leftovers().isEmpty)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func aRestartLosesNothing(_ signal: Int32) throws {
        let rig = try Rig(workers: 1)
        let film = try rig.longFilm()
        let short = try rig.film()
        let first = rig.trimctl(
            "export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--end", "4", "--detach"
        ).out.trimmingCharacters(in: .whitespacesAndNewlines)
        let second = try submit(rig, short, "b.m4v")
        let waiter = rig.start(["wait", first])
        try rig.wait("a worker, and the waiter's first word") {
            rig.busyWorkers().count == 1 && rig.said(waiter, "err").contains("%")
        }
        rig.end(signal)
        try rig.wait("the worker's end") { rig.busyWorkers().isEmpty }
        #expect(!rig.exists("a.m4v"))
        try rig.boot(workers: 1)
        #expect(rig.finish(waiter).code == 0)
        #expect(rig.trimctl("wait", first, second).code == 0)
        #expect(try Rig.frameTimes(rig.path("a.m4v")).count == 100)
        #expect(try Rig.frameTimes(rig.path("b.m4v")).count == 100)
        #expect(try rig.leftovers().isEmpty)
    }
}
