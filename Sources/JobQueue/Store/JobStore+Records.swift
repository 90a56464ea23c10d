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
        return try read { database in
            let rows = try Statement(
                database, "SELECT id, job, user, at, event, code FROM events \(rest)", values)
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
        try read { database in
            try database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0
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
        try read { database in
            let rows = try Statement(
                database, "SELECT event, preset, render, code, jobs, media, work, bytes FROM totals", [])
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

    // MARK: on the store's queue

    static func record(
        _ kind: JobEvent.Kind, of job: Job, in database: Database, at now: Moment
    ) throws {
        let code = kind == .removed || job.state == .completed ? nil : job.error?.code.rawValue
        try database.run(
            "INSERT INTO events (job, user, at, event, code) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(job.id), .integer(Int64(job.user)), .integer(now.milliseconds),
                .text(kind.rawValue), Value(code),
            ])
    }

    static func count(_ event: String, code: String = "", of job: Job, in database: Database) throws {
        var sums: [Int64] = [0, 0, 0]
        if event == "completed", let result = job.result {
            let length = (result.actual.end - result.actual.start).seconds
            sums[0] = length.isFinite && length > 0 ? Int64(min(length, 1e9) * 1000) : 0
            sums[2] = max(0, result.bytes)
        }
        if let started = job.started, let ended = job.ended {
            sums[1] = max(0, ended.milliseconds - started.milliseconds)
        }
        let render = job.result?.render ?? job.request.render
        try database.run(
            """
            INSERT INTO totals VALUES (?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET jobs = jobs + 1,
                media = media + excluded.media, work = work + excluded.work, bytes = bytes + excluded.bytes
            """,
            [
                .text(event), .text(job.request.preset.id), .text(render.rawValue), .text(code),
                .integer(sums[0]), .integer(sums[1]), .integer(sums[2]),
            ])
    }
}
