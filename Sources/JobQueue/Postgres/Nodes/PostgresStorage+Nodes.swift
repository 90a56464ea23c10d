// The nodes that share a queue, as they say themselves, and the markers of the roots that they share.
internal import Media
internal import Synchronization

extension PostgresStorage {
    /// Milliseconds for which the record of an earlier run of a node is kept.
    private static let runMemory: Int64 = 600_000

    /// The jobs whose roots are here: nobody else can say whether the output of one was published. Its value is `rootValue`.
    var isReachable: String {
        """
        NOT EXISTS (SELECT 1 FROM unnest(string_to_array(jobs.needs, ',')) AS word
            WHERE word LIKE '/%' AND NOT word = ANY (string_to_array(?, ',')))
        """
    }

    /// The condition for units that the owner in `nodes` has, and has not made.
    static let isOfNode = "units.owner = nodes.owner AND units.state <> 'done'"

    /// The words of the roots that are here.
    var rootValue: Value { .text(present.withLock(\.roots).map(Needs.root).joined(separator: ",")) }

    func drainSwitch(of node: String) -> String { "drain \(node)" }

    /// Stores what this node is and has, with its lease.
    func describe(_ node: QueueNode, _ owner: String) throws(MediaError) {
        present.withLock { $0 = node }
        try change { [self] database, now -> Void in
            try renew(owner, database, now)
            try database.run(
                """
                UPDATE nodes SET version = ?, host = ?, uid = ?, processors = ?, busy = ?, memory = ?, workers = ?, tags = ?,
                    roots = ?, drains = ?, heard = ? WHERE owner = ?
                """,
                [
                    .text(node.version), .text(node.host), .integer(Int64(node.user)),
                    .integer(Int64(node.processors)), .integer(Int64(node.busyProcessors)),
                    .integer(node.memory), .integer(Int64(node.workers)),
                    .text(node.tags.sorted().joined(separator: ",")),
                    .text(node.roots.sorted().joined(separator: ",")), .integer(node.isDraining ? 1 : 0),
                    .integer(now.milliseconds), .text(owner),
                ])
            // Its earlier runs, whose attempts have been taken over.
            try database.run(
                """
                DELETE FROM nodes WHERE name = ? AND owner <> ? AND lease <= ? AND heard <= ? AND NOT EXISTS (SELECT 1 FROM jobs
                    WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon = nodes.owner)
                    AND NOT EXISTS (SELECT 1 FROM units WHERE \(PostgresStorage.isOfNode))
                """,
                [
                    .text(node.name), .text(owner), .integer(now.milliseconds),
                    .integer(now.milliseconds - PostgresStorage.runMemory),
                ])
        }
    }

    func nodes(for viewer: Viewer, _ owner: String) throws(MediaError) -> [NodeRecord] {
        // Asked of each unit of a node by itself: a join may read all jobs that a user ever had.
        var (whose, whoseUnit, values): (String, String, [Value]) = ("", "", [])
        if case .user(let user) = viewer {
            (whose, values) = ("AND \"user\" = ?", [.integer(Int64(user)), .integer(Int64(user))])
            whoseUnit = "AND (SELECT \"user\" FROM jobs WHERE jobs.id = units.job) = ?"
        }
        return try read { database, now in
            try database.rows(
                """
                SELECT DISTINCT ON (nodes.name) nodes.name, version, host, uid, processors, busy, memory, workers, tags, roots,
                    nodes.drains, started, heard, lease, owner, switches.is_on,
                    (SELECT string_agg(CAST(id AS TEXT), ',' ORDER BY id) FROM (
                        (SELECT id FROM jobs WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon = nodes.owner \(whose)
                            ORDER BY daemon, id LIMIT \(NodeRecord.mostJobs))
                        UNION (SELECT DISTINCT job FROM units WHERE \(PostgresStorage.isOfNode) \(whoseUnit) ORDER BY job LIMIT \(NodeRecord.mostJobs))
                        ORDER BY id LIMIT \(NodeRecord.mostJobs)) AS begun)
                FROM nodes LEFT JOIN switches ON switches.name = 'drain ' || nodes.name
                ORDER BY nodes.name, lease DESC, started DESC LIMIT \(NodeRecord.most)
                """, values
            ).map { NodeRecord(row: $0, now: now, owner: owner) }
        }
    }

    func marker(of root: String, proposing id: String?) throws(MediaError) -> String? {
        let stored = "SELECT marker FROM roots WHERE name = ?"
        if let known = try read({ database, _ in try database.rows(stored, [.text(root)]).first?.text(0) }) {
            return known
        }
        guard let id else { return nil }
        return try change { database, now in
            try database.run(
                "INSERT INTO roots VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [.text(root), .text(id), .integer(now.milliseconds)])
            return try database.rows(stored, [.text(root)]).first?.text(0)
        }
    }
}

extension NodeRecord {
    /// Reads a row of `nodes`.
    fileprivate init(row: Row, now: Moment, owner: String) {
        func words(_ column: Int) -> [String] {
            (row.text(column) ?? "").split(separator: ",").map(String.init)
        }
        var node = QueueNode(name: row.text(0) ?? "", version: row.text(1) ?? "")
        node.host = row.text(2) ?? ""
        node.user = UInt32(truncatingIfNeeded: row.integer(3) ?? 0)
        node.processors = Int(row.integer(4) ?? 0)
        node.busyProcessors = Int(row.integer(5) ?? 0)
        node.memory = row.integer(6) ?? 0
        node.workers = Int(row.integer(7) ?? 0)
        (node.tags, node.roots) = (words(8), words(9))
        node.isDraining = row.integer(10) == 1
        self.init(
            node, started: Moment(milliseconds: row.integer(11) ?? 0),
            heard: Moment(milliseconds: row.integer(12) ?? 0), now: now,
            isGone: row.integer(13) ?? 0 <= now.milliseconds, isDraining: row.integer(15) == 1,
            isThis: row.text(14) == owner, jobs: words(16).compactMap { Int64($0) })
    }
}
