// How the server carries out each statement of a queue, at 100,000 jobs: the server itself writes down the plan of each, those of triggers
// too, and the tests read that.
import Foundation
import Media
import MediaTime
import Platform
import Testing
import Text

@testable import JobQueue

@Suite(.enabled(if: PostgresServer.shared != nil), .timeLimit(.minutes(10)))
struct PostgresPlanTests {
    private let scratch: PostgresScratch

    init() throws { scratch = try PostgresScratch() }

    /// Jobs as a busy site has them: 90,000 that have ended, 9500 that wait, 500 that run, most of them divided; on 200 nodes.
    private static let rows = """
        SET session_replication_role = replica;
        INSERT INTO jobs ("user", state, request, source_device, source_inode, source_size, source_modified, created, started, ended,
            daemon, fingerprint, unit_plan, unit_total, attempts, needs, due, blockers, reserved)
            SELECT n % 20, CASE WHEN n <= 90000 THEN 'completed' WHEN n <= 90500 THEN 'running' ELSE 'waiting' END, $1, 1, n, n, n, n,
                CASE WHEN n <= 90500 THEN n END, CASE WHEN n <= 90000 THEN n END,
                CASE WHEN n <= 90500 THEN 'owner' || n % 200 END, CASE WHEN n BETWEEN 90001 AND 90400 THEN 'f' END,
                CASE WHEN n BETWEEN 90001 AND 90400 THEN '"p"' END, CASE WHEN n BETWEEN 90001 AND 90400 THEN 100 END, 1,
                CASE WHEN n > 90500 AND n % 7 = 0 THEN 'gpu' ELSE '' END, CASE WHEN n > 99000 THEN n + 100000000 END,
                CASE WHEN n BETWEEN 98000 AND 98500 THEN 1 ELSE 0 END, '/o ' || n || '.' FROM generate_series(1, 100000) AS n;
        INSERT INTO dependencies SELECT n, n - 7000 FROM generate_series(98000, 98500) AS n;
        INSERT INTO units (job, number, owner, kind, state, unit, added, attempts, crashes, failures, claim, change)
            SELECT 90000 + n / 100, n % 100, CASE WHEN n % 100 < 52 THEN 'owner' || n % 200 END, 'video',
                CASE WHEN n % 100 < 50 THEN 'done' ELSE 'waiting' END, replace($2, '4711', (n % 100)::text), 0, 1, 0, 0, n % 100 + 1, n % 100 + 1
            FROM generate_series(100, 40099) AS n;
        UPDATE jobs SET unit_changes = 200 WHERE fingerprint IS NOT NULL;
        INSERT INTO nodes (owner, name, version, started, lease, heard) SELECT 'owner' || n, 'node' || n, '1', 1, 1e15, 1
            FROM generate_series(0, 199) AS n;
        INSERT INTO events (id, job, "user", at, event) OVERRIDING SYSTEM VALUE SELECT n, n % 100000 + 1, n % 20, n, 'waiting'
            FROM generate_series(1, 100000) AS n;
        UPDATE numbers SET last = 100000;
        INSERT INTO turns SELECT n, n FROM generate_series(0, 19) AS n;
        INSERT INTO need_sets SELECT n, needs FROM generate_series(0, 19) AS n, (VALUES (''), ('gpu')) AS words (needs);
        INSERT INTO job_counts SELECT "user", state, 0, count(*) FROM jobs GROUP BY "user", state;
        INSERT INTO logs SELECT id, 100 FROM jobs;
        INSERT INTO log_parts SELECT id, 0, repeat('x', 99) || chr(10) FROM jobs;
        INSERT INTO progress SELECT id, attempts, daemon, 1, $3 FROM jobs WHERE state = 'running';
        SET session_replication_role = origin;
        ANALYZE;
        """

    private func fill() throws {
        let connection = try scratch.connection()
        let unit = ExportUnit(number: 4711, kind: .video, work: .string("a"), seconds: 1, memory: 1)
        let live = LiveProgress(Progress(fraction: 0.5, phase: .exporting))
        let texts = [try JSON.text(try request()), try JSON.text(unit), try JSON.text(live)]
        let script = texts.enumerated().reduce(Self.rows) { script, text in
            script.replacingOccurrences(of: "$\(text.offset + 1)", with: "'\(text.element)'")
        }
        try connection.execute("SET statement_timeout = 0")
        // One after another: the server ends a series of statements as one, within the time of one.
        for statement in script.split(separator: ";") where !statement.allSatisfy(\.isWhitespace) {
            try connection.execute(String(statement))
        }
    }

    /// A plan, as the server wrote it.
    private struct Plan {
        var sql: String
        var lines: [Substring]
    }

    /// The lines that the server has written of the connections to this schema.
    private func plans() throws -> [Plan] {
        let pids = try scratch.connection().rows(
            "SELECT pid FROM pg_stat_activity WHERE application_name = ?", [.text(scratch.schema)]
        ).compactMap { $0.integer(0) }
        let log = try String(contentsOfFile: scratch.server.folder + "/log", encoding: .utf8)
        var plans: [Plan] = []
        var isPlan = false
        for line in log.split(separator: "\n") {
            if line.hasPrefix("\t") {
                if isPlan { plans[plans.count - 1].lines.append(line) }
                continue
            }
            isPlan = line.contains(" plan:") && pids.contains { line.contains("[\($0)]") }
            if isPlan { plans.append(Plan(sql: "", lines: [])) }
        }
        return plans.map { plan in
            let isNode = { (line: Substring) in line.contains("(actual ") || line.contains("Rows Removed") }
            return Plan(
                sql: plan.lines.filter { !isNode($0) }.joined(separator: "\n"),
                lines: plan.lines.filter(isNode))
        }
    }

    /// Each statement is found by an index, and none reads more than a page of rows.
    @Test func noStatementReadsMoreThanAPage() throws {
        _ = try scratch.store()
        try fill()
        let explaining =
            scratch.setting.replacingOccurrences(
                of: " application_name",
                with: """
                    \\ -csession_preload_libraries=auto_explain\\ -cauto_explain.log_min_duration=0\\ -cauto_explain.log_analyze=on\
                    \\ -cauto_explain.log_timing=off\\ -cauto_explain.log_nested_statements=on application_name
                    """)
        var node = QueueNode(name: "here", version: "1")
        node.tags = ["gpu"]
        let store = try JobStore(postgresql: explaining, node: node, owner: "here")
        // As often as a plan for any values is tried for a statement that was prepared.
        for round in 0..<8 { try useAll(store, node, round: round) }
        let plans = try plans()
        // The triggers' among them.
        #expect(
            plans.count > 1000 && plans.contains { $0.sql.contains("DELETE FROM units WHERE job = NEW.id") })
        var most: [String: Int] = [:]
        for plan in plans {
            for line in plan.lines {
                // The tables of which there are few rows: one for each node, user, or job that runs.
                let isSmall = line.contains(
                    /Seq Scan on (nodes|need_sets|turns|switches|numbers|job_counts|totals|progress|roots|trimd_version|jobs_id_seq)\b/
                )
                #expect(
                    !line.contains("Seq Scan on ") || isSmall,
                    "\(plan.sql)\n\(plan.lines.joined(separator: "\n"))")
                let count = line.firstMatch(of: /rows=(\d+) loops=(\d+)/)
                let rows = count.map { (Int($0.1) ?? 0) * (Int($0.2) ?? 0) } ?? 0
                let removed =
                    line.firstMatch(of: /Rows Removed by [A-Za-z ]+: (\d+)/).flatMap { Int($0.1) } ?? 0
                most[plan.sql, default: 0] = max(most[plan.sql, default: 0], rows, removed)
            }
        }
        for (sql, rows) in most { #expect(rows <= 1100, "\(sql) reads \(rows) rows") }
    }

    /// Each method of the queue.
    private func useAll(_ store: JobStore, _ node: QueueNode, round: Int) throws {
        try store.describe(node)
        try store.renew()
        #expect(try store.takeOver().isEmpty)
        let user = UInt32(round % 20)
        func submit(_ start: StartCondition = StartCondition(), key: String? = nil) throws -> Int64 {
            let name = OutputName.numbered(folder: "/new", stem: "a", free: Array(1...40), fileTypes: ["m4a"])
            return try store.submit(
                request(key: key), source: source, user: user, priority: 60, limit: 99_999, name: name,
                start: start
            ).job.id
        }
        let first = try submit(key: "k\(round)")
        let next = try submit(StartCondition(after: [first], needs: ["gpu"]))
        #expect(try store.job(key: "k\(round)", of: user)?.id == first)
        _ = try store.hold(next)
        _ = try store.release(next)
        _ = try store.modify(next, priority: 10)
        _ = try (
            store.availability(), store.waitingCount(), store.oldestWaiting(), store.counts(),
            store.counts(for: .user(3))
        )
        let job = try #require(try store.claim(worker: worker))
        let id = job.id
        let units = (0..<4).map {
            ExportUnit(number: $0, kind: .video, work: .string("a"), seconds: 1, memory: 1)
        }
        let plan = UnitPlan(plan: .string("p"), fingerprint: "f", units: units)
        _ = try store.plan(id, attempt: job.attempts, plan)
        _ = try store.correct(id, attempt: job.attempts, plan)
        func begin(_ number: Int) throws -> UnitClaim {
            UnitClaim(
                id, try store.beginUnit(id, attempt: job.attempts, number, worker: worker, progress: 0.1))
        }
        let report = UnitReport(number: 0, bytes: 1, details: .null)
        _ = try store.finishUnit(begin(0), file: source, report: report, progress: 0.2)
        _ = try store.failUnit(begin(1), attempt: job.attempts, MediaError(.inputOutput, "broken"))
        _ = try store.loseUnit(id, attempt: job.attempts, 0)
        try store.reach(id, attempt: job.attempts, progress: 0.3)
        try store.settle(id, attempt: job.attempts, progress: 0.3)
        _ = try (store.units(id), store.unitChanges(id, after: 2), store.attempts())
        #expect(try store.hasFreeUnit(except: [90_001]))
        for isFailed in [true, false] {
            let unit = try #require(try store.claimUnit(worker: worker, except: [90_001]))
            try store.returnUnit(UnitClaim(unit.job.id, unit.unit), isFailed: isFailed)
        }
        _ = try store.claimUnit(worker: worker, except: [])
        try store.returnUnits(except: [])
        _ = try store.pause(id, attempt: job.attempts, true)
        try store.ask(id, toPause: false)
        #expect(try store.asked() == [id: false])
        let live = LiveProgress(Progress(fraction: 0.5, phase: .exporting))
        try store.tell([AttemptProgress(job: id, user: user, attempt: job.attempts, live)])
        #expect(try store.told(since: Moment(milliseconds: 0)).count == 500)
        try store.add(LogBatch(number: Int64(round + 1), [id: "a\n", next: "b\n"]))
        #expect(try store.log(of: id, from: 0, limit: 1 << 19).text.hasSuffix("a\n"))
        _ = try store.log(of: id, from: nil, limit: 1 << 19)
        try store.publish(
            id, attempt: job.attempts, Publication(device: 1, inode: 2, name: "x\(round).m4a"),
            result: result())
        _ = try store.complete(id, attempt: job.attempts)
        for end in [
            AttemptEnd.failed(MediaError(.inputOutput, "x")), .givenUp(MediaError(.inputOutput, "x")),
            .cancelled, .interrupted,
        ] {
            let other = try #require(try store.claim(worker: worker))
            let ended = try store.end(other.id, attempt: other.attempts, end)
            if ended.state == .failed { _ = try store.retry(ended.id, source: source) }
        }
        _ = try store.failDependents()
        _ = try store.cancel(next)
        _ = try store.remove(next)
        #expect(try store.jobs(for: .all, limit: 1000).count == 1000)
        var filter = JobFilter()
        for statuses: Set<JobStatus> in [[.exporting], [.waiting], [.failed, .cancelled], [.completed]] {
            filter.statuses = statuses
            _ = try store.jobs(for: .user(3), where: filter, limit: 100, after: 99_000)
            _ = try store.jobs(for: .all, where: filter, limit: 100, after: nil)
        }
        _ = try store.events(for: .all, after: 99_000, since: nil, limit: 1000)
        _ = try store.events(for: .user(3), after: 0, since: nil, limit: 1000)
        _ = try (store.lastEvent(), store.lastJob(), store.totals(), store.takenNumbers("/new", "a"))
        _ = try (
            store.isDraining(), store.nodes(), store.nodes(for: .user(3)),
            store.marker(of: "media", proposing: "m")
        )
        try store.setDraining(false, node: "node7")
        try store.forget([Int64(round * 10 + 1), Int64(round * 10 + 2)])
    }
}
