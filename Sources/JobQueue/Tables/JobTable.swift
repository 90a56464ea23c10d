// JobTable: the tables through one connection, at one time: changes and reads of the store are built from it. Only its
// functions change a row's state. On the queue of its connection.
internal import Media

/// The tables of the queue, within one change or read.
struct JobTable {
    /// The connection.
    let database: any TableConnection
    /// The time of the change or read.
    let now: Moment
    /// The owner of the attempts that may be changed.
    let owner: String
    /// Whether this is a change: the jobs that it looks at are locked until its end.
    let isChange: Bool
    /// Notes what others want to know of.
    var news: News?
    /// Where this node has the roots that the paths of jobs lie beneath.
    var paths = RootNames()
    /// The abilities of this node: those words that jobs may need.
    var abilities: Set<String> = []

    /// After a SELECT of a job.
    private var lock: String { isChange ? database.dialect.forUpdate : "" }

    /// The job with a user's key.
    func find(key: String, of user: UInt32) throws -> Job? {
        let rows = try database.rows(
            "SELECT \(Job.columns) FROM jobs WHERE \"user\" = ? AND key = ?\(lock)",
            [.integer(Int64(user)), .text(key)])
        return try rows.first.map(job)
    }

    /// The job of a row, with its paths as they are on this node.
    func job(_ row: Row) throws -> Job { try Job(row: row).localized(by: paths) }

    /// The text of a request, with its paths as all nodes know them.
    func text(_ request: ExportRequest) throws -> String {
        try JSON.text(paths.paths.isEmpty ? request : RootNames.changed(request, paths.stored))
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
        let rows = try database.rows("SELECT \(Job.columns) FROM jobs WHERE id = ?\(lock)", [.integer(id)])
        return try rows.first.map(job)
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
        let fence = attempt == nil ? "" : "AND attempts = ? AND daemon = ?"
        let rows = try database.rows(
            """
            UPDATE jobs SET state = '\(state.rawValue)', \(set) WHERE id = ? \(fence)
                AND state IN (\(JobTable.list(states))) RETURNING \(Job.columns)
            """,
            values + [.integer(id)] + (attempt.map { [.integer(Int64($0)), .text(owner)] } ?? []))
        if let row = rows.first {
            let job = try job(row)
            // Units that the attempt did not make are another's to make.
            if attempt != nil, !state.isFinal, job.units != nil { try freeUnits(of: owner, job: id) }
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
        let ended =
            "error = ?, due = NULL, paused = 0, ended = \(database.dialect.greatest)(?, coalesce(started, created))"
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
        guard try openJobs(of: user, limit: limit) < limit else {
            throw MediaError(
                .limitReached, "you have \(limit) unfinished jobs, and no more are taken",
                remedy: "wait for some, or cancel some")
        }
    }

    /// The number of a user's unfinished jobs. Where others may accept some at the same time that would exceed the limit with this one,
    /// they wait until this change has ended: each transaction that is open, and there are no more than connections, adds one.
    private func openJobs(of user: UInt32, limit: Int) throws -> Int {
        let sum = "SELECT CAST(sum(jobs) AS BIGINT) FROM open_jobs WHERE \"user\" = ?"
        let open = Int(try database.integer(sum, [.integer(Int64(user))]) ?? 0)
        guard isChange, database.dialect == .postgres else { return open }
        let others = try database.integer("SELECT CAST(current_setting('max_connections') AS BIGINT)") ?? 0
        guard open < limit, open + Int(others) >= limit else { return open }
        _ = try database.rows(
            "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' user ' || ?, 0))",
            [.text("\(user)")])
        // A statement of its own: it sees what was committed before the lock was given.
        return Int(try database.integer(sum, [.integer(Int64(user))]) ?? 0)
    }

    /// The states of the jobs that match, each with their number.
    func stateCounts(_ condition: String, _ values: [Value]) throws -> [Row] {
        // PostgreSQL, which would read each row of the table, keeps their numbers.
        let (sum, table) =
            database.dialect == .sqlite
            ? ("count(*)", "jobs") : ("CAST(sum(jobs) AS BIGINT)", "job_counts")
        return try database.rows("SELECT state, \(sum) FROM \(table) \(condition) GROUP BY state", values)
    }

    /// The number of jobs that have ended, where it is kept.
    func endedCount() throws -> Int? {
        guard database.dialect == .postgres else { return nil }
        let ended = JobTable.list(JobState.allCases.filter(\.isFinal))
        return Int(
            try database.integer("SELECT CAST(sum(jobs) AS BIGINT) FROM job_counts WHERE state IN (\(ended))")
                ?? 0)
    }
}

/// Whether a change is one that other owners want to know of: an event, or a change of units.
///
/// `@unchecked Sendable`: written within a change, and read when that has returned.
final class News: @unchecked Sendable {
    var isAny = false
}
