// Nodes tell each other of the jobs that they run: logs, which are the same on all nodes and outlive theirs, and progress.
import Dispatch
import Media
import MediaTime
import Platform
import Synchronization
import Testing

@testable import JobQueue

@Suite(.enabled(if: PostgresServer.shared != nil), .timeLimit(.minutes(10)))
struct PostgresToldTests {
    let scratch: PostgresScratch
    let time = ConformanceTests.SetClock()

    init() throws { scratch = try PostgresScratch() }

    private func store(of owner: String) throws -> JobStore {
        let store = try scratch.store(of: owner) { [time] in time.now }
        try store.describe(QueueNode(name: owner, version: "1"))
        return store
    }

    private func log(_ id: Int64, of store: JobStore, from: Int64? = nil, limit: Int = 1 << 19) throws
        -> String
    {
        try store.log(of: id, from: from, limit: limit).text
    }

    @Test func aLogIsTheSameOnAllNodesAndOutlivesItsOwn() throws {
        let (one, two) = (try store(of: "one"), try store(of: "two"))
        let id = try one.submit(request(), source: source, user: 1).job.id
        let other = try one.submit(request(), source: source, user: 1).job.id
        #expect(try log(id, of: two) == "")
        try one.add(LogBatch(number: 1, [id: "a\n", other: "x\n"]))
        try two.add(LogBatch(number: 1, [id: "bb\nccc\n"]))
        // Its answer was lost, and it is given again.
        try two.add(LogBatch(number: 1, [id: "bb\nccc\n"]))
        try one.add(LogBatch(number: 2, [id: "d\n", 4711: "a job that is removed\n"]))
        try one.leave("one")
        #expect(try two.log(of: id, from: nil, limit: 999) == LogPart("a\nbb\nccc\nd\n", next: 11))
        #expect(try log(other, of: two) == "x\n")
        #expect(try two.log(of: id, from: 2, limit: 999) == LogPart("bb\nccc\nd\n", next: 11))
        #expect(try two.log(of: id, from: 2, limit: 5) == LogPart("bb\n", next: 5))
        #expect(try two.log(of: id, from: 5, limit: 5) == LogPart("ccc\n", next: 9))
        #expect(try two.log(of: id, from: 11, limit: 5) == LogPart("", next: 11))
        #expect(try two.log(of: id, from: 99, limit: 5) == LogPart("", next: 11))
        // Its end, in whole lines.
        #expect(try two.log(of: id, from: nil, limit: 7) == LogPart("ccc\nd\n", next: 11))
        #expect(try two.log(of: id, from: nil, limit: 5) == LogPart("d\n", next: 11))
        _ = try two.cancel(id)
        #expect(try log(id, of: two) == "a\nbb\nccc\nd\n")
        _ = try two.remove(id)
        #expect(try log(id, of: two) == "")
        let left = try scratch.connection().execute("SELECT job FROM logs UNION SELECT job FROM log_parts")
        #expect(left.compactMap { $0.integer(0) } == [other])
    }

    /// Its last MiB is kept; who reads from before that gets what there is.
    @Test func aLogHasALimit() throws {
        let store = try store(of: "one")
        let id = try store.submit(request(), source: source, user: 1).job.id
        let line = String(repeating: "é", count: 31) + "\n"
        let part = String(repeating: line, count: LogBatch.mostBytes / line.utf8.count)
        let count = LogBatch.mostKept / Int64(part.utf8.count) + 4
        for number in 1...count { try store.add(LogBatch(number: number, [id: part])) }
        let size = count * Int64(part.utf8.count)
        var (all, next) = ("", Int64(0))
        while next < size {
            let read = try store.log(of: id, from: next, limit: 100_000)
            #expect(read.text.utf8.count <= 100_000)
            try #require(read.next > next)
            (all, next) = (all + read.text, read.next)
        }
        #expect(next == size && all.utf8.count <= LogBatch.mostKept)
        #expect(all.utf8.count > LogBatch.mostKept - 2 * Int64(LogBatch.mostBytes))
        #expect(all.split(separator: "\n").allSatisfy { $0 + "\n" == line })
    }

    /// Nodes add to one log at once: who follows it misses nothing and reads nothing twice.
    @Test func whoFollowsALogMissesNothing() throws {
        let stores = try (0..<4).map { try store(of: "\($0)") }
        let reader = try store(of: "reader")
        let id = try reader.submit(request(), source: source, user: 1).job.id
        let isDone = Atomic(false)
        let failures = Mutex(0)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            DispatchQueue.concurrentPerform(iterations: 4) { node in
                for number in 1...40 {
                    do {
                        try stores[node].add(LogBatch(number: Int64(number), [id: "\(node) \(number)\n"]))
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
            }
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
        var (followed, next) = ("", Int64(0))
        while true {
            let isLast = isDone.load(ordering: .sequentiallyConsistent)
            let read = try reader.log(of: id, from: next, limit: 1 << 19)
            (followed, next) = (followed + read.text, read.next)
            if isLast { break }
        }
        group.wait()
        #expect(try failures.withLock(\.self) == 0 && followed == log(id, of: reader))
        for node in 0..<4 {
            let own = followed.split(separator: "\n").filter { $0.hasPrefix("\(node) ") }
            #expect(own == (1...40).map { "\(node) \($0)" })
        }
    }

    private func tell(_ store: JobStore, _ id: Int64, _ attempt: Int, _ fraction: Double) throws {
        var progress = Progress(fraction: fraction, phase: .exporting, speed: 2, remaining: 3)
        progress.time = Time(7, 2)
        let live = LiveProgress(progress, making: ["chunk 3"], start: Time(1, 2))
        try store.tell([AttemptProgress(job: id, user: 1, attempt: attempt, live)])
    }

    @Test func progressIsSeenOnOtherNodesWhileItsAttemptRuns() throws {
        let (one, two) = (try store(of: "one"), try store(of: "two"))
        let id = try one.submit(request(), source: source, user: 7).job.id
        try tell(one, id, 0, 0.1)
        #expect(try two.job(id).live == nil && two.told(since: Moment(milliseconds: 0)).isEmpty)
        _ = try one.claim(worker: worker)
        try tell(one, id, 1, 0.25)
        let seen = try two.job(id).report()
        #expect(seen.progress == 0.25 && seen.phase == .exporting && seen.speed == 2 && seen.remaining == 3)
        #expect(try two.jobs(for: .all, limit: 9).map { $0.report().progress } == [0.25])
        let told = try #require(try two.told(since: time.now).first)
        #expect(told.job == id && told.user == 7 && told.attempt == 1 && told.at == time.now)
        #expect(told.live.making == ["chunk 3"] && told.live.start == Time(1, 2))
        #expect(told.live.progress.time == Time(7, 2))
        // Its own node has it in memory.
        #expect(try one.job(id).live == nil && one.told(since: time.now).isEmpty)
        time.pass(1)
        #expect(try two.told(since: time.now).isEmpty)
        try tell(one, id, 1, 0.5)
        #expect(try two.told(since: time.now).map(\.live.progress.fraction) == [0.5])
        _ = try one.interrupt(id, attempt: 1, counted: false)
        #expect(try two.job(id).live == nil && two.told(since: time.now).isEmpty)
        let left = try scratch.connection().execute("SELECT job FROM progress")
        #expect(left.isEmpty)
    }

    /// A node that was frozen beyond its lease tells of no progress any more, at whatever point the other node is.
    @Test func aRevivedNodeTellsNoProgress() throws {
        let (frozen, other, third) = (try store(of: "frozen"), try store(of: "other"), try store(of: "third"))
        let id = try frozen.submit(request(), source: source, user: 1).job.id
        _ = try frozen.claim(worker: worker)
        try tell(frozen, id, 1, 0.9)
        time.pass(PostgresStorage.leaseTime)
        #expect(try other.takeOver().map(\.id) == [id])
        func expect(_ fraction: Double?) throws {
            try tell(frozen, id, 1, 0.95)
            #expect(try third.job(id).live?.progress.fraction == fraction)
            let told = try third.told(since: Moment(milliseconds: 0))
            #expect(told.first?.live.progress.fraction == fraction)
        }
        // Its words from before it lost the job are no progress of it either.
        try expect(nil)
        _ = try other.interrupt(id, attempt: 1, counted: true)
        try expect(nil)
        #expect(try other.claim(worker: worker)?.attempts == 2)
        try tell(other, id, 2, 0.2)
        try expect(0.2)
        _ = try other.cancel(id, attempt: 2)
        try expect(nil)
    }
}
