// The queue over a daemon's life and death, from outside: draining, events that go on over a restart, a queue file that is
// damaged when a daemon starts.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct QueueLifeTests {
    private func submit(_ rig: Rig, _ film: String, _ output: String) -> String {
        rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path(output), "--end", "1", "--detach")
            .out
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func status(_ rig: Rig, _ id: String) throws -> String {
        try rig.trimctl("show", id, "--json").json()["status"] as? String ?? "none"
    }

    @Test func noFolderIsCreatedForASocketThatWasNamed() throws {
        let rig = try Rig(booted: false)
        let trimd = Rig.programs.appending(path: "trimd").path
        let socket = rig.path("missing/deep/s")
        let ended = try rig.run(trimd, ["--socket", socket, "--state", rig.path("state")])
        #expect(ended.code == 1, "\(ended.err)")
        #expect(
            ended.err.contains("the folder of the socket does not exist: \(rig.path("missing/deep"))")
                && ended.err.contains("give another --socket"), "\(ended.err)")
        #expect(!rig.exists("missing"))
    }

    @Test func drainingWaitsForWhatRunsAndHoldsOverARestart() throws {
        let rig = try Rig(workers: 1)
        let long = try rig.longFilm(seconds: 3)
        let film = try rig.film()
        let running = rig.trimctl(
            "export", long, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--end", "2", "--detach"
        ).out
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let workers = try rig.freeze()
        let waiting = submit(rig, film, "b.m4v")
        let draining = rig.start(["drain"])
        try rig.wait("the drain") { rig.trimctl("status").out.contains("drain") }
        rig.thaw(workers)
        let drained = rig.finish(draining)
        #expect(drained.code == 0)
        #expect(drained.out.contains("1 waiting"), "\(drained.out)\(drained.err)")
        #expect(try status(rig, running) == "completed")
        #expect(try status(rig, waiting) == "waiting")
        // A job submitted now waits too, and all of them over a restart.
        let later = submit(rig, film, "c.m4v")
        rig.end(SIGTERM)
        try rig.boot(workers: 1)
        usleep(300_000)
        #expect(rig.busyWorkers().isEmpty)
        #expect(try status(rig, waiting) == "waiting" && status(rig, later) == "waiting")
        #expect(rig.trimctl("status").out.contains("drain"))
        #expect(rig.trimctl("drain", "--off").code == 0)
        #expect(rig.trimctl("wait", waiting, later).code == 0)
        #expect(rig.exists("b.m4v") && rig.exists("c.m4v"))
    }

    @Test func waitingClientsAreNotifiedThatTheDaemonDrains() throws {
        let rig = try Rig(workers: 1)
        let film = try rig.film()
        #expect(rig.trimctl("drain").code == 0)
        let waiting = rig.start(["export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--end", "1"])
        try rig.wait("the word") { rig.said(waiting, "err").contains("trimd is draining") }
        #expect(rig.trimctl("show", "1").out.contains("trimd is draining"))
        #expect(try rig.trimctl("show", "1", "--json").json()["draining"] as? Bool == true)
        let doctor = rig.trimctl("doctor")
        #expect(doctor.code == 1 && doctor.out.contains("✗ queue"), "\(doctor.out)")
        let detached = rig.trimctl(
            "export", film, "--preset", "m4v720", "-o", rig.path("b.m4v"), "--end", "1", "--detach")
        #expect(detached.code == 0 && detached.err.contains("trimd is draining"))
        #expect(rig.trimctl("drain", "--off").code == 0)
        #expect(rig.finish(waiting).code == 0)
        #expect(rig.trimctl("wait", "2").code == 0)
        #expect(rig.trimctl("doctor").out.contains("✓ queue"))
        // Clients that wait already are notified when it begins.
        let long = try rig.longFilm()
        #expect(
            rig.trimctl("export", long, "--preset", "m4v720", "-o", rig.path("c.m4v"), "--detach").code == 0)
        try rig.wait("the worker") { rig.busyWorkers().count == 1 }
        let second = rig.start(["export", film, "--preset", "m4v720", "-o", rig.path("d.m4v"), "--end", "1"])
        try rig.wait("the client") { rig.said(second, "err").contains("waiting") }
        let drain = rig.start(["drain"])
        try rig.wait("the word") { rig.said(second, "err").contains("trimd is draining") }
        #expect(rig.trimctl("cancel", "3", "4").code == 0)
        #expect(rig.finish(drain).code == 0 && rig.finish(second).code == 4)
    }

    @Test func drainingEndsTheDaemonOnceNothingRuns() throws {
        let rig = try Rig(workers: 1)
        let long = try rig.longFilm(seconds: 3)
        let running = rig.trimctl("export", long, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--detach")
            .out
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let workers = try rig.freeze()
        let waiting = submit(rig, long, "b.m4v")
        let draining = rig.start(["drain", "--exit", "--json"])
        try rig.wait("the drain") { rig.trimctl("status").out.contains("drain") }
        rig.thaw(workers)
        let drained = rig.finish(draining)
        #expect(drained.code == 0, "\(drained.err)")
        #expect(try drained.json()["exiting"] as? Bool == true)
        #expect(rig.exists("a.m4v"))
        #expect(try rig.awaitDeath() == 0)
        try rig.boot(workers: 1)
        #expect(try status(rig, running) == "completed" && status(rig, waiting) == "waiting")
        #expect(rig.trimctl("drain", "--off", "--exit").code == 2)
        #expect(rig.trimctl("drain", "--off").code == 0)
        #expect(rig.trimctl("wait", waiting).code == 0)
    }

    @Test func eventsGoOnOverADaemonsDeath() throws {
        let rig = try Rig(workers: 1)
        let film = try rig.film()
        let follower = rig.start(["events", "--since", "1h"])
        #expect(rig.trimctl("wait", submit(rig, film, "a.m4v")).code == 0)
        try rig.wait("the first job's end") { rig.said(follower, "out").contains("completed") }
        rig.end(SIGKILL)
        // While nobody listens to the follower, a second daemon has come and gone.
        kill(follower.processIdentifier, SIGSTOP)
        try rig.boot(workers: 1)
        #expect(rig.trimctl("wait", submit(rig, film, "b.m4v")).code == 0)
        rig.end(SIGTERM)
        try rig.boot(workers: 1)
        kill(follower.processIdentifier, SIGCONT)
        #expect(rig.trimctl("wait", submit(rig, film, "c.m4v")).code == 0)
        try rig.wait("the third job's end") { rig.said(follower, "out").contains("job 3  completed") }
        kill(follower.processIdentifier, SIGTERM)
        let lines = rig.finish(follower).out.split(separator: "\n").map {
            $0.split(separator: " ").dropFirst().joined(separator: " ")
        }
        #expect(
            lines == (1...3).flatMap { ["job \($0) waiting", "job \($0) exporting", "job \($0) completed"] })
    }

    @Test func aDamagedQueueIsMovedAsideAndNothingOfItsJobsIsLeft() throws {
        let rig = try Rig(workers: 1)
        let film = try rig.longFilm(seconds: 20)
        let first = rig.trimctl("export", film, "--preset", "m4v720", "-o", rig.path("a.m4v"), "--detach").out
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("an unfinished file") { try !rig.leftovers().isEmpty }
        rig.end(SIGKILL)
        try rig.wait("the worker's end") { rig.busyWorkers().isEmpty }
        #expect(try !rig.leftovers().isEmpty)
        for ending in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: rig.path("state/queue.db\(ending)"))
        }
        try Data(repeating: 0x5a, count: 65_536).write(to: URL(filePath: rig.path("state/queue.db")))
        try #require(try rig.boot(workers: 1))
        #expect(rig.daemonLog.contains("THE QUEUE IS DAMAGED"))
        #expect(try rig.leftovers().isEmpty)
        let kept = try FileManager.default.contentsOfDirectory(atPath: rig.path("state"))
        #expect(kept.contains { $0.hasPrefix("queue.db.damaged-") })
        let aside = try rig.trimctl("status", "--json").json()["damagedQueue"] as? String
        #expect(aside?.contains("queue.db.damaged-") == true)
        #expect(rig.trimctl("show", first).code == 1)
        // The number of a job that is lost is nobody else's.
        let second = submit(rig, film, "b.m4v")
        #expect(Int(second) == Int(first).map { $0 + 1 })
        #expect(rig.trimctl("wait", second).code == 0)
        let event = rig.trimctl("events", "--since", "1h", "--no-follow", "--json").out
        #expect(event.contains(#""event":"completed""#) && !event.contains(#""id":1,"#))
    }
}
