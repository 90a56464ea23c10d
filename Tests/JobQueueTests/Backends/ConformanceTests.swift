// The promises of any back end of JobQueue: the tests ask a queue through the protocol alone. A back end is one line in `Backend.all`.
import Dispatch
import JobQueue
import Media
import MediaTime
import Platform
import Synchronization
import Testing

/// A back end, and how a queue of it is opened over a folder, which may hold one from before.
struct Backend: Sendable, CustomTestStringConvertible {
    let name: String
    let open:
        @Sendable (_ folder: String, _ owner: String, _ clock: @escaping @Sendable () -> Moment) throws ->
            any JobQueue

    var testDescription: String { name }

    /// All that there are; PostgreSQL where it is installed.
    static let all = always + (PostgresServer.shared == nil ? [] : [postgres])

    private static let postgres = Backend(name: "PostgreSQL") { folder, owner, clock in
        try PostgresScratch(folder).store(of: owner, clock: clock)
    }

    private static let always = [
        Backend(name: "SQLite") { folder, owner, clock in
            try JobStore(file: folder + "/queue.db", owner: owner, clock: clock)
        },
        Backend(name: "memory") { folder, owner, clock in
            MemoryQueue.open(folder, owner: owner, clock: clock)
        },
    ]
}

@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    /// Held by the suite, so that it stays as long as the test.
    private let scratch: Scratch
    let time = SetClock()

    /// A clock that a test sets.
    final class SetClock: Sendable {
        private let milliseconds = Mutex<Int64>(1_000_000)
        var now: Moment { Moment(milliseconds: milliseconds.withLock(\.self)) }
        func pass(_ more: Int64) { milliseconds.withLock { $0 += more } }
    }

    init() throws { scratch = try Scratch() }

    /// A queue of an owner; another owner is another run of the daemon.
    func open(_ backend: Backend, of owner: String = "first") throws -> any JobQueue {
        try backend.open(scratch.path, owner) { [time] in time.now }
    }

    func submit(
        _ queue: any JobQueue, of user: UInt32 = 1, key: String? = nil, priority: Int = 50,
        limit: Int? = nil
    ) throws -> JobSubmission {
        try queue.submit(
            request(key: key), source: source, user: user, priority: priority, limit: limit, name: nil)
    }

    @Test(arguments: Backend.all) func whatWasAcceptedIsThereAfterwards(_ backend: Backend) throws {
        var queue = try open(backend)
        let job = try submit(queue, key: "a").job
        _ = try queue.hold(try submit(queue).job.id)
        try queue.setDraining(true)
        #expect(try !queue.isRefusing())
        try queue.setRefusing(true)
        queue = try open(backend)
        #expect(try queue.job(job.id) == job)
        #expect(try queue.jobs(for: .all, limit: 9, after: nil).map(\.state) == [.held, .waiting])
        #expect(try queue.job(key: "a", of: 1)?.id == job.id)
        #expect(try queue.isDraining() && queue.isRefusing())
        #expect(try queue.lastJob() == job.id + 1)
    }

    @Test(arguments: Backend.all) func aKeyIsOneJobAndALimitHolds(_ backend: Backend) throws {
        let queue = try open(backend)
        let first = try submit(queue, key: "a", limit: 1)
        let again = try submit(queue, key: "a", limit: 1)
        #expect(first.isNew && !again.isNew && first.job == again.job)
        #expect(try submit(queue, of: 2, key: "a").isNew)
        #expect(#expect(throws: MediaError.self) { try submit(queue, limit: 1) }?.code == .limitReached)
    }

    @Test(arguments: Backend.all) func usersTakeTurnsAndPriorityOrdersTheirOwn(_ backend: Backend) throws {
        let queue = try open(backend)
        let low = try submit(queue, of: 1, priority: 10).job.id
        let high = try submit(queue, of: 1, priority: 90).job.id
        let other = try submit(queue, of: 2, priority: 1).job.id
        let order = try (0..<4).map { _ in try queue.claim(worker: worker)?.id }
        #expect(order == [high, other, low, nil])
    }

    /// Whose turn it is outlives the daemon.
    @Test(arguments: Backend.all) func turnsGoOnAfterARestart(_ backend: Backend) throws {
        var queue = try open(backend)
        let own = try (0..<3).map { _ in try submit(queue, of: 1).job.id }
        #expect(try queue.claim(worker: worker)?.id == own[0])
        let other = try submit(queue, of: 2).job.id
        queue = try open(backend, of: "second")
        let order = try (0..<3).map { _ in try queue.claim(worker: worker)?.id }
        #expect(order == [other, own[1], own[2]])
    }

    @Test(arguments: Backend.all) func aJobIsGivenToOneWorker(_ backend: Backend) throws {
        let queue = try open(backend)
        for _ in 0..<20 { _ = try submit(queue) }
        let claimed = Mutex<[Int64]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            while let job = try? queue.claim(worker: worker) { claimed.withLock { $0.append(job.id) } }
        }
        let ids = claimed.withLock(\.self)
        #expect(ids.count == 20 && Set(ids).count == 20)
    }

    /// Each end, once and once more; and by one who has lost the job.
    @Test(arguments: Backend.all) func anEndIsWrittenOnceAndByItsAttemptAlone(_ backend: Backend) throws {
        let queue = try open(backend)
        let ends: [(AttemptEnd, JobState)] = [
            (.completed, .completed), (.failed(MediaError(.decodeFailed, "no")), .failed),
            (.cancelled, .cancelled), (.interrupted, .waiting),
        ]
        for (end, state) in ends {
            let id = try submit(queue).job.id
            while try queue.claim(worker: worker) != nil {}
            #expect(throws: MediaError.self) { try queue.end(id, attempt: 7, end) }
            if end == .completed {
                let publication = Publication(device: 1, inode: 2, name: "x.m4a")
                #expect(throws: MediaError.self) {
                    try queue.publish(id, attempt: 7, publication, result: result())
                }
                try queue.publish(id, attempt: 1, publication, result: result())
            }
            #expect(try queue.end(id, attempt: 1, end).state == state)
            let events = try queue.lastEvent()
            #expect(try queue.end(id, attempt: 1, end).state == state)
            #expect(try queue.lastEvent() == events)
            if !state.isFinal { _ = try queue.cancel(id) }
        }
        #expect(try queue.counts(for: .user(1))[.waiting] == nil)
        #expect(try queue.counts() == [.completed: 1, .failed: 1, .cancelled: 2])
    }

    @Test(arguments: Backend.all) func whatCanHealIsTriedAgainLater(_ backend: Backend) throws {
        let queue = try open(backend)
        let id = try submit(queue).job.id
        _ = try queue.claim(worker: worker)
        let job = try queue.fail(id, attempt: 1, MediaError(.diskFull, "full"))
        #expect(job.state == .waiting)
        #expect(try queue.claim(worker: worker) == nil)
        let next = try queue.availability()
        #expect(!next.isReady && next.delay == queue.policy.retryDelay)
        time.pass(queue.policy.retryDelay)
        #expect(try queue.claim(worker: worker)?.attempts == 2)
    }

    @Test(arguments: Backend.all) func aDaemonThatDiedLeftWhatItHadBegun(_ backend: Backend) throws {
        var queue = try open(backend)
        let ids = try (0..<3).map { _ in try submit(queue).job.id }
        _ = try queue.claim(worker: worker)
        _ = try queue.claim(worker: worker)
        let dead = queue
        queue = try open(backend, of: "second")
        #expect(try queue.attempts().isEmpty)
        if let lease = queue.leaseTime {
            // It may only be slow: what it renewed is still its own.
            time.pass(lease - 1)
            try dead.renew()
            time.pass(lease - 1)
            #expect(try queue.takeOver().isEmpty)
            time.pass(1)
        }
        let taken = try queue.takeOver()
        #expect(taken.map(\.id) == Array(ids.prefix(2)) && taken.map(\.worker) == [worker, worker])
        #expect(taken.allSatisfy { $0.owner == "second" && $0.attempts == 1 })
        #expect(try queue.attempts() == taken && dead.attempts().isEmpty)
        #expect(try queue.takeOver().isEmpty)
        // Whoever has lost the job changes nothing any more, before and after the other has decided.
        try refuse(dead, ids[0])
        #expect(try queue.interrupt(ids[0], attempt: 1, counted: true).state == .waiting)
        try refuse(dead, ids[0])
        #expect(try queue.waitingCount() == 2)
    }

    /// All that an attempt writes is refused.
    func refuse(_ queue: any JobQueue, _ id: Int64) throws {
        let before = try queue.job(id)
        let ends: [AttemptEnd] = [
            .completed, .failed(MediaError(.decodeFailed, "no")), .cancelled, .interrupted,
        ]
        for end in ends {
            let error = #expect(throws: MediaError.self) { try queue.end(id, attempt: 1, end) }
            #expect(error?.code == .invalidRequest, "\(end)")
        }
        let error = #expect(throws: MediaError.self) {
            try queue.publish(
                id, attempt: 1, Publication(device: 1, inode: 2, name: "x.m4a"), result: result())
        }
        #expect(error?.code == .invalidRequest)
        #expect(try queue.job(id) == before)
    }

    @Test(arguments: Backend.all) func whatUsersOrderFollowsTheTableOfStates(_ backend: Backend) throws {
        let queue = try open(backend)
        let id = try submit(queue).job.id
        #expect(try queue.hold(id).state == .held)
        #expect(try queue.claim(worker: worker) == nil)
        #expect(try queue.release(id).state == .waiting)
        #expect(#expect(throws: MediaError.self) { try queue.remove(id) }?.code == .jobStateNotValid)
        #expect(try queue.cancel(id).state == .cancelled)
        #expect(#expect(throws: MediaError.self) { try queue.hold(id) }?.code == .jobStateNotValid)
        #expect(try queue.retry(id, source: source, request: nil, limit: nil).state == .waiting)
        _ = try queue.cancel(id)
        _ = try queue.remove(id)
        #expect(#expect(throws: MediaError.self) { try queue.job(id) }?.code == .jobNotFound)
    }

    @Test(arguments: Backend.all) func eventsComeInOrderAndToTheirViewersOnly(_ backend: Backend) throws {
        let queue = try open(backend)
        let own = try submit(queue, of: 1).job.id
        let other = try submit(queue, of: 2).job.id
        _ = try queue.cancel(own)
        let all = try queue.events(for: .all, after: 0, since: nil, limit: 9)
        #expect(all.map(\.job) == [own, other, own])
        #expect(all.map(\.event) == [.waiting, .waiting, .cancelled])
        #expect(all.last?.id == (try queue.lastEvent()))
        #expect(try queue.events(for: .user(2), after: 0, since: nil, limit: 9).map(\.job) == [other])
        #expect(try queue.events(for: .all, after: all[1].id, since: nil, limit: 9) == [all[2]])
        #expect(#expect(throws: MediaError.self) { try queue.job(own, for: .user(2)) }?.code == .jobNotFound)
    }
}
