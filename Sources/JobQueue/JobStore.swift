// JobStore: the durable truth about jobs. It owns the one connection that writes, on a serial queue of its
// own; every call waits for that queue, and what changed is on the disk when the call returns. It starts no
// worker, opens no media file and keeps no progress. One daemon at a time may have it open; whoever opens it
// sees to that (a lock on the folder).
internal import Dispatch
public import Media

/// Whose jobs a question is about.
public enum Viewer: Hashable, Sendable {
    /// Root and the daemon's own user: everybody's.
    case all
    /// Only those of one user.
    case user(UInt32)
}

/// The queue of jobs in one file.
public final class JobStore: @unchecked Sendable {
    // Unchecked, because the connection is used on `queue` only; `onQueue` is the one way to it.
    private let database: Database
    private let queue = DispatchQueue(label: "trimd.store")
    /// The life of the daemon that has this store, for the rows it begins.
    private let daemon: String
    /// So many attempts may end with their daemon before the job is given up.
    let interruptionLimit: Int

    /// Opens or creates the queue's file, brings it to this version, and refuses it where it is damaged.
    public init(file: String, daemon: String, interruptionLimit: Int = 3) throws(MediaError) {
        self.daemon = daemon
        self.interruptionLimit = interruptionLimit
        do {
            database = try Database(file: file)
            try Schema.migrate(database)
        } catch { throw JobStore.media(error) }
    }

    /// A job that was accepted.
    public struct Submission: Hashable, Sendable {
        /// The job.
        public var job: Job
        /// False where the same key had it accepted before.
        public var isNew: Bool
    }

    /// Accepts a job: it is on the disk when this returns. With a key that the user used before, that job is
    /// the answer. More than `limit` unfinished jobs of one user are refused.
    public func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32, limit: Int? = nil
    ) throws(MediaError) -> Submission {
        try change { database in
            if let key = request.key, let known = try JobStore.find(database, key: key, of: user) {
                return Submission(job: known, isNew: false)
            }
            if let limit {
                let open = try database.integer(
                    "SELECT count(*) FROM jobs WHERE user = ? AND state IN (\(JobStore.list(JobState.unfinished)))",
                    [.integer(Int64(user))])
                guard Int(open ?? 0) < limit else {
                    throw MediaError(
                        .limitReached, "you have \(limit) unfinished jobs, and no more are taken",
                        remedy: "wait for some, or cancel some")
                }
            }
            let inserted = try Statement(
                database,
                """
                INSERT INTO jobs (user, key, state, request, source_device, source_inode, source_size, source_modified,
                    created) VALUES (?, ?, 'waiting', ?, ?, ?, ?, ?, ?) RETURNING \(Job.columns)
                """,
                [
                    .integer(Int64(user)), Value(request.key), .text(try JSON.text(request)),
                    .integer(Int64(bitPattern: source.device)), .integer(Int64(bitPattern: source.inode)),
                    .integer(source.size), .integer(source.modified), .integer(Moment.now.milliseconds),
                ])
            guard try inserted.step() else {
                throw MediaError(.unknown, "the queue gave no number to the job")
            }
            return Submission(job: try Job(row: inserted), isNew: true)
        }
    }

    /// Gives the job that waits longest to a worker. The attempt is counted here, before the worker hears of
    /// it.
    public func claim(worker: ProcessIdentity) throws(MediaError) -> Job? {
        try change { database in
            guard let id = try database.integer(JobStore.nextWaiting) else { return nil }
            return try JobStore.move(
                database, id, to: .running,
                set: """
                    attempts = attempts + 1, daemon = ?, boot = ?, worker_pid = ?, worker_start = ?, started = ?,
                    output_device = NULL, output_inode = NULL, output_name = NULL, result = NULL
                    """,
                [
                    .text(self.daemon), .text(worker.boot), .integer(Int64(worker.pid)),
                    .integer(worker.start),
                    .integer(Moment.now.milliseconds),
                ])
        }
    }

    /// Whether a job waits to be claimed.
    public func hasWaiting() throws(MediaError) -> Bool {
        try onQueue { database in try database.integer(JobStore.nextWaiting) != nil }
    }

    /// Writes down which file is about to get which name. May be said again with another name, as long as no
    /// name was got.
    @discardableResult
    public func publish(
        _ id: Int64, attempt: Int, _ publication: Publication, result: ExportResult
    ) throws(MediaError) -> Job {
        try change { database in
            let values: [Value] = [
                .integer(Int64(bitPattern: publication.device)),
                .integer(Int64(bitPattern: publication.inode)),
                .text(publication.name), .text(try JSON.text(result)),
            ]
            let set = "output_device = ?, output_inode = ?, output_name = ?, result = ?"
            return try JobStore.move(
                database, id, attempt: attempt, to: .publishing, also: [.publishing], set: set, values)
        }
    }

    /// The output has its name and is on the disk.
    public func complete(_ id: Int64, attempt: Int) throws(MediaError) -> Job {
        try change { database in
            try JobStore.move(
                database, id, attempt: attempt, to: .completed, set: "ended = ?",
                [.integer(Moment.now.milliseconds)])
        }
    }

    /// An attempt ended without an output.
    public func fail(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job {
        try change { database in
            try JobStore.move(
                database, id, attempt: attempt, to: .failed, set: "error = ?, ended = ?",
                [.text(try JSON.text(error)), .integer(Moment.now.milliseconds)])
        }
    }

    /// Its user no longer wants it. A job that has ended, or is getting its name just now, stays as it is.
    public func cancel(_ id: Int64) throws(MediaError) -> Job {
        try change { database in
            guard let job = try JobStore.find(database, id) else { throw JobStore.missing(id) }
            guard job.state.mayBecome(.cancelled) else { return job }
            let error = MediaError(.operationCancelled, "the job was cancelled")
            return try JobStore.move(
                database, id, to: .cancelled, set: "error = ?, ended = ?",
                [.text(try JSON.text(error)), .integer(Moment.now.milliseconds)])
        }
    }

    /// The daemon ended and not the job: it waits again. Where that was a crash (`counted`) and not the
    /// first, the job is given up, since it may be what ends the daemon.
    public func interrupt(_ id: Int64, attempt: Int, counted: Bool) throws(MediaError) -> Job {
        try change { database in
            guard let job = try JobStore.find(database, id) else { throw JobStore.missing(id) }
            let interruptions = job.interruptions + (counted ? 1 : 0)
            let values: [Value] = [.integer(Int64(interruptions))]
            if counted, interruptions >= self.interruptionLimit {
                let error = MediaError(
                    .operationInterrupted,
                    "trimd ended \(interruptions) times while this job ran, so it is given up")
                return try JobStore.move(
                    database, id, attempt: attempt, to: .failed,
                    set: "interruptions = ?, error = ?, ended = ?",
                    values + [.text(try JSON.text(error)), .integer(Moment.now.milliseconds)])
            }
            return try JobStore.move(
                database, id, attempt: attempt, to: .waiting, set: "interruptions = ?", values)
        }
    }
}

// The doors to the connection.
extension JobStore {
    /// Does `body` with the connection, on its queue; nothing else has it meanwhile.
    func onQueue<Result>(_ body: (Database) throws -> Result) throws(MediaError) -> Result {
        dispatchPrecondition(condition: .notOnQueue(queue))
        do {
            return try queue.sync { try body(database) }
        } catch { throw JobStore.media(error) }
    }

    /// Does `body` in one transaction.
    private func change<Result>(_ body: (Database) throws -> Result) throws(MediaError) -> Result {
        try onQueue { database in try database.transaction { try body(database) } }
    }

    private static func media(_ error: any Error) -> MediaError {
        switch error {
        case let error as MediaError: error
        case let error as DatabaseError: error.media
        default: MediaError(.unknown, "the queue: \(error)")
        }
    }
}
