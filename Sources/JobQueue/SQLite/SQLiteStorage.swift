// SQLiteStorage: the tables of a queue in one file. It owns one connection that writes and one that reads, each on its own serial
// queue, so that no read waits for a disk sync.
internal import Dispatch
internal import Media
internal import Synchronization

/// A queue's tables in one file.
///
/// `@unchecked Sendable`: each connection is used on its own queue only, through `read` and `change`, and traps elsewhere.
final class SQLiteStorage: TableStorage, @unchecked Sendable {
    private let database: Database
    private let queue = DispatchQueue(label: "trimd.store")
    private let reader: Database
    private let readerQueue = DispatchQueue(label: "trimd.store.reader")
    private let writing = GroupCommit()
    private let checkpoints: Checkpoints
    /// The connections must be reopened before the next use.
    private let isBroken = Mutex(false)
    private let clock: @Sendable () -> Moment

    /// An attempt is its owner's until the owner has ended.
    var leaseTime: Int64? { nil }
    /// The schema version that this program reads and writes.
    var version: Int { Schema.current }
    var drainSwitch: String { "drain" }
    let place: String
    private let present = Mutex<Set<String>>([])
    var abilities: Set<String> { present.withLock(\.self) }

    /// Opens or creates the database and migrates it to this version; throws if it is damaged.
    init(file: String, clock: @escaping @Sendable () -> Moment) throws(MediaError) {
        self.clock = clock
        place = file
        do {
            let (queue, readerQueue) = (queue, readerQueue)
            let database = try queue.sync {
                let database = try Database(file: file, on: queue)
                try database.migrate()
                try database.watchFiles()
                return database
            }
            self.database = database
            reader = try readerQueue.sync { try Database(reading: file, on: readerQueue) }
            checkpoints = try Checkpoints(file: file)
            // From here on; the first checkpoint includes an older WAL.
            try queue.sync { try database.execute(SQLiteStorage.logSettings) }
            checkpoints.count(1)
        } catch { throw SQLiteStorage.media(error) }
    }

    /// `Checkpoints` makes them; where the WAL begins anew, it gives back what is above 4 MiB.
    private static let logSettings = "PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 4194304"

    /// Nothing: a lease lasts as long as its owner.
    func renew(_ owner: String) {}

    /// Nothing is left to the next owner but the database: its WAL is emptied.
    func leave(_ owner: String) { checkpoints.finish() }

    /// Which jobs this node can do is recorded.
    func describe(_ node: QueueNode, _ owner: String) throws(MediaError) {
        present.withLock { $0 = node.abilities }
        try change { [abilities] database, now -> Void in
            try JobTable(database: database, now: now, owner: owner, isChange: true, abilities: abilities)
                .recordAbilities()
        }
    }

    /// Nothing: nobody else claims.
    func willClaim(_ table: JobTable) {}

    /// Takes over the attempts of all other owners: one daemon at a time has the file open, so they have ended.
    func takeOver(by owner: String) throws(MediaError) -> [Job] {
        try change { database, _ in
            try database.run(
                "UPDATE units SET owner = NULL WHERE owner IS NOT NULL AND owner <> ? AND state <> 'done'",
                [.text(owner)])
            return try database.rows(
                """
                UPDATE jobs SET daemon = ? WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon IS NOT ?
                RETURNING \(Job.columns)
                """, [.text(owner), .text(owner)]
            ).map { try Job(row: $0) }.sorted { $0.id < $1.id }
        }
    }

    func lastJob() throws(MediaError) -> Int64 { try last("jobs") }
    func lastEvent() throws(MediaError) -> Int64 { try last("events") }

    private func last(_ table: String) throws(MediaError) -> Int64 {
        try read { database, _ in
            try database.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", [.text(table)]) ?? 0
        }
    }

    /// Nothing: events get their numbers when they are stored.
    func numberEvents() {}

    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError) {
        try change { database, _ -> Void in
            for (name, id) in [("jobs", jobs), ("events", events)] {
                let sequence: [Value] = [.text(name)]
                let last = try database.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", sequence)
                if let last, last >= id { continue }
                try database.run("DELETE FROM sqlite_sequence WHERE name = ?", sequence)
                try database.run(
                    "INSERT INTO sqlite_sequence VALUES (?, ?)", [.text(name), .integer(id)])
            }
        }
    }

    func checkFiles() throws(MediaError) {
        do { try queue.sync { try database.checkFiles() } } catch { throw failed(error) }
    }

    func checkIntegrity() throws(MediaError) {
        try read { database, _ in
            let answer = try database.rows("PRAGMA integrity_check(1)", []).first?.text(0) ?? "no answer"
            guard answer == "ok" else {
                throw MediaError(.queueDamaged, "the database is damaged: \(answer)")
            }
        }
    }
}

// Access to the connections.
extension SQLiteStorage {
    /// Reads through the reading connection, on its queue.
    func read<Result>(_ body: (any TableConnection, Moment) throws -> Result) throws(MediaError) -> Result {
        dispatchPrecondition(condition: .notOnQueue(readerQueue))
        if isBroken.withLock({ $0 }) { queue.sync { reconnect() } }
        do {
            return try readerQueue.sync { try body(reader, clock()) }
        } catch { throw failed(error) }
    }

    /// Performs `body` atomically; it is on the disk when this returns.
    func change<Result>(
        _ body: @escaping (any TableConnection, Moment) throws -> Result
    ) throws(MediaError) -> Result {
        let answer = Answer<Result>()
        let pending = writing.add { [clock] database in
            answer.value = try body(database, clock())
        }
        dispatchPrecondition(condition: .notOnQueue(queue))
        do {
            queue.async { [self] in
                reconnect()
                checkpoints.count(writing.perform(in: database))
                checkpoints.empty(betweenChangesOf: database)
            }
            try pending.conclude()
            guard let value = answer.value else { throw MediaError(.unknown, "the queue gave no answer") }
            return value
        } catch { throw failed(error) }
    }

    /// Converts an error; some mark the connections to be reopened.
    private func failed(_ error: any Error) -> MediaError {
        if (error as? DatabaseError)?.breaksConnection == true { isBroken.withLock { $0 = true } }
        return SQLiteStorage.media(error)
    }

    /// Reopens the connections if needed: all of them, since they share their locks. On the store's queue. A failure is retried
    /// the next time. A replaced file is not opened: it is another queue.
    private func reconnect() {
        guard isBroken.withLock({ $0 }), (try? database.checkFiles()) != nil else { return }
        readerQueue.sync { reader.disconnect() }
        checkpoints.disconnect()
        database.disconnect()
        do {
            try database.connect()
            try database.execute(SQLiteStorage.logSettings)
            try readerQueue.sync { try reader.connect() }
            try checkpoints.connect()
            isBroken.withLock { $0 = false }
        } catch {}
    }

    /// The result of a change, for its caller.
    private final class Answer<Value> {
        var value: Value?
    }

    private static func media(_ error: any Error) -> MediaError {
        switch error {
        case let error as MediaError: error
        case let error as DatabaseError: error.media
        default: MediaError(.unknown, "the queue: \(error)")
        }
    }
}
