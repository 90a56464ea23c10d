// JobStore's questions, and the one way a job changes its state. Questions change nothing and see only what
// their viewer may see.
public import Media

extension JobStore {
    /// The job of a number; what the viewer may not see is not there.
    public func job(_ id: Int64, for viewer: Viewer = .all) throws(MediaError) -> Job {
        try onQueue { database in
            guard let job = try JobStore.find(database, id), viewer == .all || viewer == .user(job.user)
            else { throw JobStore.missing(id) }
            return job
        }
    }

    /// The job a user's key stands for, where it is on record.
    public func job(key: String, of user: UInt32) throws(MediaError) -> Job? {
        try onQueue { database in try JobStore.find(database, key: key, of: user) }
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
        try onQueue { database in
            Int(try database.integer("SELECT count(*) FROM jobs WHERE state = 'waiting'") ?? 0)
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
        return try onQueue { database in
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
        try onQueue { database in
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

    static let nextWaiting = "SELECT id FROM jobs WHERE state = 'waiting' ORDER BY id LIMIT 1"

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

    /// Moves a job to another state if the table of states allows it and, where an attempt is given, that
    /// attempt still has the job. `also` are states that may be left for it beside the table's (the state
    /// itself, said again).
    static func move(
        _ database: Database, _ id: Int64, attempt: Int? = nil, to state: JobState, also: [JobState] = [],
        set: String, _ values: [Value]
    ) throws -> Job {
        let row = try Statement(
            database,
            """
            UPDATE jobs SET state = '\(state.rawValue)', \(set) WHERE id = ? AND attempts = ifnull(?, attempts)
                AND state IN (\(list(state.predecessors + also))) RETURNING \(Job.columns)
            """,
            values + [.integer(id), Value(attempt.map(Int64.init))])
        if try row.step() { return try Job(row: row) }
        guard let job = try find(database, id) else { throw missing(id) }
        throw MediaError(
            .invalidRequest,
            "job \(id) is \(job.state.rawValue) in its attempt \(job.attempts), and cannot become \(state.rawValue)"
        )
    }
}

extension JobState {
    /// The states of jobs that something is still to happen to.
    static var unfinished: [JobState] { allCases.filter { !$0.isFinal } }
}
