// Jobs that run only after others: which of these are not completed yet. On the queue of the connection. A trigger of the
// tables takes a dependency away when its job completes.
internal import Media

extension JobTable {
    /// Those of the jobs that have not completed; throws if one does not exist.
    func open(of ids: [Int64]) throws -> [Int64] {
        try ids.filter { try need($0).state != .completed }
    }

    /// Records what a new job waits for.
    func add(_ dependencies: [Int64], of id: Int64) throws {
        for other in dependencies {
            try database.run(
                "INSERT INTO dependencies (job, other) VALUES (?, ?)", [.integer(id), .integer(other)])
        }
        guard !dependencies.isEmpty, database.dialect == .postgres else { return }
        try database.run(
            """
            UPDATE jobs SET hopeless = (SELECT count(*) FROM dependencies JOIN jobs AS others ON others.id = other
                WHERE job = ? AND others.state IN ('failed', 'cancelled')) WHERE id = ?
            """, [.integer(id), .integer(id)])
    }

    /// The jobs that wait for one that has ended otherwise or is gone, each with the first such one.
    func hopeless() throws -> [(id: Int64, other: Int64)] {
        // PostgreSQL keeps their number, and so reads no others.
        let counted = database.dialect == .sqlite ? "" : "AND jobs.hopeless > 0"
        let rows = try database.rows(
            """
            SELECT dependencies.job, min(dependencies.other) FROM dependencies
            JOIN jobs ON jobs.id = dependencies.job AND jobs.state IN ('waiting', 'held') \(counted)
            LEFT JOIN jobs AS others ON others.id = dependencies.other
            WHERE others.id IS NULL OR others.state IN ('failed', 'cancelled')
            GROUP BY dependencies.job ORDER BY dependencies.job LIMIT 100
            """, [])
        return rows.compactMap { row in
            row.integer(0).flatMap { id in row.integer(1).map { (id, $0) } }
        }
    }
}
