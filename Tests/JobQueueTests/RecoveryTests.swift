// Opening the file again after something went wrong: a daemon that died, a file that is damaged, too new, or
// not ours.
import FoundationEssentials
import Glibc
import Media
import Platform
import Testing

@testable import JobQueue

@Suite struct RecoveryTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func begunJobsAreFoundAndWaitAgain() throws {
        var store = try scratch.store()
        let ids = try (0..<3).map { _ in try store.submit(request(), source: source, user: 1).job.id }
        _ = try store.claim(worker: worker)
        _ = try store.claim(worker: worker)
        try store.publish(
            ids[1], attempt: 1, Publication(device: 1, inode: 2, name: "x.m4a"), result: result())
        #expect(try store.attempts().map(\.id) == [ids[0], ids[1]])
        store = try scratch.store(of: "next")
        let begun = try store.takeOver()
        #expect(begun.map(\.id) == [ids[0], ids[1]])
        #expect(begun.map(\.state) == [.running, .publishing])
        #expect(begun[1].publication?.name == "x.m4a")
        #expect(begun[1].result == result())
        #expect(try store.interrupt(ids[0], attempt: 1, counted: true).state == .waiting)
        #expect(try store.complete(ids[1], attempt: 1).state == .completed)
        #expect(try store.claim(worker: worker)?.attempts == 2)
    }

    @Test func aJobThatAlwaysEndsWithItsDaemonIsGivenUp() throws {
        let store = try scratch.store()
        let id = try store.submit(request(), source: source, user: 1).job.id
        for attempt in 1...2 {
            _ = try store.claim(worker: worker)
            #expect(try store.interrupt(id, attempt: attempt, counted: true).state == .waiting)
        }
        for attempt in 3...9 {
            _ = try store.claim(worker: worker)
            #expect(try store.interrupt(id, attempt: attempt, counted: false).state == .waiting)
        }
        _ = try store.claim(worker: worker)
        let job = try store.interrupt(id, attempt: 10, counted: true)
        #expect(job.state == .failed)
        #expect(job.error?.code == .operationInterrupted)
    }

    @Test func aNewerFileIsRefused() throws {
        _ = try scratch.store()
        try scratch.withDatabase { try $0.execute("PRAGMA user_version = 99") }
        let error = #expect(throws: MediaError.self) { try scratch.store() }
        #expect(error?.code == .operationNotSupported)
        #expect(error?.message.contains("newer trimd (version 99") == true)
        #expect(error?.message.contains(scratch.file) == true)
    }

    @Test func anOlderFileIsBroughtUp() throws {
        let id = try scratch.store().submit(request(), source: source, user: 1).job.id
        let steps = Schema.steps + ["ALTER TABLE jobs ADD COLUMN later INTEGER NOT NULL DEFAULT 50;"]
        try scratch.withDatabase { database in
            try database.migrate(steps: steps)
            #expect(try database.integer("PRAGMA user_version") == Int64(steps.count))
            #expect(try database.integer("SELECT later FROM jobs WHERE id = ?", [.integer(id)]) == 50)
        }
    }

    @Test func aStepThatFailsLeavesTheVersionBefore() throws {
        let steps = Schema.steps + ["CREATE TABLE half (x); CREATE TABLE jobs (x);"]
        try scratch.withDatabase { database in
            try database.migrate()
            #expect(throws: DatabaseError.self) { try database.migrate(steps: steps) }
            #expect(try database.integer("PRAGMA user_version") == Int64(Schema.current))
            #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == 0)
        }
    }

    @Test(arguments: [
        "not a database at all, but long enough to be looked at as one by SQLite", "overwritten",
    ])
    func aDamagedFileIsNamed(_ content: String) throws {
        do {
            let store = try scratch.store()
            for _ in 0..<50 { _ = try store.submit(request(), source: source, user: 1) }
        }
        // The last of the store's connections takes the log with it.
        for _ in 0..<500 where FileManager.default.fileExists(atPath: scratch.file + "-wal") {
            usleep(10_000)
        }
        var bytes = try #require(FileManager.default.contents(atPath: scratch.file))
        if content == "overwritten" {
            for offset in 4096..<min(bytes.count, 16384) { bytes[offset] = UInt8(offset & 0xff) ^ 0x5a }
        } else {
            bytes = Data(content.utf8)
        }
        try bytes.write(to: URL(filePath: scratch.file))
        let error = #expect(throws: MediaError.self) { try scratch.store() }
        #expect(error?.code == .queueDamaged)
        #expect(error?.message.contains(scratch.file) == true)
    }

    @Test func aFolderThatIsNotThereIsNamed() throws {
        let error = #expect(throws: MediaError.self) {
            try JobStore(file: "/nowhere/queue.db", owner: "test")
        }
        #expect(error?.code == .notWritable)
        #expect(error?.message.contains("/nowhere/queue.db") == true)
    }

    @Test func nobodyElseCanReadIt() throws {
        _ = try scratch.store().submit(request(), source: source, user: 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func commitsAreSynced() throws {
        try scratch.withDatabase { (database) throws in
            #expect(try database.text("PRAGMA journal_mode") == "wal")
            #expect(try database.integer("PRAGMA synchronous") == 2)
            #expect(try database.integer("PRAGMA foreign_keys") == 1)
        }
    }

    /// A device may have another number after the machine began anew; its files are the same.
    @Test func aDeviceIsKnownForOneLifeOfTheMachine() throws {
        let then = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, boot: "a")
        var now = then
        now.device = 9
        #expect(!now.isSameFile(as: then) && !now.isUnchanged(since: then))
        now.boot = "b"
        #expect(now.isSameFile(as: then) && now.isUnchanged(since: then))
        now.modified = 5
        #expect(now.isSameFile(as: then) && !now.isUnchanged(since: then))
        now.inode = 7
        #expect(!now.isSameFile(as: then))
        let publication = Publication(device: 1, inode: 2, name: "x", boot: "a")
        #expect(publication.isOf(then))
        #expect(!publication.isOf(FileIdentity(device: 9, inode: 2, size: 3, modified: 4, boot: "a")))
        #expect(publication.isOf(FileIdentity(device: 9, inode: 2, size: 3, modified: 4, boot: "b")))
        let scratch = try Scratch()
        let id = try scratch.store().submit(request(), source: then, user: 1).job.id
        #expect(try scratch.store().job(id).source.boot == "a")
    }

    /// A share has a device number of its own at each mount, so that another node of the machine finds what one has recorded.
    @Test func aPublicationOnAShareIsKnownAtAnotherMount() throws {
        let scratch = try Scratch()
        let store = try scratch.store()
        for digest in ["d", nil] {
            let source = FileIdentity(
                device: 1, inode: 2, size: 3, modified: 4, boot: worker.boot, digest: digest)
            let id = try store.submit(request(), source: source, user: 1).job.id
            let attempt = try #require(try store.claim(worker: worker)).attempts
            try store.publish(
                id, attempt: attempt, Publication(device: 1, inode: 5, name: "x\(id).m4a"), result: result())
            let made = FileIdentity(device: 9, inode: 5, size: 3, modified: 4, boot: worker.boot)
            #expect(try store.job(id).publication?.isOf(made) == (digest != nil))
            _ = try store.complete(id, attempt: attempt)
        }
    }
}
