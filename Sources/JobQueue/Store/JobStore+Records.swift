// JobStore, records: events, which list the changes of jobs in order, and totals, which persist after their jobs are removed.
// Both are written in the transaction of the change, so that each is recorded exactly once. Event numbers only grow: a client
// that knows the last one it saw misses none.
public import Media
internal import MediaTime

extension JobStore {
    /// Events after a number or since a time, oldest first.
    public func events(
        for viewer: Viewer, after id: Int64 = 0, since moment: Moment? = nil, limit: Int
    ) throws(MediaError) -> [JobEvent] {
        var conditions = ["id > ?"]
        var values: [Value] = [.integer(id)]
        var order = "id"
        if case .user(let user) = viewer {
            // In the order of the index by users: by that of the numbers, a server would read all events for those of one user.
            conditions.append("\"user\" BETWEEN ? AND ?")
            values += [.integer(Int64(user)), .integer(Int64(user))]
            order = "\"user\", id"
        }
        if let moment {
            conditions.append("at >= ?")
            values.append(.integer(moment.milliseconds))
        }
        let rest = "WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT \(max(0, limit))"
        try storage.numberEvents()
        return try read { table in
            try table.database.rows(
                "SELECT id, job, \"user\", at, event, code FROM events \(rest)", values
            ).compactMap { row in
                guard let kind = row.text(4).flatMap(JobEvent.Kind.init(rawValue:)) else { return nil }
                return JobEvent(
                    id: row.integer(0) ?? 0, job: row.integer(1) ?? 0, event: kind,
                    at: Moment(milliseconds: row.integer(3) ?? 0),
                    user: UInt32(truncatingIfNeeded: row.integer(2) ?? 0),
                    code: row.text(5).flatMap(ErrorCode.init(rawValue:)))
            }
        }
    }

    /// The number of the last event, for any viewer; 0 before the first.
    public func lastEvent() throws(MediaError) -> Int64 { try storage.lastEvent() }

    /// The totals over all jobs that ever ended here.
    public func totals() throws(MediaError) -> [JobTotal] {
        try read { table in
            let sums = ["jobs", "media", "work", "bytes"].map { "CAST(sum(\($0)) AS BIGINT)" }
            return try table.database.rows(
                """
                SELECT event, preset, render, code, \(sums.joined(separator: ", ")) FROM totals
                    GROUP BY event, preset, render, code
                """, []
            ).map { row in
                JobTotal(
                    event: row.text(0) ?? "", preset: row.text(1) ?? "", render: row.text(2) ?? "",
                    code: row.text(3) ?? "", jobs: row.integer(4) ?? 0, media: row.integer(5) ?? 0,
                    work: row.integer(6) ?? 0, bytes: row.integer(7) ?? 0)
            }
        }
    }
}
