// The promises of any back end about jobs that wait for others or for a moment, and of attempts that are paused.
import JobQueue
import Media
import Platform
import Testing

extension ConformanceTests {
    private func submit(
        _ queue: any JobQueue, after: [Int64] = [], notBefore: Moment? = nil, of user: UInt32 = 1
    ) throws -> Int64 {
        try queue.submit(
            request(), source: source, user: user, priority: 50, limit: nil, name: nil,
            start: StartCondition(after: after, notBefore: notBefore)
        ).job.id
    }

    private func complete(_ queue: any JobQueue, _ id: Int64) throws {
        let job = try #require(try queue.claim(worker: worker))
        #expect(job.id == id)
        let publication = Publication(device: 1, inode: 2, name: "\(id).m4a")
        try queue.publish(id, attempt: job.attempts, publication, result: result())
        _ = try queue.complete(id, attempt: job.attempts)
    }

    /// Restarts in between change nothing.
    @Test(arguments: Backend.all) func aJobRunsAfterAllThatItWaitsFor(_ backend: Backend) throws {
        var queue = try open(backend)
        let first = try submit(queue)
        let second = try submit(queue)
        let last = try submit(queue, after: [second, first, second])
        #expect(try queue.job(last).after == [first, second])
        #expect(try queue.job(last).report().after == [first, second])
        #expect(try queue.failDependents().isEmpty)
        try complete(queue, first)
        queue = try open(backend, of: "second")
        // One that is completed may go; the other is still to come.
        _ = try queue.remove(first)
        #expect(try queue.failDependents().isEmpty)
        try complete(queue, second)
        queue = try open(backend, of: "third")
        #expect(try queue.job(last).after == [first, second])
        #expect(try queue.availability().isReady)
        #expect(try queue.claim(worker: worker)?.id == last)
        // A job that is completed already is not waited for; one that was never there is an error.
        let next = try submit(queue, after: [second])
        #expect(try queue.claim(worker: worker)?.id == next)
        for missing in [first, 99] {
            let error = #expect(throws: MediaError.self) { try submit(queue, after: [missing]) }
            #expect(error?.code == .jobNotFound)
        }
        #expect(try queue.jobs(for: .all, limit: 99).count == 3)
    }

    /// How a job is kept from completing, and the word for it.
    private static let ends: [(word: String, end: @Sendable (any JobQueue, Int64) throws -> Void)] = [
        (
            "failed",
            { queue, id in
                _ = try queue.claim(worker: worker)
                _ = try queue.fail(id, attempt: 1, MediaError(.decodeFailed, "no"))
            }
        ),
        ("was cancelled", { queue, id in _ = try queue.cancel(id) }),
        (
            "was removed",
            { queue, id in
                _ = try queue.cancel(id)
                _ = try queue.remove(id)
            }
        ),
    ]

    @Test(arguments: Backend.all, 0..<ends.count)
    func aJobFailsWithOneThatItWaitsFor(_ backend: Backend, _ number: Int) throws {
        let (word, end) = Self.ends[number]
        var queue = try open(backend)
        let first = try submit(queue)
        let second = try submit(queue, after: [first])
        let third = try submit(queue, after: [second])
        let held = try queue.hold(try submit(queue, after: [first], of: 2)).id
        let other = try submit(queue, of: 2)
        try end(queue, first)
        // Found by the next daemon too, and never started meanwhile.
        queue = try open(backend, of: "second")
        #expect(try queue.claim(worker: worker)?.id == other && queue.claim(worker: worker) == nil)
        let events = try queue.lastEvent()
        #expect(try queue.failDependents().map(\.id).sorted() == [second, third, held])
        #expect(try queue.lastEvent() == events + 3)
        #expect(try queue.failDependents().isEmpty)
        for (id, blocker, word) in [(second, first, word), (third, second, "failed"), (held, first, word)] {
            let job = try queue.job(id)
            #expect(job.state == .failed && job.ended != nil && job.attempts == 0)
            #expect(job.error?.code == .dependencyFailed)
            #expect(job.error?.message.hasPrefix("job \(blocker), which") == true)
            #expect(job.error?.message.hasSuffix(word) == true, "\(String(describing: job.error))")
        }
        #expect(try queue.totals().filter { $0.code == "dependencyFailed" }.map(\.jobs) == [3])
    }

    /// Tried again, both wait again, and the one still waits for the other.
    @Test(arguments: Backend.all) func aRetryWaitsForItsJobsAgain(_ backend: Backend) throws {
        let queue = try open(backend)
        let first = try submit(queue)
        let second = try submit(queue, after: [first])
        _ = try queue.cancel(first)
        #expect(try queue.failDependents().map(\.id) == [second])
        // Before the other is tried again, it fails once more.
        _ = try queue.retry(second, source: source, request: nil, limit: nil)
        #expect(try queue.claim(worker: worker) == nil)
        #expect(try queue.failDependents().map(\.id) == [second])
        _ = try queue.retry(first, source: source, request: nil, limit: nil)
        _ = try queue.retry(second, source: source, request: nil, limit: nil)
        #expect(try queue.failDependents().isEmpty)
        try complete(queue, first)
        #expect(try queue.claim(worker: worker)?.id == second)
    }

    /// A moment may be far away: further than any delay after a failure.
    @Test(arguments: Backend.all) func aJobWaitsForItsMoment(_ backend: Backend) throws {
        var queue = try open(backend)
        let hours = 5 * 3_600_000 as Int64
        let moment = Moment(milliseconds: time.now.milliseconds + hours)
        let ids = try (0..<3).map { _ in try submit(queue, notBefore: moment) }
        let past = try submit(queue, notBefore: Moment(milliseconds: time.now.milliseconds))
        #expect(try queue.claim(worker: worker)?.id == past)
        #expect(try queue.job(ids[0]).report().notBefore == moment)
        #expect(try queue.job(ids[0]).report().retry == nil)
        // Held and released, it waits as before; released while it waits, it is to start at once.
        _ = try queue.hold(ids[1])
        #expect(try queue.release(ids[1]).due == moment)
        _ = try queue.cancel(ids[1])
        #expect(try queue.retry(ids[1], source: source, request: nil, limit: nil).due == moment)
        #expect(try queue.release(ids[2]).report().notBefore == nil)
        #expect(try queue.claim(worker: worker)?.id == ids[2])
        queue = try open(backend, of: "second")
        for _ in 0..<2 {
            let next = try queue.availability()
            #expect(!next.isReady && next.delay.map { 0 < $0 && $0 <= hours } == true)
            #expect(try queue.claim(worker: worker) == nil)
            time.pass(hours / 2 - 1)
        }
        time.pass(2)
        #expect(try queue.availability().isReady)
        #expect(try (0..<3).map { _ in try queue.claim(worker: worker)?.id } == [ids[0], ids[1], nil])
    }

    /// Both conditions hold, in either order.
    @Test(arguments: Backend.all, [true, false])
    func aMomentAndAJobAreBothWaitedFor(_ backend: Backend, _ momentIsFirst: Bool) throws {
        let queue = try open(backend)
        let first = try submit(queue)
        let moment = Moment(milliseconds: time.now.milliseconds + 1000)
        let second = try submit(queue, after: [first], notBefore: moment)
        if momentIsFirst { time.pass(1000) } else { try complete(queue, first) }
        #expect(try queue.availability().isReady == momentIsFirst)
        if momentIsFirst { try complete(queue, first) } else { time.pass(1000) }
        #expect(try queue.availability().isReady)
        #expect(try queue.claim(worker: worker)?.id == second)
    }

    // Pauses

    /// An attempt that ends while it is paused, but for its user's order, leaves a held job: it does not start unasked.
    @Test(arguments: Backend.all) func aPausedJobDoesNotStartAgainUnasked(_ backend: Backend) throws {
        let queue = try open(backend)
        let ends: [(AttemptEnd, JobState)] = [
            (.interrupted, .held), (.failed(MediaError(.diskFull, "full")), .held),
            (.failed(MediaError(.workerCrashed, "died")), .held),
            (.failed(MediaError(.decodeFailed, "no")), .failed), (.cancelled, .cancelled),
        ]
        for (end, state) in ends {
            let id = try submit(queue)
            #expect(try queue.claim(worker: worker)?.id == id)
            let paused = try queue.pause(id, attempt: 1, true)
            #expect(paused.isPaused && paused.report().status == .exporting && paused.report().paused == true)
            let foreseen = paused.foreseen(end, policy: queue.policy, now: time.now)
            let job = try queue.end(id, attempt: 1, end)
            #expect(
                job.state == state && foreseen.state == state && !job.isPaused && job.due == nil, "\(end)")
            time.pass(60_000)
            #expect(try queue.claim(worker: worker) == nil)
            guard state == .held else { continue }
            _ = try queue.release(id)
            #expect(try queue.claim(worker: worker)?.isPaused == false)
            _ = try queue.cancel(id, attempt: 2)
        }
    }

    /// Also where its daemon died: which is not counted, since the job did nothing.
    @Test(arguments: Backend.all) func aPauseOutlivesItsDaemon(_ backend: Backend) throws {
        let first = try open(backend)
        let ids = try (0..<2).map { _ in try submit(first) }
        for _ in ids { _ = try first.claim(worker: worker) }
        _ = try first.pause(ids[0], attempt: 1, true)
        _ = try first.pause(ids[1], attempt: 1, true)
        #expect(try !first.pause(ids[1], attempt: 1, false).isPaused)
        #expect(throws: MediaError.self) { try first.pause(ids[0], attempt: 2, false) }
        #expect(throws: MediaError.self) { try first.hold(ids[0]) }
        let second = try open(backend, of: "second")
        if let lease = first.leaseTime { time.pass(lease) }
        #expect(try second.takeOver().map(\.isPaused) == [true, false])
        #expect(throws: MediaError.self) { try first.pause(ids[0], attempt: 1, false) }
        let held = try second.interrupt(ids[0], attempt: 1, counted: true)
        #expect(held.state == .held && held.interruptions == 0)
        let waiting = try second.interrupt(ids[1], attempt: 1, counted: true)
        #expect(waiting.state == .waiting && waiting.interruptions == 1)
        #expect(throws: MediaError.self) { try second.pause(ids[0], attempt: 1, true) }
    }
}
