// A daemon and the jobs of one that died: it decides by the files that are there.
import JobQueue
import Media
import MediaTime
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct RestartTests {
    let scratch: Scratch
    let store: JobStore
    let id: Int64

    init() throws {
        scratch = try Scratch()
        store = try JobStore(file: scratch.path + "/.queue.db", owner: "test")
        let target = OutputTarget(folder: scratch.path, name: "out.m4a", stem: "out")
        let request = ExportRequest(input: "/film.mov", output: target, preset: try preset())
        id = try store.submit(request, source: source, user: 1).job.id
        // A process that is long gone.
        _ = try store.claim(worker: ProcessIdentity(pid: 1, start: 1, boot: "another"))
    }

    private func recover() throws -> Job {
        let logs = JobLogs(folder: try scratch.folder(".logs"))
        let log = Log(level: .error, isJournal: false)
        let next = try JobStore(file: scratch.path + "/.queue.db", owner: "next")
        #expect(try Recovery(store: next, logs: logs, log: log, mode: 0o644).run() == 1)
        #expect(!scratch.exists(".out.m4a.trimd-\(id)-1.part"))
        return try store.job(id)
    }

    /// A temporary file as an attempt leaves it, and the row that says it is about to be published.
    private func publishing() throws -> Publication {
        let target = try store.job(id).request.output
        let file = try OutputFile(target, job: id, attempt: 1, source: source)
        Kernel.write("new", to: file.descriptor.rawValue)
        let publication = Publication(
            device: file.identity.device, inode: file.identity.inode, name: "out.m4a")
        try store.publish(id, attempt: 1, publication, result: result())
        return publication
    }

    @Test func aRunningJobWaitsAgain() throws {
        try scratch.file(".out.m4a.trimd-\(id)-1.part")
        let job = try recover()
        #expect(job.state == .waiting)
        #expect(job.interruptions == 1)
    }

    @Test func anOutputThatHasItsNameIsCompleted() throws {
        _ = try publishing()
        try scratch.rename(".out.m4a.trimd-\(id)-1.part", "out.m4a")
        #expect(try recover().state == .completed)
        #expect(scratch.text("out.m4a") == "new")
    }

    @Test func anOutputThatHasBothNamesKeepsOne() throws {
        _ = try publishing()
        try scratch.link(".out.m4a.trimd-\(id)-1.part", "out.m4a")
        #expect(try recover().state == .completed)
        #expect(scratch.text("out.m4a") == "new")
    }

    @Test func anOutputThatIsStillTemporaryGetsItsName() throws {
        _ = try publishing()
        #expect(try recover().state == .completed)
        #expect(scratch.text("out.m4a") == "new")
    }

    @Test func anOutputThatIsLostIsMadeAgain() throws {
        _ = try publishing()
        try scratch.remove(".out.m4a.trimd-\(id)-1.part")
        #expect(try recover().state == .waiting)
    }

    @Test func aFileOfTheSameNameIsNotOurs() throws {
        _ = try publishing()
        try scratch.file("out.m4a", "another's")
        let job = try recover()
        #expect(job.state == .failed)
        #expect(job.error?.code == .fileAlreadyExists)
        #expect(scratch.text("out.m4a") == "another's")
    }
}
