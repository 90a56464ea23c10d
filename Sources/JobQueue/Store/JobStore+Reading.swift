// JobStore's questions, and the one way a job changes its state. Questions change nothing and see only what
// their viewer may see.
public import Media

extension JobStore {
    /// The job of a number; what the viewer may not see is not there.
    public func job(_ id: Int64, for viewer: Viewer = .all) throws(MediaError) -> Job {
        try read { database in
            guard let job = try JobStore.find(database, id), viewer == .all || viewer == .user(job.user)
            else { throw JobStore.missing(id) }
            return job
        }
    }

    /// The job a user's key stands for, where it is on record.
    public func job(key: String, of user: UInt32) throws(MediaError) -> Job? {
        try read { database in try JobStore.find(database, key: key, of: user) }
    }

    /// Jobs from the newest on; `after` a number, those older than it.
    public func jobs(for viewer: Viewer, limit: Int, after: Int64? = nil) throws(MediaError) -> [Job] {
        var conditions = ["id < ?"]
        var values: [Value] = [.integer(after ?? Int64.max)]
        if case .user(let user) = viewer {
            conditions.append("user = ?")
            values.append(.integer(Int64(user)))
        }
        let order = "ORDER BY id DESC LIMIT \(max(0, limit))"
        return try select("WHERE \(conditions.joined(separator: " AND ")) \(order)", values)
    }

    /// The jobs that a daemon which ended had begun and not ended, oldest first.
    public func begun() throws(MediaError) -> [Job] {
        try select("WHERE state IN (\(JobStore.list([.running, .publishing]))) ORDER BY id", [])
    }

    /// How many jobs wait for a worker. Costs a step in an index for each of them, not for each that ever was.
    public func waitingCount() throws(MediaError) -> Int {
        try read { database in
            Int(try database.integer("SELECT count(*) FROM jobs WHERE state = 'waiting'") ?? 0)
        }
    }

    /// Whether a job can be begun, and when the next one can that waits after a failure.
    public struct Availability: Hashable, Sendable {
        /// One can be begun now.
        public var isReady: Bool
        /// Milliseconds until another can.
        public var delay: Int64?
    }

    /// Whether a job can be begun.
    public func availability() throws(MediaError) -> Availability {
        try read { database in
            let now = now.milliseconds
            let ready = try database.integer("SELECT 1 FROM jobs WHERE \(JobStore.isReady) LIMIT 1")
            let due = try database.integer("SELECT min(due) FROM jobs WHERE due IS NOT NULL")
            let isDue = try database.integer("SELECT 1 FROM jobs WHERE \(JobStore.isDue(now)) LIMIT 1")
            return Availability(
                isReady: ready != nil || isDue != nil,
                delay: due.map { min(max($0 - now, 0), QueuePolicy.longestDelay) })
        }
    }

    /// When the job that has waited longest was accepted.
    public func oldestWaiting() throws(MediaError) -> Moment? {
        try read { database in
            try database.integer("SELECT created FROM jobs WHERE state = 'waiting' ORDER BY id LIMIT 1")
                .map(Moment.init(milliseconds:))
        }
    }

    /// How many jobs there are of each status, those without any left out.
    public func counts(for viewer: Viewer = .all) throws(MediaError) -> [JobStatus: Int] {
        var condition = ""
        var values: [Value] = []
        if case .user(let user) = viewer {
            condition = "WHERE user = ?"
            values.append(.integer(Int64(user)))
        }
        return try read { database in
            let rows = try Statement(
                database, "SELECT state, count(*) FROM jobs \(condition) GROUP BY state", values)
            var counts: [JobStatus: Int] = [:]
            while try rows.step() {
                guard let state = rows.text(0).flatMap(JobState.init(rawValue:)) else { continue }
                counts[state.status, default: 0] += Int(rows.integer(1) ?? 0)
            }
            return counts
        }
    }

    private func select(_ rest: String, _ values: [Value]) throws(MediaError) -> [Job] {
        try read { database in
            let rows = try Statement(database, "SELECT \(Job.columns) FROM jobs \(rest)", values)
            var jobs: [Job] = []
            while try rows.step() { jobs.append(try Job(row: rows)) }
            return jobs
        }
    }

    // MARK: on the store's queue

    static func find(_ database: Database, key: String, of user: UInt32) throws -> Job? {
        let rows = try Statement(
            database, "SELECT \(Job.columns) FROM jobs WHERE user = ? AND key = ?",
            [.integer(Int64(user)), .text(key)])
        return try rows.step() ? try Job(row: rows) : nil
    }

    static func list(_ states: [JobState]) -> String {
        states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    static func missing(_ id: Int64) -> MediaError {
        MediaError(.jobNotFound, "there is no job \(id)", remedy: "`trimctl list` lists yours")
    }

    static func find(_ database: Database, _ id: Int64) throws -> Job? {
        let row = try Statement(database, "SELECT \(Job.columns) FROM jobs WHERE id = ?", [.integer(id)])
        return try row.step() ? try Job(row: row) : nil
    }

    static let isReady = "state = 'waiting' AND due IS NULL"

    /// Due, or put off beyond all measure, as where the clock was set back.
    static func isDue(_ now: Int64) -> String {
        "due IS NOT NULL AND (due <= \(now) OR due > \(now + QueuePolicy.longestDelay))"
    }

    /// Jobs whose time has come are as ready as all others.
    static func wake(_ database: Database, _ now: Moment) throws {
        try database.run("UPDATE jobs SET due = NULL WHERE \(isDue(now.milliseconds))")
    }

    /// The job to begin next, and whose it is: of the user whose turn was longest ago the one with the highest priority, and
    /// of those the oldest. Priority orders a user's own jobs, and none before another user's. Each question is one look
    /// into the index; there are two for each priority of each user.
    static func next(_ database: Database, _ turns: [UInt32: Int64]) throws -> (id: Int64, user: UInt32)? {
        var firsts: [Int64: Int64] = [:]
        var priority = Int64.max
        while let lower = try database.integer(
            "SELECT max(priority) FROM jobs WHERE \(isReady) AND priority < ?", [.integer(priority)])
        {
            priority = lower
            var user: Int64 = -1
            while let other = try database.integer(
                "SELECT min(user) FROM jobs WHERE \(isReady) AND priority = ? AND user > ?",
                [.integer(priority), .integer(user)])
            {
                user = other
                guard firsts[user] == nil else { continue }
                firsts[user] = try database.integer(
                    "SELECT min(id) FROM jobs WHERE \(isReady) AND priority = ? AND user = ?",
                    [.integer(priority), .integer(user)])
            }
        }
        let jobs = firsts.compactMap { user, id in UInt32(exactly: user).map { (id: id, user: $0) } }
        return jobs.min { (turns[$0.user] ?? 0, $0.id) < (turns[$1.user] ?? 0, $1.id) }
    }

    /// Moves a job to another state if the table of states allows it and, where an attempt is given, that
    /// attempt still has the job. `also` are states that may be left for it beside the table's (the state
    /// itself, said again). What users see of it becomes an event.
    static func move(
        _ database: Database, _ id: Int64, attempt: Int? = nil, to state: JobState, also: [JobState] = [],
        at now: Moment, set: String, _ values: [Value]
    ) throws -> Job {
        let row = try Statement(
            database,
            """
            UPDATE jobs SET state = '\(state.rawValue)', \(set) WHERE id = ? AND attempts = ifnull(?, attempts)
                AND state IN (\(list(state.predecessors + also))) RETURNING \(Job.columns)
            """,
            values + [.integer(id), Value(attempt.map(Int64.init))])
        if try row.step() {
            let job = try Job(row: row)
            _ = try row.step()
            if state != .publishing {
                try record(JobEvent.Kind(state.status), of: job, in: database, at: now)
            }
            return job
        }
        guard let job = try find(database, id) else { throw missing(id) }
        throw MediaError(
            .invalidRequest,
            "job \(id) is \(job.state.rawValue) in its attempt \(job.attempts), and cannot become \(state.rawValue)"
        )
    }

    /// Moves a job to its end, and adds it to the sums.
    static func end(
        _ database: Database, _ id: Int64, attempt: Int? = nil, _ state: JobState, also: [JobState] = [],
        error: MediaError?, setting set: String? = nil, at now: Moment
    ) throws -> Job {
        // A clock that was set back makes no job end before it began.
        let ended = "error = ?, due = NULL, ended = max(?, ifnull(started, created))"
        let job = try move(
            database, id, attempt: attempt, to: state, also: also, at: now,
            set: set.map { "\($0), \(ended)" } ?? ended,
            [Value(try error.map { try JSON.text($0) }), .integer(now.milliseconds)])
        try count(state.rawValue, code: error?.code.rawValue ?? "", of: job, in: database)
        return job
    }
}
