// The life of jobs in the store, one after the other and from several queues at once.
import Dispatch
import Media
import MediaTime
import Platform
import Synchronization
import Testing

@testable import JobQueue

@Suite struct JobStoreTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func whatWasAcceptedSurvives() throws {
        let accepted = try scratch.store().submit(request(), source: source, user: 1000)
        #expect(accepted.isNew)
        let again = try scratch.store().job(accepted.job.id)
        #expect(again == accepted.job)
        #expect(again.state == .waiting)
        #expect(again.request == (try request()))
        #expect(again.source == source)
    }

    @Test func aWholeLife() throws {
        let store = try scratch.store()
        let id = try store.submit(request(), source: source, user: 1000).job.id
        #expect(try store.availability().isReady)
        let running = try #require(try store.claim(worker: worker))
        #expect(running.id == id)
        #expect(running.attempts == 1)
        #expect(running.worker == worker)
        #expect(try store.claim(worker: worker) == nil)
        let publication = Publication(device: 1, inode: .max, name: "film-trim-2.m4a", boot: worker.boot)
        try store.publish(
            id, attempt: 1, Publication(device: 1, inode: 5, name: "film-trim.m4a"), result: result())
        try store.publish(id, attempt: 1, publication, result: result())
        let done = try store.complete(id, attempt: 1)
        #expect(done.state == .completed)
        #expect(done.publication == publication)
        #expect(done.result == result())
        let report = done.report()
        #expect(report.output == "/films/film-trim-2.m4a")
        #expect(report.progress == 1)
        #expect(report.bytes == 4711)
        #expect(report.ended != nil)
    }

    @Test func theLongestWaitingIsNext() throws {
        let store = try scratch.store()
        let ids = try (0..<3).map { _ in try store.submit(request(), source: source, user: 1).job.id }
        #expect(try store.waitingCount() == 3)
        #expect(try ids.map { _ in try store.claim(worker: worker)?.id } == ids)
        #expect(try store.waitingCount() == 0)
    }

    @Test func anOldAttemptChangesNothing() throws {
        let store = try scratch.store()
        let id = try store.submit(request(), source: source, user: 1).job.id
        _ = try store.claim(worker: worker)
        _ = try store.interrupt(id, attempt: 1, counted: false)
        _ = try store.claim(worker: worker)
        #expect(throws: MediaError.self) { try store.fail(id, attempt: 1, MediaError(.unknown, "late")) }
        #expect(throws: MediaError.self) { try store.complete(id, attempt: 2) }
        #expect(try store.job(id).state == .running)
    }

    @Test func cancelling() throws {
        let store = try scratch.store()
        let id = try store.submit(request(), source: source, user: 1).job.id
        #expect(try store.cancel(id).error?.code == .operationCancelled)
        #expect(try store.cancel(id).state == .cancelled)
        #expect(try !store.availability().isReady)
        #expect(#expect(throws: MediaError.self) { try store.cancel(99) }?.code == .jobNotFound)
    }

    @Test func aKeyIsOneJobOfOneUser() throws {
        let store = try scratch.store()
        let first = try store.submit(request(key: "k"), source: source, user: 1)
        let second = try store.submit(request(key: "k"), source: source, user: 1)
        #expect(!second.isNew)
        #expect(second.job == first.job)
        #expect(try store.submit(request(key: "k"), source: source, user: 2).isNew)
        #expect(try store.submit(request(), source: source, user: 1).isNew)
        #expect(try store.submit(request(), source: source, user: 1).isNew)
    }

    @Test func aUserMayHaveOnlySoMany() throws {
        let store = try scratch.store()
        let id = try store.submit(request(key: "k"), source: source, user: 1, limit: 1).job.id
        let error = #expect(throws: MediaError.self) {
            try store.submit(request(), source: source, user: 1, limit: 1)
        }
        #expect(error?.code == .limitReached)
        #expect(try !store.submit(request(key: "k"), source: source, user: 1, limit: 1).isNew)
        #expect(try store.submit(request(), source: source, user: 2, limit: 1).isNew)
        _ = try store.cancel(id)
        #expect(try store.submit(request(), source: source, user: 1, limit: 1).isNew)
    }

    @Test func pagesFromTheNewest() throws {
        let store = try scratch.store()
        let ids = try (0..<7).map { try store.submit(request(), source: source, user: $0 % 2).job.id }
        #expect(try store.jobs(for: .all, limit: 3).map(\.id) == ids.suffix(3).reversed())
        #expect(try store.jobs(for: .all, limit: 100, after: ids[2]).map(\.id) == [ids[1], ids[0]])
        #expect(try store.jobs(for: .user(1), limit: 100).map(\.id) == [ids[5], ids[3], ids[1]])
        #expect(try store.jobs(for: .user(3), limit: 100).isEmpty)
        #expect(try store.jobs(for: .all, limit: 0).isEmpty)
    }

    @Test func othersDoNotSeeIt() throws {
        let store = try scratch.store()
        let id = try store.submit(request(), source: source, user: 1).job.id
        #expect(try store.job(id, for: .user(1)).id == id)
        #expect(#expect(throws: MediaError.self) { try store.job(id, for: .user(2)) }?.code == .jobNotFound)
        #expect(try store.counts(for: .user(2)).isEmpty)
    }

    @Test func counting() throws {
        let store = try scratch.store()
        for _ in 0..<3 { _ = try store.submit(request(), source: source, user: 1) }
        _ = try store.claim(worker: worker)
        #expect(try store.counts() == [.waiting: 2, .exporting: 1])
    }

    @Test func manyAtOnce() throws {
        let store = try scratch.store()
        let ids = Mutex<[Int64]>([])
        let group = DispatchGroup()
        for user in UInt32(0)..<4 {
            let queue = DispatchQueue(label: "test.submit.\(user)")
            queue.async(group: group) {
                for _ in 0..<25 {
                    guard let id = try? store.submit(request(), source: source, user: user).job.id else {
                        return
                    }
                    ids.withLock { $0.append(id) }
                }
            }
        }
        group.wait()
        #expect(Set(ids.withLock { $0 }).count == 100)
        #expect(try store.counts() == [.waiting: 100])
    }
}
