// Failures: what is tried again, when, how often, and what is written down of it; also where the clock is set back.
import Media
import Synchronization
import Testing

@testable import JobQueue

@Suite struct PolicyTests {
    /// A clock that a test moves.
    final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(1_000_000_000_000)
        var now: Moment { Moment(milliseconds: milliseconds.withLock { $0 }) }
        func move(_ by: Int64) { milliseconds.withLock { $0 += by } }
    }

    /// Held by the suite, so that it stays as long as the test.
    let scratch: Scratch
    let clock = Clock()
    let store: JobStore
    let id: Int64

    init() throws {
        scratch = try Scratch()
        store = try JobStore(file: scratch.file, owner: "test", clock: { [clock] in clock.now })
        id = try store.submit(request(), source: source, user: 1).job.id
    }

    private func attempt(_ code: ErrorCode) throws -> Job {
        let job = try #require(try store.claim(worker: worker))
        return try store.fail(id, attempt: job.attempts, MediaError(code, "no"))
    }

    @Test(arguments: ErrorCode.allCases) func onlyWhatHealsIsTriedAgain(_ code: ErrorCode) throws {
        let heals: Set<ErrorCode> = [
            .diskFull, .outOfMemory, .inputOutput, .notWritable, .operationInterrupted, .workerCrashed,
        ]
        let job = try attempt(code)
        #expect((job.state == .waiting) == heals.contains(code))
        #expect((job.state == .failed) != heals.contains(code))
        #expect(job.error?.code == code)
    }

    @Test func eachWaitIsLonger() throws {
        for delay in [2000, 10_000, 50_000] as [Int64] {
            let job = try attempt(.diskFull)
            #expect(job.due == Moment(milliseconds: clock.now.milliseconds + delay))
            #expect(job.report().retry == job.due)
            #expect(job.report().error?.code == .diskFull)
            #expect(try store.availability() == JobAvailability(isReady: false, delay: delay))
            #expect(try store.claim(worker: worker) == nil)
            clock.move(delay)
            #expect(try store.availability().isReady)
        }
        let job = try attempt(.diskFull)
        #expect(job.state == .failed)
        #expect(job.attempts == 4)
        #expect(job.due == nil)
    }

    @Test func aJobThatKillsWorkersIsGivenUp() throws {
        for _ in 0..<2 {
            #expect(try attempt(.workerCrashed).state == .waiting)
            clock.move(500)
        }
        let job = try attempt(.workerCrashed)
        #expect(job.state == .failed)
        #expect(job.crashes == 3)
        #expect(job.error?.message.contains("3") == true)
        let totals = try store.totals()
        #expect(totals.filter { $0.event == "crashed" }.map(\.jobs) == [3])
        #expect(totals.filter { $0.event == "retried" }.map(\.jobs) == [2])
        #expect(totals.filter { $0.event == "failed" }.map(\.code) == ["workerCrashed"])
    }

    @Test func aWantOfMemoryIsTriedOnceMore() throws {
        #expect(try attempt(.outOfMemory).state == .waiting)
        clock.move(2000)
        let job = try attempt(.outOfMemory)
        #expect(job.state == .failed)
        #expect(job.attempts == 2)
    }

    /// The film will do to the next worker what it did to this one.
    @Test func aForbiddenCallIsACrashAndTheEnd() throws {
        let job = try attempt(.sandboxViolation)
        #expect(job.state == .failed)
        #expect(job.crashes == 1)
        let totals = try store.totals()
        #expect(totals.filter { $0.event == "crashed" }.map(\.jobs) == [1])
        #expect(totals.filter { $0.event == "retried" }.isEmpty)
        // With no retries asked for, none are made.
        var none = QueuePolicy()
        none.retries = 0
        #expect(
            none.decide(MediaError(.outOfMemory, "no"), crashes: 0, failures: 0)
                == .failed(MediaError(.outOfMemory, "no")))
    }

    @Test func releasingEndsTheWait() throws {
        _ = try attempt(.diskFull)
        #expect(try store.release(id).due == nil)
        #expect(try store.claim(worker: worker)?.id == id)
    }

    @Test func aClockSetBackStopsNothing() throws {
        clock.move(86_400_000)
        _ = try attempt(.diskFull)
        clock.move(-86_400_000)
        // A job that was put off for seconds is not put off for a day.
        let job = try #require(try store.claim(worker: worker))
        let publication = Publication(device: 1, inode: 2, name: "x.m4a")
        try store.publish(id, attempt: job.attempts, publication, result: result())
        clock.move(-5000)
        let done = try store.complete(id, attempt: job.attempts)
        #expect(try #require(done.ended) >= #require(done.started))
        #expect(try #require(done.started) >= done.created)
        #expect(try store.totals().allSatisfy { $0.work >= 0 })
        #expect(
            try store.events(for: .all, limit: 9).map(\.event) == [
                .waiting, .exporting, .waiting, .exporting, .completed,
            ])
    }

    @Test func eventsAreReportedOnceAndInOrder() throws {
        _ = try attempt(.decodeFailed)
        let other = try store.submit(request(), source: source, user: 2).job.id
        let all = try store.events(for: .all, limit: 9)
        #expect(all.map(\.event) == [.waiting, .exporting, .failed, .waiting])
        #expect(all.map(\.code) == [nil, nil, .decodeFailed, nil])
        #expect(all.map(\.id) == all.map(\.id).sorted())
        #expect(try store.events(for: .all, after: all[1].id, limit: 1) == [all[2]])
        #expect(try store.events(for: .user(2), limit: 9).map(\.job) == [other])
        #expect(try store.events(for: .all, since: Moment(milliseconds: .max), limit: 9).isEmpty)
        #expect(try store.lastEvent() == all.last?.id)
        // A change that is refused leaves no event.
        #expect(throws: MediaError.self) { try store.complete(id, attempt: 1) }
        #expect(try store.events(for: .all, limit: 9) == all)
    }
}
