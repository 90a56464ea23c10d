// JobStore's records: events, which tell in order what became of jobs, and sums, which outlive the jobs they were
// made of. Both are written in the transaction of the change they tell of, so that none is missing and none is
// told twice. Events have numbers that only grow: whoever knows the last one it saw misses nothing.
public import Media
internal import MediaTime

extension JobStore {
    /// Events after a number, or from a moment on, oldest first.
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

    /// The number of the last event there was, whoever may see it; 0 before the first.
    public func lastEvent() throws(MediaError) -> Int64 {
        try read { table in
            try table.database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0
        }
    }

    /// A sum over jobs of one kind.
    public struct Total: Hashable, Sendable {
        /// `completed`, `failed`, `cancelled`; `crashed`: workers that died; `retried`: further attempts.
        public var event: String
        /// The preset's id.
        public var preset: String
        /// The way to render.
        public var render: String
        /// Why; empty where nothing went wrong.
        public var code: String
        /// How many.
        public var jobs: Int64
        /// Milliseconds of media in the outputs.
        public var media: Int64
        /// Milliseconds between begin and end.
        public var work: Int64
        /// Bytes of the outputs.
        public var bytes: Int64

        /// A sum from its parts.
        public init(
            event: String, preset: String, render: String, code: String, jobs: Int64, media: Int64,
            work: Int64,
            bytes: Int64
        ) {
            self.event = event
            self.preset = preset
            self.render = render
            self.code = code
            self.jobs = jobs
            self.media = media
            self.work = work
            self.bytes = bytes
        }
    }

    /// The sums over all jobs that ever ended here.
    public func totals() throws(MediaError) -> [Total] {
        try read { table in
            let rows = try Statement(
                table.database, "SELECT event, preset, render, code, jobs, media, work, bytes FROM totals", []
            )
            var totals: [Total] = []
            while try rows.step() {
                totals.append(
                    Total(
                        event: rows.text(0) ?? "", preset: rows.text(1) ?? "", render: rows.text(2) ?? "",
                        code: rows.text(3) ?? "", jobs: rows.integer(4) ?? 0, media: rows.integer(5) ?? 0,
                        work: rows.integer(6) ?? 0, bytes: rows.integer(7) ?? 0))
            }
            return totals
        }
    }
}
