// JobStore: the durable record of jobs, in the tables of a database. A change is on the disk when the call returns, and every later
// read sees it. It starts no worker, opens no media file and keeps no progress. Where the tables are is a matter of its storage:
// one file, which one daemon at a time has open, or a PostgreSQL that several daemons share. This file takes a job from its
// acceptance to its end; other changes by users are in JobStore+Orders.
public import Media
public import Platform

/// The job queue in the tables of a database.
public final class JobStore: JobQueue {
    let storage: any TableStorage
    /// Who owns the attempts that this store claims: one run of the daemon.
    public let owner: String
    /// The policy on failed and finished jobs.
    public let policy: QueuePolicy

    /// A store over a database that is open.
    init(_ storage: any TableStorage, owner: String, policy: QueuePolicy) {
        self.storage = storage
        self.owner = owner
        self.policy = policy
    }

    /// Opens or creates the database in a file and migrates it to this version; throws if it is damaged. Only one daemon at a
    /// time may have it open; its opener ensures that (a lock on the folder). `clock` returns the current time.
    public convenience init(
        file: String, owner: String, policy: QueuePolicy = QueuePolicy(),
        clock: @escaping @Sendable () -> Moment = { .now }
    ) throws(MediaError) {
        self.init(try SQLiteStorage(file: file, clock: clock), owner: owner, policy: policy)
    }

    /// Where the tables are; without a password.
    public var place: String { storage.place }
    /// The schema version that this program reads and writes.
    public var version: Int { storage.version }
    /// Of a file nil: an attempt is its owner's until the owner has ended, and whoever opens the file next knows that it has.
    public var leaseTime: Int64? { storage.leaseTime }

    /// Accepts a job: it is on the disk when this returns. With a key that the user used before, returns that job; throws if
    /// the request differs. Refuses more than `limit` unfinished jobs of one user.
    /// - Parameter name: the output's name, which is reserved for the job; nil: none. Throws `fileAlreadyExists` if another
    ///   unfinished job has reserved it, or all the offered numbers.
    public func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32,
        priority: Int = JobReport.usualPriority, limit: Int? = nil, name: OutputName? = nil,
        start: StartCondition = StartCondition()
    ) throws(MediaError) -> JobSubmission {
        try change { table in
            if let key = request.key, let known = try table.find(key: key, of: user) {
                try known.check(isAskedBy: request)
                return JobSubmission(job: known, isNew: false)
            }
            try table.checkLimit(limit, of: user)
            let kept = try table.keep(name, for: user)
            var request = request
            request.output.number = kept.number
            let text = try table.text(request)
            let needs = try table.needs(of: request, start.needs, user: user)
            let open = try table.open(of: start.after)
            let inserted = try table.database.rows(
                """
                INSERT INTO jobs ("user", key, state, request, source_device, source_inode, source_size, source_modified,
                    source_boot, source_digest, created, priority, reserved, after_jobs, blockers, not_before, due, needs)
                VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING \(Job.columns)
                """,
                [
                    .integer(Int64(user)), Value(request.key), .text(text),
                    .integer(Int64(bitPattern: source.device)), .integer(Int64(bitPattern: source.inode)),
                    .integer(source.size), .integer(source.modified), Value(source.boot),
                    Value(source.digest), .integer(table.now.milliseconds), .integer(Int64(priority)),
                    Value(kept.key),
                    Value(start.after.isEmpty ? nil : start.after.map(String.init).joined(separator: ",")),
                    .integer(Int64(open.count)), Value(start.notBefore?.milliseconds),
                    Value(Job.due(start.notBefore, now: table.now)?.milliseconds),
                    .text(needs.text),
                ])
            guard let row = inserted.first else {
                throw MediaError(.unknown, "the queue gave no number to the job")
            }
            let job = try table.job(row)
            try table.add(open, of: job.id)
            try table.addUnmet(needs, of: job.id)
            try table.record(.waiting, of: job)
            return JobSubmission(job: job, isNew: true)
        }
    }

    /// Assigns the next job to a worker: the one with the highest priority of the user whose turn was longest ago. The attempt
    /// is counted here, before the worker gets it.
    public func claim(worker: ProcessIdentity) throws(MediaError) -> Job? {
        try change { [storage] table in
            try storage.willClaim(table)
            try table.wake()
            guard let (id, user) = try table.next() else { return nil }
            let job = try table.move(
                id, to: .running,
                set: """
                    attempts = attempts + 1, daemon = ?, boot = ?, worker_pid = ?, worker_start = ?,
                    started = \(table.database.dialect.greatest)(?, created), due = NULL, paused = 0, asked = NULL,
                    output_device = NULL, output_inode = NULL, output_name = NULL, result = NULL
                    """,
                [
                    .text(table.owner), .text(worker.boot), .integer(Int64(worker.pid)),
                    .integer(worker.start), .integer(table.now.milliseconds),
                ])
            try table.countTurn(of: user)
            return job
        }
    }

    /// Renews the leases of this owner's attempts.
    public func renew() throws(MediaError) { try storage.renew(owner) }

    /// Hears of changes of other owners.
    public func listen(_ onChange: @escaping @Sendable () -> Void) { storage.listen(onChange) }

    /// An owner has ended: its leases are over.
    public func leave(_ owner: String) throws(MediaError) { try storage.leave(owner) }

    /// Takes over the attempts of owners that have ended, or whose leases have.
    public func takeOver() throws(MediaError) -> [Job] {
        try storage.takeOver(by: owner).map { $0.localized(by: storage.paths) }
    }

    /// Stores which file is about to get which name. May be called again with another name until the file has one. Throws
    /// `fileAlreadyExists` if another unfinished job has reserved the name.
    @discardableResult
    public func publish(
        _ id: Int64, attempt: Int, _ publication: Publication, result: ExportResult
    ) throws(MediaError) -> Job {
        try change { table in
            let job = try table.need(id)
            let key = OutputName.key(table.paths.stored(job.nameFolder), publication.name)
            if !job.request.output.replaces { try table.checkFree(key, for: job) }
            let values: [Value] = [
                .integer(Int64(bitPattern: publication.device)),
                .integer(Int64(bitPattern: publication.inode)),
                .text(publication.name), .text(try JSON.text(result)), .text(key),
            ]
            let set =
                "output_device = ?, output_inode = ?, output_name = ?, result = ?, reserved = ?, error = NULL, paused = 0"
            return try table.move(
                id, attempt: attempt, to: .publishing, also: [.publishing], set: set,
                values)
        }
    }

    /// The output is published and on the disk.
    public func complete(_ id: Int64, attempt: Int) throws(MediaError) -> Job {
        try change { table in
            if let done = try table.ended(id, attempt, isCompleted: true) { return done }
            return try table.end(id, attempt: attempt, .completed, error: nil)
        }
    }

    /// An attempt ended without an output. A transient failure is retried later, a limited number of times; otherwise the job
    /// has failed.
    public func fail(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job {
        try change { table in
            if let done = try table.ended(id, attempt) { return done }
            let job = try table.need(id)
            let isCrash = QueuePolicy.isCrash(error.code)
            let set = isCrash ? "crashes = crashes + 1" : "failures = failures + 1"
            if isCrash { try table.count("crashed", of: job) }
            switch self.policy.decide(error, crashes: job.crashes, failures: job.failures) {
            case .failed(let error):
                return try table.end(id, attempt: attempt, .failed, error: error, setting: set)
            case .again(let delay):
                try table.count("retried", code: error.code.rawValue, of: job)
                let due = job.isPaused ? nil : table.now.milliseconds + delay
                return try table.move(
                    id, attempt: attempt, to: job.stateAgain,
                    set: "\(set), error = ?, due = ?, paused = 0",
                    [.text(try JSON.text(error)), Value(due)])
            }
        }
    }

    /// An attempt ended without an output, and there is no other.
    public func giveUp(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job {
        try change { table in
            if let done = try table.ended(id, attempt) { return done }
            return try table.end(id, attempt: attempt, .failed, error: error)
        }
    }

    /// The daemon stopped, not the job: the job waits again. After several crashes (`counted`) the job fails, since it may be
    /// what crashes the daemon.
    public func interrupt(_ id: Int64, attempt: Int, counted: Bool) throws(MediaError) -> Job {
        try change { table in
            if let done = try table.ended(id, attempt) { return done }
            let job = try table.need(id)
            let interruptions = job.interruptions + (counted && !job.isPaused ? 1 : 0)
            let set = "interruptions = \(interruptions), paused = 0"
            if counted, interruptions >= self.policy.interruptions {
                let error = MediaError(
                    .operationInterrupted,
                    "trimd ended \(interruptions) times while this job ran, so it is given up")
                return try table.end(id, attempt: attempt, .failed, error: error, setting: set)
            }
            return try table.move(id, attempt: attempt, to: job.stateAgain, set: set, [])
        }
    }
}

// Access to the tables.
extension JobStore {
    /// Reads.
    func read<Result>(_ body: (JobTable) throws -> Result) throws(MediaError) -> Result {
        try storage.read { [owner, storage] database, now in
            try body(
                JobTable(
                    database: database, now: now, owner: owner, isChange: false, paths: storage.paths,
                    abilities: storage.abilities))
        }
    }

    /// Performs `body` atomically; it is on the disk when this returns.
    func change<Result>(
        _ body: @escaping (JobTable) throws -> Result
    ) throws(MediaError) -> Result {
        let news = News()
        let result = try storage.change { [owner, storage] database, now in
            var table = JobTable(
                database: database, now: now, owner: owner, isChange: true, paths: storage.paths,
                abilities: storage.abilities)
            table.news = news
            return try body(table)
        }
        if news.isAny { storage.announce() }
        return result
    }
}
