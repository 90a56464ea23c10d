// The disk beneath the queue fails, or its files go: nothing that was acknowledged is lost, and what could not be written is said
// again until it can.
import FoundationEssentials
import Glibc
import Media
import Testing

@testable import JobQueue

@Suite struct TroubleTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch
    let store: JobStore

    init() throws {
        scratch = try Scratch()
        store = try scratch.store()
    }

    private func submit() throws -> Int64 { try store.submit(request(), source: source, user: 1).job.id }

    @Test(arguments: ["queue.db", "queue.db-wal"], ["removed", "replaced", "moved"])
    func aQueueWhoseFilesAreGoneRefusesJobs(_ name: String, _ how: String) throws {
        let id = try submit()
        try store.checkFiles()
        let path = scratch.path + "/" + name
        switch how {
        case "removed": try FileManager.default.removeItem(atPath: path)
        case "moved": try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        default:
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            unsafe #expect(rename(path + ".copy", path) == 0)
        }
        let error = #expect(throws: MediaError.self) { try submit() }
        #expect(error?.code == .queueUnavailable)
        #expect(error?.code.exitCode == 5)
        #expect(error?.message.contains("\(path) was removed or replaced") == true)
        #expect(#expect(throws: MediaError.self) { try store.checkFiles() }?.code == .queueUnavailable)
        // Known jobs can still be asked for.
        #expect(try store.job(id).state == .waiting)
        guard how == "moved" else { return }
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        #expect(try submit() == id + 1)
    }

    @Test func aFolderThatWasRemovedIsNoticed() throws {
        _ = try submit()
        try FileManager.default.removeItem(atPath: scratch.path)
        #expect(#expect(throws: MediaError.self) { try submit() }?.code == .queueUnavailable)
    }

    private var sizes: (database: Int, log: Int) {
        func size(_ path: String) -> Int {
            (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        return (size(scratch.file), size(scratch.file + "-wal"))
    }

    /// Each job is some ten pages of the log, whether or not there is ever a moment without a change.
    @Test func theLogIsBounded() async throws {
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { _ = try? submit() } }
            }
        }
        let busy = sizes
        #expect(busy.log <= 2 * max(busy.database, 8 << 20), "\(busy)")
        // Nothing comes any more.
        for _ in 0..<1000 where sizes.log > 512 << 10 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(sizes.log <= 512 << 10 && sizes.log <= 2 * sizes.database, "\(sizes)")
        for _ in 0..<10 { _ = try submit() }
        #expect(sizes.log > 0)
        try store.leave(store.owner)
        #expect(sizes.log == 0)
    }

    @Test func theSameEndTwiceIsOne() throws {
        let ends: [AttemptEnd] = [
            .completed, .failed(MediaError(.decodeFailed, "no")), .failed(MediaError(.diskFull, "full")),
            .cancelled,
            .interrupted,
        ]
        for end in ends {
            let id = try submit()
            let job = try #require(try store.claim(worker: worker))
            if end == .completed {
                try store.publish(
                    id, attempt: job.attempts, Publication(device: 1, inode: 2, name: "\(id).m4a"),
                    result: result())
            }
            let events = try store.lastEvent()
            let once = try store.end(id, attempt: job.attempts, end)
            #expect(try store.end(id, attempt: job.attempts, end) == once)
            #expect(try store.lastEvent() == events + 1)
            // The forecast equals the written file.
            var foreseen = try #require(try store.jobs(for: .all, limit: 1).first)
            foreseen.state = job.state
            let known = job.foreseen(end, policy: store.policy, now: .now)
            #expect(known.state == once.state && known.error == once.error)
            #expect((known.due == nil) == (once.due == nil) && (known.ended == nil) == (once.ended == nil))
            if !once.state.isFinal { _ = try store.cancel(id) }
        }
    }

    /// Nobody has the name: the end may say so although the queue was about to give it.
    @Test func aRunThatWasCancelledMayHaveBeenAboutToPublish() throws {
        let id = try submit()
        _ = try store.claim(worker: worker)
        try store.publish(id, attempt: 1, Publication(device: 1, inode: 2, name: "x.m4a"), result: result())
        #expect(try store.cancel(id).state == .publishing)
        #expect(try store.end(id, attempt: 1, .cancelled).state == .cancelled)
        #expect(throws: MediaError.self) { try store.end(id, attempt: 2, .cancelled) }
    }

    @Test func theHighestNumberIsKnown() throws {
        #expect(try store.lastJob() == 0)
        let id = try submit()
        _ = try store.cancel(id)
        _ = try store.remove(id)
        #expect(try store.lastJob() == id)
    }
}
