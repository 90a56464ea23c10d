// A queue that has lost jobs says so, and gives their numbers to nobody: the logs and the notes of temporary files know them.
import FoundationEssentials
import Glibc
import JobQueue
import Media
import Platform
import Testing

@testable import trimd

@Suite struct QueueLossTests {
    let scratch: Scratch
    private let quiet = Log(level: .error, isJournal: false)

    init() throws { scratch = try Scratch() }

    /// SQLite removes a log by its path when its last connection goes, whenever that is: a copy lies elsewhere.
    private var state: String { scratch.path + (scratch.exists("cut") ? "/cut" : "/state") }
    private var logs: JobLogs { JobLogs(folder: state + "/logs") }

    /// Opens the state as a daemon does, and hands over what it finds.
    private func open<Result>(_ body: (any JobQueue, QueueLoss) throws -> Result) throws -> Result {
        let folder = try StateFolder(state)
        let (store, loss) = try folder.openQueue(
            owner: "test", policy: QueuePolicy(), logs: logs, log: quiet)
        defer { _ = folder.path }
        return try body(store, loss)
    }

    private func submit(_ store: any JobQueue) throws -> Int64 {
        let target = OutputTarget(folder: "/films", name: nil, stem: "film-trim")
        let request = ExportRequest(input: "/films/film.mov", output: target, preset: try preset())
        let id = try store.submit(
            request, source: source, user: 1, priority: 50, limit: nil, name: nil
        ).job.id
        logs.write(id, "accepted")
        return id
    }

    /// A copy of the state as a power cut leaves it: with the log that was not taken in.
    private func cut(_ count: Int) throws {
        try open { store, _ throws in
            for _ in 0..<count { _ = try submit(store) }
            try FileManager.default.copyItem(atPath: state, toPath: scratch.path + "/copy")
        }
        try scratch.rename("copy", "cut")
        try? FileManager.default.removeItem(atPath: state + "/queue.db-shm")
    }

    /// The log's header, its first page, or all of it.
    @Test(arguments: [0..<32, 0..<4096, 16..<24])
    func aDamagedWriteAheadLogIsNoticed(_ range: Range<Int>) throws {
        try cut(5)
        let path = state + "/queue.db-wal"
        var bytes = try #require(FileManager.default.contents(atPath: path))
        try #require(bytes.count > range.upperBound)
        for offset in range { bytes[offset] ^= 0x5a }
        try bytes.write(to: URL(filePath: path))
        try open { store, loss throws in
            #expect(loss.jobs == [1, 2, 3, 4, 5])
            #expect(loss.words?.contains("5 jobs from 1 to 5") == true)
            #expect(try submit(store) == 6)
        }
        // It is said once, by the daemon that found it.
        try open { store, loss throws in
            #expect(loss == QueueLoss())
            #expect(try submit(store) == 7)
        }
    }

    @Test(arguments: ["queue.db-wal", "queue.db"]) func aFileThatIsGoneIsNoticed(_ name: String) throws {
        try cut(3)
        try FileManager.default.removeItem(atPath: state + "/" + name)
        if name == "queue.db" { try? FileManager.default.removeItem(atPath: state + "/queue.db-wal") }
        try open { store, loss throws in
            #expect(loss.jobs == [1, 2, 3])
            #expect(try submit(store) == 4)
        }
    }

    @Test func aWholeQueueHasLostNothing() throws {
        try cut(3)
        try open { store, loss throws in
            #expect(loss == QueueLoss())
            #expect(try store.jobs(for: .all, limit: 9, after: nil).count == 3)
        }
    }

    @Test func aNumberOutlivesItsLog() throws {
        try cut(3)
        logs.remove([1, 2, 3])
        #expect(logs.jobs.isEmpty && logs.lastJob == 3)
        for name in ["queue.db", "queue.db-wal"] {
            try FileManager.default.removeItem(atPath: state + "/" + name)
        }
        try open { store, loss throws in
            #expect(loss.jobs.isEmpty)
            #expect(try submit(store) == 4)
        }
        logs.remove([4])
        #expect(Kernel.names(in: logs.folder).filter { !$0.hasPrefix(".") } == ["4.last"])
    }

    @Test func theNumberOfATemporaryFileIsNobodyElses() throws {
        try open { _, _ in }
        try UnfinishedFiles(folder: state + "/unfinished").add(
            OutputTarget(folder: scratch.path, name: "a.m4a", stem: "a"), job: 8, attempt: 2)
        try open { store, _ throws in #expect(try submit(store) == 9) }
    }
}
