// The errors, and the state that is kept, when PostgreSQL is missing, refuses, goes away or breaks connections at any statement.
import Dispatch
import Glibc
import Media
import Synchronization
import Testing

@testable import JobQueue

@Suite(.enabled(if: PostgresServer.shared != nil), .timeLimit(.minutes(10)))
struct PostgresFaultTests {
    let scratch: PostgresScratch

    init() throws { scratch = try PostgresScratch() }

    private func refusal(_ setting: String) throws -> MediaError {
        let error = #expect(throws: MediaError.self) {
            _ = try JobStore(postgresql: setting, node: QueueNode(name: "n", version: "1"), owner: "a")
        }
        return try #require(error)
    }

    /// Each cause has its remedy, and is "no queue" to scripts; a password is never shown.
    @Test func eachRefusalNamesItsRemedy() throws {
        let server = scratch.server
        let cases: [(setting: String, word: String)] = [
            (server.setting("x") + " port=1", "PostgreSQL runs"),
            ("postgresql://127.0.0.1:1/trimd?password=geheim", "PostgreSQL runs"),
            (server.setting("x", user: "locked"), "pgpass"),
            (server.setting("x", user: "locked") + " password=geheim", "pgpass"),
            (server.setting("x", user: "nobody"), "pgpass"),
            (server.setting("x", database: "nothing"), "createdb"),
            (server.setting("x"), "own the database"),
        ]
        for (setting, word) in cases where setting != server.setting("x") {
            let error = try refusal(setting)
            #expect(error.code == .queueUnavailable && error.code.exitCode == 5, "\(error)")
            #expect(error.remedy?.contains(word) == true, "\(error)")
            #expect(!"\(error)".contains("geheim"))
        }
        for setting in [
            "postgresql://a:geheim@h:x/y", "password=geheim nonsense=1", "postgresql://%zz:geheim@h/",
        ] {
            let error = try refusal(setting)
            #expect(error.code == .invalidRequest || error.code == .queueUnavailable, "\(error)")
            #expect(!"\(error)".contains("geheim"), "\(error)")
        }
        let missing = #expect(throws: PostgresError.self) { _ = try Libpq("libpq-that-is-not-there.so.5") }
        #expect(missing?.media.remedy == "apt install libpq5" && missing?.media.code.exitCode == 5)
    }

    @Test func newerTablesAreRefused() throws {
        _ = try scratch.store()
        try scratch.connection().execute("UPDATE trimd_version SET version = 99")
        let error = try refusal(scratch.setting)
        #expect(error.code == .operationNotSupported)
        #expect(
            error.message.contains(
                "the queue was written by a newer trimd (version 99 of its tables; this one knows"))
        #expect(error.remedy?.contains("install that trimd again") == true)
    }

    /// One node makes the tables; the others wait for it.
    @Test func nodesThatStartTogetherMakeOneQueue() throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { number in
            do { _ = try scratch.store(of: "\(number)").lastJob() } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock(\.self) == [])
    }

    /// The database goes and comes back: calls fail with an error that is worth a retry, and then go on by themselves.
    @Test func aQueueConnectsAgain() throws {
        let store = try scratch.store()
        let id = try submit(store)
        let admin = try PostgresConnection(try PostgresAddress(scratch.server.setting("public")))
        let name = "d\(UInt64.random(in: 0 ... .max))"
        try admin.execute("CREATE DATABASE \(name)")
        let setting = scratch.server.setting("public", database: name)
        let moved = try JobStore(postgresql: setting, node: QueueNode(name: "n", version: "1"), owner: "a")
        let first = try submit(moved)
        try admin.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        try admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
        for _ in 0..<3 {
            let error = #expect(throws: MediaError.self) { try submit(moved) }
            #expect(
                error?.code == .queueUnavailable && error?.code.exitCode == 5, "\(String(describing: error))")
        }
        try admin.execute("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
        var second: Int64?
        while second == nil { second = try? submit(moved) }
        #expect(try second == first + 1 && moved.job(first).state == .waiting)
        #expect(try store.job(id).state == .waiting)
    }

    /// While connecting fails, each attempt waits longer than the one before, up to five seconds; calls meanwhile fail at once. After
    /// a success the delays begin anew.
    @Test func attemptsToConnectBecomeRarer() throws {
        let attempts = Mutex<[ContinuousClock.Instant]>([])
        let fails = Mutex(true)
        let pool = PostgresPool(try PostgresAddress(scratch.setting)) { _ in
            attempts.withLock { $0.append(.now) }
            guard fails.withLock(\.self) else { return }
            throw PostgresError(kind: .unreachable, act: "connecting", cause: "a test", place: "x")
        }
        func gaps(_ count: Int) -> [Duration] {
            attempts.withLock { $0 = [] }
            while attempts.withLock(\.count) <= count {
                _ = try? pool.connect()
                usleep(5000)
            }
            let times = attempts.withLock(\.self)
            return zip(times.dropFirst(), times).map { $0 - $1 }
        }
        let first = gaps(4)
        for (gap, least) in zip(first, [250, 500, 1000, 2000] as [Int64]) {
            #expect(gap >= .milliseconds(least), "\(first)")
        }
        fails.withLock { $0 = false }
        while (try? pool.connect()) == nil { usleep(5000) }
        fails.withLock { $0 = true }
        let second = gaps(1)
        #expect(second.allSatisfy { $0 >= .milliseconds(250) }, "\(second)")
        // Five seconds are the longest delay; this one is among the first again.
        #expect(second.allSatisfy { $0 < .seconds(5) }, "\(second)")
    }

    /// Connections break at random, at any statement: what was acknowledged is there, and each job is claimed and ended once.
    @Test func connectionsMayBreakAtAnyStatement() throws {
        let store = try scratch.store()
        let isDone = Atomic(false)
        let group = DispatchGroup()
        let scratch = scratch
        let cut = Mutex(0)
        DispatchQueue.global().async(group: group) {
            while !isDone.load(ordering: .relaxed) && cut.withLock({ $0 < 20 }) {
                let more = (try? scratch.cutConnections()) ?? 0
                cut.withLock { $0 += more }
            }
        }
        // The store has a connection: the first cut meets it.
        while cut.withLock({ $0 == 0 }) { usleep(1000) }
        var accepted: Set<Int64> = []
        var ended: [Int64: Int] = [:]
        for number in 0..<30 {
            func until<Value>(_ body: () throws(MediaError) -> Value) throws -> Value {
                while true {
                    do throws(MediaError) { return try body() } catch {
                        guard error.code == .queueUnavailable else { throw error }
                    }
                }
            }
            // With a key: whether one that failed was accepted is unknown, and a repetition is the same job.
            let request = try request(key: "\(number)")
            let id = try until { () throws(MediaError) in
                try store.submit(request, source: source, user: 1).job.id
            }
            #expect(accepted.insert(id).inserted)
            var job = try until { () throws(MediaError) in try store.claim(worker: worker) }
            if job == nil {
                // Its claim was stored, and its answer lost.
                job = try until { () throws(MediaError) in try store.attempts() }.first
            }
            let attempt = try #require(job)
            let done = try until { () throws(MediaError) in
                try store.end(attempt.id, attempt: attempt.attempts, .cancelled)
            }
            ended[done.id, default: 0] += 1
        }
        isDone.store(true, ordering: .relaxed)
        group.wait()
        #expect(cut.withLock(\.self) > 0)
        #expect(ended.count == 30 && ended.values.allSatisfy { $0 == 1 })
        #expect(try store.counts() == [.cancelled: 30])
        let events = try store.events(for: .all, after: 0, since: nil, limit: 999)
        #expect(
            events.map(\.id) == Array(1...Int64(events.count))
                && events.count { $0.event == .cancelled } == 30)
        #expect(try store.totals().map(\.jobs) == [30])
    }

    private func submit(_ store: JobStore) throws -> Int64 {
        try store.submit(request(), source: source, user: 1).job.id
    }
}
