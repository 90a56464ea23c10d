// The queue cannot be written for a while: jobs end nevertheless, waiting clients are notified, and no restart is needed. The
// queue's files disappear: nothing is acknowledged that would be lost.
import Foundation
import Glibc
import Testing

@Suite(
    .timeLimit(.minutes(10)),
    .enabled("the library that strikes calls cannot be built") { FaultShim.library != nil })
struct QueueTroubleTests {
    /// Exports a film; when its worker has begun, from the `number`th sync of the queue on all of them fail.
    private func export(_ rig: Rig, _ shim: FaultShim, from number: Int) throws -> String {
        let film = try rig.longFilm(seconds: 4)
        let id = rig.trimctl(
            "export", film, "-o", rig.path("a.m4v"), "--preset", "m4v720", "--end", "2", "--detach"
        ).out.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("the worker") { rig.busyWorkers().count == 1 }
        let workers = rig.busyWorkers()
        for pid in workers { kill(pid, SIGSTOP) }
        // The database syncs by fdatasync, outputs are synced by fsync.
        try shim.arm(.failFrom, call: number, code: ENOSPC, only: "fdatasync")
        rig.thaw(workers)
        try rig.wait("a sync that fails") { try shim.struck != nil }
        return id
    }

    private func rig() throws -> (Rig, FaultShim) {
        let rig = try Rig(booted: false)
        let shim = try FaultShim(in: rig.folder)
        try rig.boot(workers: 1, environment: try shim.environment())
        return (rig, shim)
    }

    private func show(_ rig: Rig, _ id: String) throws -> [String: Any] {
        try rig.trimctl("show", id, "--json").json()
    }

    private func isNotRecorded(_ job: [String: Any]) -> Bool {
        (job["warnings"] as? [[String: Any]])?.contains { $0["code"] as? String == "notRecorded" } ?? false
    }

    /// The output has its name, and the row cannot say so.
    @Test func anEndThatCannotBeWrittenIsWrittenLater() throws {
        let (rig, shim) = try rig()
        let id = try export(rig, shim, from: 2)
        let pid = rig.pid
        // Clients that wait or cancel get the known state.
        let waited = rig.finish(rig.start(["wait", id]), within: 60)
        #expect(waited.code == 0 && !waited.isEndless, "\(waited.err)")
        #expect(waited.out.contains(rig.path("a.m4v")) && waited.out.contains("not in the queue yet"))
        let cancelled = rig.finish(rig.start(["cancel", id, "--json"]), within: 60)
        #expect(cancelled.code == 0 && !cancelled.isEndless)
        #expect(try cancelled.json()["status"] as? String == "completed")
        var job = try show(rig, id)
        #expect(job["status"] as? String == "completed" && isNotRecorded(job))
        #expect(try Rig.frameTimes(rig.path("a.m4v")).count == 50)
        #expect(!rig.trimctl("events", "--since", "1h", "--no-follow").out.contains("completed"))
        try shim.disarm()
        try rig.wait("the end to be written") {
            job = try show(rig, id)
            return !isNotRecorded(job)
        }
        #expect(job["status"] as? String == "completed")
        #expect(rig.trimctl("events", "--since", "1h", "--no-follow").out.contains("job \(id)  completed"))
        #expect(rig.isRunning && rig.pid == pid)
        #expect(try rig.leftovers().isEmpty)
        // The slot is free again.
        #expect(
            rig.trimctl(
                "export", rig.path("long.mp4"), "--preset", "m4v720", "-o", rig.path("b.m4v"), "--end", "1"
            ).code == 0)
    }

    /// The output is whole, and the row cannot say which name it is to have.
    @Test(arguments: [false, true]) func anOutputWaitsForItsName(_ cancels: Bool) throws {
        let (rig, shim) = try rig()
        let id = try export(rig, shim, from: 1)
        var job: [String: Any] = [:]
        try rig.wait("the job to say so") {
            job = try show(rig, id)
            return isNotRecorded(job)
        }
        #expect(job["status"] as? String == "exporting")
        #expect(!rig.exists("a.m4v"))
        if cancels {
            let cancelled = rig.finish(rig.start(["cancel", id, "--json"]), within: 60)
            #expect(try cancelled.json()["status"] as? String == "cancelled")
            #expect(try rig.leftovers().isEmpty)
        }
        try shim.disarm()
        let waited = rig.trimctl("wait", id, "--json")
        #expect(waited.code == (cancels ? 4 : 0), "\(waited.err)")
        try rig.wait("the end to be written") { try !isNotRecorded(show(rig, id)) }
        #expect(try show(rig, id)["status"] as? String == (cancels ? "cancelled" : "completed"))
        #expect(rig.exists("a.m4v") == !cancels)
        #expect(try rig.leftovers().isEmpty)
    }

    /// A chunk's start, or its end, cannot be written for a while: none is made twice for it, and the export goes on.
    @Test(arguments: 1...3) func aChunkThatCannotBeRecordedIsNotMadeAgain(from number: Int) throws {
        let rig = try Rig(booted: false)
        let shim = try FaultShim(in: rig.folder)
        try rig.boot(
            environment: try shim.environment(),
            settings: #"{"limits": {"retrySeconds": 0, "chunkSeconds": 2}}"#)
        try rig.ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=10", "-c:v", "libx264", "-preset",
            "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", rig.path("film.mp4"))
        let id = rig.trimctl(
            "export", rig.path("film.mp4"), "-o", rig.path("a.m4v"), "--preset", "m4v720", "--render",
            "encode", "--detach"
        ).out.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("a chunk to begin") { rig.trimctl("log", id).out.contains(" started: video") }
        let workers = try rig.freeze()
        try shim.arm(.failFrom, call: number, code: ENOSPC, only: "fdatasync")
        rig.thaw(workers)
        try rig.wait("a chunk that is not recorded") {
            rig.daemonLog.contains(#/chunk \d+ cannot be written down/#)
        }
        try shim.disarm()
        let waited = rig.finish(rig.start(["wait", id]), within: 120)
        #expect(waited.code == 0 && !waited.isEndless, "\(waited.err)")
        let job = try show(rig, id)
        let units = try #require(job["units"] as? [String: Int])
        #expect(units["kept"] == 0 && job["attempts"] as? Int == 1)
        let log = rig.trimctl("log", id).out
        #expect(log.matches(of: #/chunk \d+ started: /#).count == units["total"], "\(log)")
        #expect(try Rig.frameTimes(rig.path("a.m4v")).count == 250)
        #expect(try rig.leftovers().isEmpty)
    }

    /// trimd ends although the end of a job cannot be written: the next one decides by the files.
    @Test func aDaemonThatIsEndedDoesNotWaitForItsQueue() throws {
        let (rig, shim) = try rig()
        let id = try export(rig, shim, from: 2)
        try rig.wait("the end to be known") { try show(rig, id)["status"] as? String == "completed" }
        rig.end(SIGTERM)
        #expect(rig.daemonLog.contains("its end cannot be written down"))
        #expect(!rig.daemonLog.contains("the end takes too long"))
        try shim.disarm()
        try rig.boot(workers: 1)
        #expect(rig.trimctl("wait", id).code == 0)
        #expect(try Rig.frameTimes(rig.path("a.m4v")).count == 50)
        #expect(try show(rig, id)["attempts"] as? Int == 1)
    }

    @Test(arguments: ["queue.db", "queue.db-wal", ""]) func nothingIsAcknowledgedThatWouldBeLost(
        _ name: String
    ) throws {
        let rig = try Rig(workers: 1)
        let film = try rig.film()
        #expect(rig.trimctl("export", film, "--preset", "m4v720", "--detach").code == 0)
        let path = rig.path("state/\(name)")
        try FileManager.default.moveItem(atPath: path, toPath: rig.path("away"))
        let refused = rig.trimctl("export", film, "--preset", "m4v720", "--detach", "--json")
        #expect(refused.code == 5)
        let error = try refused.json()["error"] as? [String: Any]
        #expect(error?["code"] as? String == "queueUnavailable", "\(refused.out)")
        let doctor = rig.trimctl("doctor")
        #expect(doctor.code != 0)
        #expect(doctor.out.contains("was removed or replaced while trimd runs"), "\(doctor.out)")
        // Put back, it goes on.
        try FileManager.default.moveItem(atPath: rig.path("away"), toPath: path)
        #expect(rig.trimctl("export", film, "--preset", "m4v720").code == 0)
        #expect(rig.trimctl("doctor").code == 0)
    }

    @Test func jobsThatADamagedLogTookAreNamed() throws {
        let rig = try Rig(booted: false)
        try rig.boot(workers: 1)
        let film = try rig.film()
        #expect(rig.trimctl("drain").code == 0)
        for _ in 0..<3 { #expect(rig.trimctl("export", film, "--preset", "m4v720", "--detach").code == 0) }
        rig.end(SIGKILL)
        let log = rig.path("state/queue.db-wal")
        let file = try #require(FileHandle(forUpdatingAtPath: log))
        try file.write(contentsOf: Data(repeating: 0x5a, count: 32))
        try rig.boot(workers: 1)
        #expect(try rig.trimctl("status", "--json").json()["lostJobs"] as? [Int] == [1, 2, 3])
        #expect(rig.trimctl("status").out.contains("jobs 1, 2, 3"))
        #expect(rig.daemonLog.contains("THE QUEUE HAS LOST JOBS: 3 jobs from 1 to 3"))
        #expect(rig.trimctl("doctor").out.contains("3 jobs from 1 to 3"))
        #expect(
            rig.trimctl("export", film, "--preset", "m4v720", "--detach").out.trimmingCharacters(
                in: .whitespacesAndNewlines) == "4"
        )
        rig.end(SIGTERM)
        try rig.boot(workers: 1)
        #expect(try rig.trimctl("status", "--json").json()["lostJobs"] == nil)
    }

    /// Whether or not anybody asks for anything.
    @Test func aQueueThatIsRemovedIsInTheJournal() throws {
        let rig = try Rig(workers: 1)
        let (file, away) = (rig.path("state/queue.db"), rig.path("away.db"))
        try FileManager.default.moveItem(atPath: file, toPath: away)
        try rig.wait("the journal to say so") { rig.daemonLog.contains("\(file) was removed or replaced") }
        try FileManager.default.moveItem(atPath: away, toPath: file)
        try rig.wait("the journal to say that it is back") { rig.daemonLog.contains("are back") }
        #expect(rig.daemonLog.split(separator: "\n").count { $0.contains("was removed or replaced") } == 1)
    }
}
