// JobTable: the tables through one connection, at one time: changes and reads of the store are built from it. Only its
// functions change a row's state. On the queue of its connection.
internal import Media

/// The tables of the queue, within one change or read.
struct JobTable {
    /// The connection.
    let database: Database
    /// The time of the change or read.
    let now: Moment
    /// The owner of the attempts that may be changed.
    let owner: String

    /// The job with a user's key.
    func find(key: String, of user: UInt32) throws -> Job? {
        let rows = try Statement(
            database, "SELECT \(Job.columns) FROM jobs WHERE user = ? AND key = ?",
            [.integer(Int64(user)), .text(key)])
        return try rows.step() ? try Job(row: rows) : nil
    }

    /// States as an SQL list.
    static func list(_ states: [JobState]) -> String {
        states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }

    /// The error for a job that does not exist.
    static func missing(_ id: Int64) -> MediaError {
        MediaError(.jobNotFound, "there is no job \(id)", remedy: "`trimctl list` lists yours")
    }

    /// The job with an ID.
    func find(_ id: Int64) throws -> Job? {
        let row = try Statement(database, "SELECT \(Job.columns) FROM jobs WHERE id = ?", [.integer(id)])
        return try row.step() ? try Job(row: row) : nil
    }

    /// Moves a job to another state if the table of states allows it and, with `attempt`, that attempt of this
    /// owner still has the job and has not ended.
    /// `also` adds states that may precede it (the state itself, if repeated). A change of the visible status becomes an event.
    func move(
        _ id: Int64, attempt: Int? = nil, to state: JobState, also: [JobState] = [],
        set: String, _ values: [Value]
    ) throws -> Job {
        var states = state.predecessors + also
        if attempt != nil { states.removeAll { !JobState.begun.contains($0) } }
        let row = try Statement(
            database,
            """
            UPDATE jobs SET state = '\(state.rawValue)', \(set) WHERE id = ? AND (? IS NULL OR attempts = ? AND daemon = ?)
                AND state IN (\(JobTable.list(states))) RETURNING \(Job.columns)
            """,
            values + [
                .integer(id), Value(attempt.map(Int64.init)), Value(attempt.map(Int64.init)), .text(owner),
            ])
        if try row.step() {
            let job = try Job(row: row)
            _ = try row.step()
            if state != .publishing {
                try record(JobEvent.Kind(state.status), of: job)
            }
            return job
        }
        guard let job = try find(id) else { throw JobTable.missing(id) }
        if attempt != nil, let other = job.owner, other != owner { throw JobTable.lost(job) }
        throw MediaError(
            .invalidRequest,
            "job \(id) is \(job.state.rawValue) in its attempt \(job.attempts), and cannot become \(state.rawValue)"
        )
    }

    /// Moves a job to its final state, and adds it to the totals.
    func end(
        _ id: Int64, attempt: Int? = nil, _ state: JobState, also: [JobState] = [],
        error: MediaError?, setting set: String? = nil
    ) throws -> Job {
        // If the clock was set back, the end is still not before the start.
        let ended = "error = ?, due = NULL, paused = 0, ended = max(?, ifnull(started, created))"
        let job = try move(
            id, attempt: attempt, to: state, also: also,
            set: set.map { "\($0), \(ended)" } ?? ended,
            [Value(try error.map { try JSON.text($0) }), .integer(now.milliseconds)])
        try count(state.rawValue, code: error?.code.rawValue ?? "", of: job)
        return job
    }

    /// The error of an attempt whose job another owner has taken over.
    private static func lost(_ job: Job) -> MediaError {
        MediaError(
            .invalidRequest, "job \(job.id) was taken over by another run of trimd: its lease had ended")
    }

    /// The job, if the end of this attempt is stored already, whatever its user has ordered since.
    func ended(_ id: Int64, _ attempt: Int, isCompleted: Bool = false) throws -> Job? {
        let job = try need(id)
        guard job.attempts == attempt, job.owner == owner, !JobState.begun.contains(job.state) else {
            return nil
        }
        return (job.state == .completed) == isCompleted ? job : nil
    }

    /// The job with an ID; throws if it does not exist.
    func need(_ id: Int64) throws -> Job {
        guard let job = try find(id) else { throw JobTable.missing(id) }
        return job
    }

    /// Throws if an order does not fit the state of a job.
    static func check(
        _ job: Job, mayBecome state: JobState, from: Set<JobState>? = nil, _ done: String, remedy: String
    ) throws {
        guard job.state.mayBecome(state), from?.contains(job.state) ?? true else {
            throw MediaError(
                .jobStateNotValid, "job \(job.id) is \(job.state.status.rawValue) and cannot be \(done)",
                remedy: remedy)
        }
    }

    /// The error of an order to a running attempt that does not run.
    static func notRunning(_ job: Job) -> MediaError {
        MediaError(
            .jobStateNotValid, "job \(job.id) is \(job.state.status.rawValue) and cannot be paused",
            remedy: "only a job whose output is not being published can be")
    }

    /// Throws if a user has reached the limit of unfinished jobs.
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
