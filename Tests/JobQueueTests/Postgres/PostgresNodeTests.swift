// Several nodes over one PostgreSQL: no job is claimed twice, who has lost a lease writes nothing, and no claim or submission reads the
// table of jobs from end to end.
import Dispatch
import Foundation
import Glibc
import Media
import Platform
import Synchronization
import Testing
import Text

@testable import JobQueue

@Suite(.enabled(if: PostgresServer.shared != nil), .timeLimit(.minutes(10)))
struct PostgresNodeTests {
    let scratch: PostgresScratch
    let time = ConformanceTests.SetClock()

    init() throws { scratch = try PostgresScratch() }

    private func store(of owner: String) throws -> JobStore {
        try scratch.store(of: owner) { [time] in time.now }
    }

    @Test func nodesClaimEachJobOnce() throws {
        let stores = try (0..<4).map { try scratch.store(of: "\($0)") }
        for number in 0..<60 {
            _ = try stores[number % 4].submit(request(), source: source, user: UInt32(number % 3))
        }
        let claimed = Mutex<[Int64]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let store = stores[number % 4]
            while (try? store.availability().isReady) == true {
                guard let job = try? store.claim(worker: worker) else { continue }
                claimed.withLock { $0.append(job.id) }
                guard let end = try? store.end(job.id, attempt: 1, .cancelled), end.state == .cancelled else {
                    claimed.withLock { $0.append(-job.id) }
                    continue
                }
            }
        }
        #expect(claimed.withLock { $0.sorted() } == Array(1...60))
        #expect(try stores[0].counts() == [.cancelled: 60])
    }

    /// A name is one job's, also where nodes accept at once; and so is a key.
    @Test func nodesGiveNamesAndKeysOnce() throws {
        let stores = try (0..<4).map { try scratch.store(of: "\($0)") }
        let jobs = Mutex<[Job]>([])
        DispatchQueue.concurrentPerform(iterations: 12) { number in
            let request = try? request(key: "k\(number / 4)")
            guard let request else { return }
            let name = OutputName.numbered(
                folder: "/o", stem: "a", free: Array(1...40), fileTypes: ["m4a"])
            let submission = try? stores[number % 4].submit(
                request, source: source, user: 1, priority: 50, limit: nil, name: name)
            jobs.withLock { jobs in submission.map { jobs.append($0.job) } }
        }
        let accepted = jobs.withLock(\.self)
        #expect(accepted.count == 12 && Set(accepted.map(\.id)).count == 3)
        #expect(Set(accepted.map { $0.request.output.number ?? 1 }) == [1, 2, 3])
    }

    /// A node hears of changes of others at once, not of its own; also when its connection was cut meanwhile.
    @Test func nodesHearOfChanges() throws {
        let (first, second) = (try scratch.store(of: "first"), try scratch.store(of: "second"))
        let heard = [Heard(), Heard()]
        first.listen { heard[0].count() }
        second.listen { heard[1].count() }
        // Each hears once that it listens.
        #expect(eventually { heard.allSatisfy { $0.times == 1 } })
        _ = try first.submit(request(), source: source, user: 1)
        #expect(eventually { heard[1].times == 2 })
        #expect(heard[0].times == 1)
        _ = try second.claim(worker: worker)
        #expect(eventually { heard[0].times == 2 })
        try scratch.cutConnections()
        // Connected again, each looks for what it may have missed.
        #expect(eventually { heard.allSatisfy { $0.times >= 3 } })
        let before = heard[0].times
        _ = try second.plan(1, attempt: 1, unitPlan())
        #expect(eventually { heard[0].times > before })
    }

    /// Counts calls.
    private final class Heard: Sendable {
        private let calls = Mutex(0)
        var times: Int { calls.withLock(\.self) }
        func count() { calls.withLock { $0 += 1 } }
    }

    /// Whether a condition comes true within a minute.
    private func eventually(_ holds: () -> Bool) -> Bool {
        for _ in 0..<6000 where !holds() { usleep(10_000) }
        return holds()
    }

    /// The writes of an attempt, by their names.
    private static let writes: [(name: String, write: @Sendable (JobStore, Int64) throws -> Void)] = [
        ("complete", { _ = try $0.complete($1, attempt: 1) }),
        ("fail", { _ = try $0.fail($1, attempt: 1, MediaError(.diskFull, "full")) }),
        ("giveUp", { _ = try $0.giveUp($1, attempt: 1, MediaError(.diskFull, "full")) }),
        ("cancel", { _ = try $0.cancel($1, attempt: 1) }),
        ("interrupt", { _ = try $0.interrupt($1, attempt: 1, counted: false) }),
        ("pause", { _ = try $0.pause($1, attempt: 1, true) }),
        (
            "publish",
            {
                try $0.publish(
                    $1, attempt: 1, Publication(device: 1, inode: 2, name: "x.m4a"), result: result())
            }
        ),
        ("plan", { _ = try $0.plan($1, attempt: 1, unitPlan()) }),
        ("correct", { _ = try $0.correct($1, attempt: 1, unitPlan()) }),
        ("beginUnit", { _ = try $0.beginUnit($1, attempt: 1, 0, worker: worker, progress: 0.9) }),
        (
            "finishUnit",
            {
                _ = try $0.finishUnit(
                    UnitClaim(job: $1, number: 1, claim: 2), file: source,
                    report: UnitReport(number: 1, bytes: 1, details: .null), progress: 0.9)
            }
        ),
        (
            "failUnit",
            {
                _ = try $0.failUnit(
                    UnitClaim(job: $1, number: 1, claim: 2), attempt: 1, MediaError(.diskFull, "full"))
            }
        ),
        ("reach", { try $0.reach($1, attempt: 1, progress: 1) }),
        ("settle", { try $0.settle($1, attempt: 1, progress: 0) }),
        ("loseUnit", { _ = try $0.loseUnit($1, attempt: 1, 0) }),
        ("dropUnits", { try $0.dropUnits($1, attempt: 1) }),
        ("returnUnit", { try $0.returnUnit(UnitClaim(job: $1, number: 1, claim: 2), isFailed: true) }),
        (
            "tell",
            {
                let live = LiveProgress(Progress(fraction: 0.9, phase: .exporting))
                try $0.tell([AttemptProgress(job: $1, user: 1, attempt: 1, live)])
            }
        ),
    ]
    /// Those that say nothing when they change nothing.
    private static let silent: Set<String> = ["returnUnit", "tell"]

    /// No write of an attempt or of a claim is left out of `writes`: those are the methods of the queue that take one.
    @Test func eachKindOfWriteIsTried() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(
                path: "Sources/JobQueue/JobQueue.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let methods = text.split(separator: "    func ").dropFirst().filter {
            let parameters = $0.prefix(while: { $0 != "{" }).components(separatedBy: " throws").first ?? ""
            return parameters.contains(/attempt: Int|UnitClaim,|AttemptProgress\]/)
        }.map { String($0.prefix(while: { $0 != "(" })) }
        #expect(methods.count > 15 && Set(methods) == Set(Self.writes.map(\.name)))
    }

    /// A node is frozen beyond its lease, and revived: each kind of write is refused, before and after the other node has begun.
    @Test(arguments: 0..<writes.count) func aRevivedNodeWritesNothing(_ number: Int) throws {
        let (name, write) = Self.writes[number]
        let (frozen, other) = (try store(of: "frozen"), try store(of: "other"))
        let id = try frozen.submit(request(), source: source, user: 1).job.id
        _ = try frozen.claim(worker: worker)
        _ = try frozen.plan(id, attempt: 1, unitPlan())
        #expect(try frozen.beginUnit(id, attempt: 1, 1, worker: worker, progress: 0).claim == 2)
        time.pass(PostgresStorage.leaseTime)
        #expect(try other.takeOver().map(\.id) == [id])
        func refuse() throws {
            try frozen.renew()
            let (before, units) = (try other.job(id), try other.units(id))
            if Self.silent.contains(name) {
                try write(frozen, id)
            } else {
                #expect(throws: MediaError.self, "\(name)") { try write(frozen, id) }
            }
            #expect(try other.job(id) == before && other.units(id) == units, "\(name)")
        }
        try refuse()
        _ = try other.interrupt(id, attempt: 1, counted: true)
        try refuse()
        #expect(try other.claim(worker: worker)?.attempts == 2)
        try refuse()
        // The units that another node claimed, it may write.
        _ = try other.end(id, attempt: 2, .cancelled)
        try refuse()
    }

    /// Of each statement that a submission, a claim, a renewal or an end makes: no scan of all jobs.
    @Test func noStatementReadsAllJobs() throws {
        let store = try store(of: "a")
        let connection = try scratch.connection()
        // As the planner would with many rows: a scan is chosen only where no index can serve.
        try connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        let now = Moment(milliseconds: 1)
        let recorder = ExplainingConnection(connection)
        let table = JobTable(database: recorder, now: now, owner: "a", isChange: true)
        _ = try store.submit(request(key: "k"), source: source, user: 1)
        try connection.execute("BEGIN")
        _ = try table.find(key: "k", of: 1)
        try table.checkLimit(9, of: 1)
        _ = try table.needs(of: request(), ["gpu"], user: 1)
        #expect(try table.isOneReady())
        _ = try table.keep(.numbered(folder: "/o", stem: "a", free: [1], fileTypes: ["m4a"]), for: 1)
        try table.wake()
        let (id, user) = try #require(try table.next())
        let job = try table.move(
            id, to: .running, set: "attempts = attempts + 1, daemon = ?, due = NULL", [.text("a")])
        try table.countTurn(of: user)
        _ = try table.hopeless()
        #expect(job.id == id)
        _ = try table.end(id, attempt: 1, .cancelled, error: nil)
        _ = try table.hopeless()
        _ = try table.endedCount()
        try connection.execute("ROLLBACK")
        #expect(recorder.plans.count > 12)
        for (sql, plan) in recorder.plans {
            #expect(
                !plan.contains("Seq Scan on jobs") && !plan.contains("Seq Scan on events"), "\(sql)\n\(plan)")
        }
    }
}

private func unitPlan() -> UnitPlan {
    let units = (0...1).map {
        ExportUnit(number: $0, kind: .video, work: .string("a"), seconds: 1, memory: 1)
    }
    return UnitPlan(plan: .string("p"), fingerprint: "f", units: units)
}

/// Explains each statement before it runs.
private final class ExplainingConnection: TableConnection {
    let dialect = Dialect.postgres
    private let connection: PostgresConnection
    private(set) var plans: [(String, String)] = []

    init(_ connection: PostgresConnection) { self.connection = connection }

    func rows(_ sql: String, _ values: [Value]) throws -> [Row] {
        try explain(sql, values)
        return try connection.rows(sql, values)
    }

    func run(_ sql: String, _ values: [Value]) throws -> Int {
        try explain(sql, values)
        return try connection.run(sql, values)
    }

    private func explain(_ sql: String, _ values: [Value]) throws {
        // The values in place: EXPLAIN takes no parameters.
        var rest = values[...]
        let text = sql.reduce(into: "") { text, character in
            guard character == "?", let value = rest.popFirst() else { return text.append(character) }
            switch value {
            case .null: text += "NULL"
            case .integer(let number): text += "\(number)"
            case .text(let word):
                text +=
                    "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
                    + "'"
            }
        }
        let plan = try connection.execute("EXPLAIN " + text).compactMap { $0.text(0) }
        plans.append((sql, plan.joined(separator: "\n")))
    }
}
