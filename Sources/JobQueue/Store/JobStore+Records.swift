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
        if case .user(let user) = viewer {
            conditions.append("user = ?")
            values.append(.integer(Int64(user)))
        }
        if let moment {
            conditions.append("at >= ?")
            values.append(.integer(moment.milliseconds))
        }
        let rest = "WHERE \(conditions.joined(separator: " AND ")) ORDER BY id LIMIT \(max(0, limit))"
        return try read { table in
            let rows = try Statement(
                table.database, "SELECT id, job, user, at, event, code FROM events \(rest)", values)
            var events: [JobEvent] = []
            while try rows.step() {
                guard let kind = rows.text(4).flatMap(JobEvent.Kind.init(rawValue:)) else { continue }
                events.append(
                    JobEvent(
                        id: rows.integer(0) ?? 0, job: rows.integer(1) ?? 0, event: kind,
                        at: Moment(milliseconds: rows.integer(3) ?? 0),
                        user: UInt32(truncatingIfNeeded: rows.integer(2) ?? 0),
                        code: rows.text(5).flatMap(ErrorCode.init(rawValue:))))
            }
            return events
        }
    }

    /// The number of the last event, for any viewer; 0 before the first.
    public func lastEvent() throws(MediaError) -> Int64 {
        try read { table in
            try table.database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0
        }
    }

    /// The totals over all jobs that ever ended here.
    public func totals() throws(MediaError) -> [JobTotal] {
        try read { table in
            let rows = try Statement(
                table.database, "SELECT event, preset, render, code, jobs, media, work, bytes FROM totals", []
            )
            var totals: [JobTotal] = []
            while try rows.step() {
                totals.append(
                    JobTotal(
                        event: rows.text(0) ?? "", preset: rows.text(1) ?? "", render: rows.text(2) ?? "",
                        code: rows.text(3) ?? "", jobs: rows.integer(4) ?? 0, media: rows.integer(5) ?? 0,
                        work: rows.integer(6) ?? 0, bytes: rows.integer(7) ?? 0))
            }
            return totals
        }
    }
}
