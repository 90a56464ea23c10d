// JobTable: the tables through one connection, at one moment: what a change or a question of the store is made of. It has the only
// ways by which a row changes its state. On the queue of its connection.
internal import Media

/// The tables of the queue, within one change or question.
struct JobTable {
    /// The connection.
    let database: Database
    /// The moment of the change or question.
    let now: Moment

    /// The job a user's key stands for.
    func find(key: String, of user: UInt32) throws -> Job? {
        let rows = try Statement(
            database, "SELECT \(Job.columns) FROM jobs WHERE user = ? AND key = ?",
            [.integer(Int64(user)), .text(key)])
        return try rows.step() ? try Job(row: rows) : nil
    }

    /// States as SQL lists them.
    static func list(_ states: [JobState]) -> String {
        states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// What is said of a job that is not there.
    static func missing(_ id: Int64) -> MediaError {
        MediaError(.jobNotFound, "there is no job \(id)", remedy: "`trimctl list` lists yours")
    }

    /// The job of a number.
    func find(_ id: Int64) throws -> Job? {
        let row = try Statement(database, "SELECT \(Job.columns) FROM jobs WHERE id = ?", [.integer(id)])
        return try row.step() ? try Job(row: row) : nil
    }

    /// Moves a job to another state if the table of states allows it and, where an attempt is given, that
    /// attempt still has the job. `also` are states that may be left for it beside the table's (the state
    /// itself, said again). What users see of it becomes an event.
    func move(
        _ id: Int64, attempt: Int? = nil, to state: JobState, also: [JobState] = [],
        set: String, _ values: [Value]
    ) throws -> Job {
        let row = try Statement(
            database,
            """
            UPDATE jobs SET state = '\(state.rawValue)', \(set) WHERE id = ? AND attempts = ifnull(?, attempts)
                AND state IN (\(JobTable.list(state.predecessors + also))) RETURNING \(Job.columns)
            """,
            values + [.integer(id), Value(attempt.map(Int64.init))])
        if try row.step() {
            let job = try Job(row: row)
            _ = try row.step()
            if state != .publishing {
                try record(JobEvent.Kind(state.status), of: job)
            }
            return job
        }
        guard let job = try find(id) else { throw JobTable.missing(id) }
        throw MediaError(
            .invalidRequest,
            "job \(id) is \(job.state.rawValue) in its attempt \(job.attempts), and cannot become \(state.rawValue)"
        )
    }

    /// Moves a job to its end, and adds it to the sums.
    func end(
        _ id: Int64, attempt: Int? = nil, _ state: JobState, also: [JobState] = [],
        error: MediaError?, setting set: String? = nil
    ) throws -> Job {
        // A clock that was set back makes no job end before it began.
        let ended = "error = ?, due = NULL, ended = max(?, ifnull(started, created))"
        let job = try move(
            id, attempt: attempt, to: state, also: also,
            set: set.map { "\($0), \(ended)" } ?? ended,
            [Value(try error.map { try JSON.text($0) }), .integer(now.milliseconds)])
        try count(state.rawValue, code: error?.code.rawValue ?? "", of: job)
        return job
    }

    /// The job, where the end of this attempt was written down before.
    func ended(
        _ id: Int64, _ attempt: Int, in states: Set<JobState>
    ) throws -> Job? {
        guard let job = try find(id) else { throw JobTable.missing(id) }
        return job.attempts == attempt && states.contains(job.state) ? job : nil
    }

    /// The job of a number; throws where it is not there.
    func need(_ id: Int64) throws -> Job {
        guard let job = try find(id) else { throw JobTable.missing(id) }
        return job
    }

    /// Throws where an order does not fit the state of a job.
    static func check(
        _ job: Job, mayBecome state: JobState, from: Set<JobState>? = nil, _ done: String, remedy: String
    ) throws {
        guard job.state.mayBecome(state), from?.contains(job.state) ?? true else {
            throw MediaError(
                .jobStateNotValid, "job \(job.id) is \(job.state.status.rawValue) and cannot be \(done)",
                remedy: remedy)
        }
    }

    /// Throws where a user has so many unfinished jobs already.
    func checkLimit(_ limit: Int?, of user: UInt32) throws {
        guard let limit else { return }
        let open = try database.integer(
            "SELECT jobs FROM open_jobs WHERE user = ?", [.integer(Int64(user))])
        guard Int(open ?? 0) < limit else {
            throw MediaError(
                .limitReached, "you have \(limit) unfinished jobs, and no more are taken",
                remedy: "wait for some, or cancel some")
        }
    }
}
