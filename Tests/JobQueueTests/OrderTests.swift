// The orders of users, and the order in which jobs are begun.
import Media
import Platform
import Testing

@testable import JobQueue

@Suite struct OrderTests {
    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch
    let store: JobStore

    init() throws {
        scratch = try Scratch()
        store = try scratch.store()
    }

    private func submit(user: UInt32 = 1, priority: Int = 50, key: String? = nil) throws -> Int64 {
        try store.submit(request(key: key), source: source, user: user, priority: priority).job.id
    }

    private func claimAll() throws -> [Int64] {
        var ids: [Int64] = []
        while let job = try store.claim(worker: worker) { ids.append(job.id) }
        return ids
    }

    private func refusal(_ body: () throws -> Job) -> ErrorCode? {
        #expect(throws: MediaError.self) { try body() }?.code
    }

    @Test func theHighestPriorityIsFirst() throws {
        let ids = try [10, 90, 50, 90].map { try submit(priority: $0) }
        #expect(try claimAll() == [ids[1], ids[3], ids[2], ids[0]])
    }

    @Test func usersTakeTurns() throws {
        let many = try (0..<4).map { _ in try submit(user: 1) }
        let few = try (0..<2).map { _ in try submit(user: 2) }
        let one = try submit(user: 3)
        #expect(try claimAll() == [many[0], few[0], one, many[1], few[1], many[2], many[3]])
    }

    @Test func turnsComeBeforePriority() throws {
        let urgent = try (0..<3).map { _ in try submit(user: 1, priority: 50) }
        let low = try [0, 10].map { try submit(user: 2, priority: $0) }
        let root = try (0..<2).map { _ in try submit(user: 0, priority: 100) }
        #expect(try claimAll() == [urgent[0], low[1], root[0], urgent[1], low[0], root[1], urgent[2]])
        // Who had no turn for longest is next, whatever the others say.
        _ = try submit(user: 2, priority: 50)
        let one = try submit(user: 3, priority: 0)
        #expect(try store.claim(worker: worker)?.id == one)
    }

    /// Of a mixture of users and priorities, each claim is of the user whose turn was longest ago, and of theirs the highest.
    @Test func everyClaimIsFairAndInOrder() throws {
        var random = SystemRandomNumberGenerator()
        var waiting: [UInt32: [(priority: Int, id: Int64)]] = [:]
        for _ in 0..<120 {
            let user = UInt32.random(in: 0..<5, using: &random)
            let priority = Int.random(in: 0...4, using: &random) * 25
            waiting[user, default: []].append((priority, try submit(user: user, priority: priority)))
        }
        var turns: [UInt32: Int] = [:]
        for turn in 1...120 {
            let job = try #require(try store.claim(worker: worker))
            let oldest = waiting.filter { !$0.value.isEmpty }.keys.map { turns[$0] ?? 0 }.min()
            #expect((turns[job.user] ?? 0) == oldest)
            let best = waiting[job.user]?.max { ($0.priority, -$0.id) < ($1.priority, -$1.id) }
            #expect(best?.id == job.id)
            waiting[job.user]?.removeAll { $0.id == job.id }
            turns[job.user] = turn
        }
    }

    @Test func aRetryMayBringItsRequestAnew() throws {
        let id = try submit()
        _ = try store.cancel(id)
        var request = try store.job(id).request
        request.output.place = "elsewhere"
        #expect(try store.retry(id, source: source, request: request).request == request)
        _ = try store.cancel(id)
        #expect(try store.retry(id, source: source).request == request)
    }

    @Test func holdingAndReleasing() throws {
        let ids = try (0..<2).map { _ in try submit() }
        #expect(try store.hold(ids[0]).state == .held)
        #expect(try store.hold(ids[0]).state == .held)
        #expect(try store.job(ids[0]).report().status == .held)
        #expect(try store.claim(worker: worker)?.id == ids[1])
        #expect(refusal { try store.hold(ids[1]) } == .jobStateNotValid)
        #expect(refusal { try store.release(ids[1]) } == .jobStateNotValid)
        #expect(try store.claim(worker: worker) == nil)
        #expect(try store.release(ids[0]).state == .waiting)
        #expect(try store.release(ids[0]).state == .waiting)
        #expect(try store.claim(worker: worker)?.id == ids[0])
        #expect(refusal { try store.hold(99) } == .jobNotFound)
    }

    @Test func tryingAgain() throws {
        let id = try submit()
        #expect(refusal { try store.retry(id, source: source) } == .jobStateNotValid)
        _ = try store.claim(worker: worker)
        _ = try store.fail(id, attempt: 1, MediaError(.decodeFailed, "broken"))
        let now = FileIdentity(device: 2, inode: 3, size: 4, modified: 5)
        let job = try store.retry(id, source: now)
        #expect(job.state == .waiting)
        #expect(job.source == now)
        #expect(job.error == nil && job.ended == nil)
        // An old attempt stays old.
        #expect(try store.claim(worker: worker)?.attempts == 2)
        #expect(throws: MediaError.self) { try store.complete(id, attempt: 1) }
        _ = try store.cancel(id)
        #expect(refusal { try store.retry(id, source: source, limit: 0) } == .limitReached)
        #expect(try store.retry(id, source: source).state == .waiting)
    }

    @Test func removing() throws {
        let id = try submit(key: "k")
        #expect(refusal { try store.remove(id) } == .jobStateNotValid)
        _ = try store.cancel(id)
        #expect(try store.remove(id).id == id)
        #expect(refusal { try store.remove(id) } == .jobNotFound)
        // The key is free; the number is not given again.
        #expect(try submit(key: "k") == id + 1)
        #expect(
            try store.events(for: .all, limit: 9).map(\.event) == [.waiting, .cancelled, .removed, .waiting])
    }

    @Test func drainingOutlivesTheStore() throws {
        #expect(try !store.isDraining())
        try store.setDraining(true)
        #expect(try scratch.store().isDraining())
        try store.setDraining(false)
        #expect(try !scratch.store().isDraining())
    }

    @Test func numbersCanBeSkipped() throws {
        try store.skipNumbers(jobs: 41, events: 9)
        #expect(try submit() == 42)
        try store.skipNumbers(jobs: 7, events: 3)
        #expect(try submit() == 43)
    }

    @Test func whatIsOldIsForgotten() throws {
        var policy = QueuePolicy()
        policy.history = 2
        policy.events = 1
        let store = try JobStore(file: scratch.file, owner: "test", policy: policy)
        let ids = try (0..<5).map { _ in try submit() }
        for id in ids.dropLast() { _ = try store.cancel(id) }
        #expect(try store.surplus() == [ids[1], ids[0]])
        try store.forget(ids)
        // The one that has not ended stays, whatever is said.
        #expect(try store.jobs(for: .all, limit: 9).map(\.id) == [ids[4]])
        #expect(try store.surplus() == [])
        #expect(try store.events(for: .all, limit: 9).count == 1)
        #expect(try store.lastEvent() == 9)
    }
}
