// PostgresStorage: the tables of a queue in a PostgreSQL that several nodes share. A change is one transaction, begun and committed
// within the call; one that loses against another's is done again. Leases belong to nodes, by the database's clock: a job is its
// owner's as long as the owner's lease lasts, and longer if nobody takes it over.
public import Media
internal import Synchronization

/// A queue's tables in PostgreSQL.
final class PostgresStorage: TableStorage {
    private let pool: PostgresPool
    private let signals: PostgresSignals
    let place: String
    /// This node, as it said last.
    let present: Mutex<QueueNode>
    /// A clock in place of the database's.
    private let clock: (@Sendable () -> Moment)?

    /// Milliseconds of a lease, unless another time is given.
    static let leaseTime: Int64 = 60_000
    let leaseTime: Int64?
    /// The events that get their numbers in one change.
    private static let page = 1000
    /// How often a change is tried that loses against others.
    private static let tries = 8
    /// Milliseconds after which the record of a node that has gone is removed.
    private static let nodeMemory: Int64 = 7 * 86_400_000

    /// The schema version that this program reads and writes.
    var version: Int { PostgresSchema.current }
    var drainSwitch: String { drainSwitch(of: present.withLock(\.name)) }
    var paths: RootNames { present.withLock(\.paths) }
    var abilities: Set<String> { present.withLock(\.abilities) }

    /// Connects, and migrates the tables to this version.
    /// - Parameters:
    ///   - node: this node.
    ///   - leaseTime: milliseconds of a lease.
    ///   - clock: the time; nil: the database's.
    init(
        _ setting: String, node: QueueNode, leaseTime: Int64, clock: (@Sendable () -> Moment)?
    ) throws(MediaError) {
        self.leaseTime = leaseTime
        do {
            let address = try PostgresAddress(setting)
            let place = address.shown
            (self.place, self.clock) = (place, clock)
            present = Mutex(node)
            pool = PostgresPool(address) { connection in
                try PostgresSchema.migrate(connection, place)
            }
            signals = PostgresSignals(pool)
            _ = try pool.transaction("BEGIN") { _, _ in }
        } catch { throw PostgresStorage.media(error) }
    }

    func read<Result>(_ body: (any TableConnection, Moment) throws -> Result) throws(MediaError) -> Result {
        do {
            return try transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
        } catch { throw PostgresStorage.media(error) }
    }

    func change<Result>(
        _ body: @escaping (any TableConnection, Moment) throws -> Result
    ) throws(MediaError) -> Result {
        try change("BEGIN", body)
    }

    /// Performs `body` atomically, as `change`; a crash of the server may lose the last second of it, and it waits for no disk.
    func changeUnsynced<Result>(
        _ body: @escaping (any TableConnection, Moment) throws -> Result
    ) throws(MediaError) -> Result {
        try change("BEGIN; SET LOCAL synchronous_commit = off", body)
    }

    private func change<Result>(
        _ begin: String, _ body: (any TableConnection, Moment) throws -> Result
    ) throws(MediaError) -> Result {
        do {
            for _ in 1..<PostgresStorage.tries {
                do { return try transaction(begin, body) } catch let error as PostgresError
                    where error.isConflict
                {}
            }
            return try transaction(begin, body)
        } catch { throw PostgresStorage.media(error) }
    }

    /// A transaction, with its time.
    private func transaction<Result>(
        _ begin: String, _ body: (any TableConnection, Moment) throws -> Result
    ) throws -> Result {
        let time = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"
        return try pool.transaction("\(begin); \(time)") { connection, rows in
            try body(connection, clock?() ?? Moment(milliseconds: rows.first?.integer(0) ?? 0))
        }
    }

    static func media(_ error: any Error) -> MediaError {
        switch error {
        case let error as MediaError: error
        case let error as PostgresError: error.media
        default: MediaError(.unknown, "the queue: \(error)")
        }
    }

    // Leases

    func renew(_ owner: String) throws(MediaError) {
        try change { [self] database, now -> Void in try renew(owner, database, now) }
    }

    func leave(_ owner: String) throws(MediaError) {
        try change { database, now -> Void in
            try database.run(
                "UPDATE nodes SET lease = least(lease, ?) WHERE owner = ?",
                [.integer(now.milliseconds), .text(owner)])
            try JobTable(database: database, now: now, owner: owner, isChange: true).freeUnits(of: owner)
        }
        announce()
    }

    func willClaim(_ table: JobTable) throws { try renew(table.owner, table.database, table.now) }

    func renew(_ owner: String, _ database: any TableConnection, _ now: Moment) throws {
        let node = present.withLock(\.self)
        try database.run(
            """
            INSERT INTO nodes (owner, name, version, started, heard, lease) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (owner) DO UPDATE SET lease = excluded.lease, heard = excluded.heard
                    WHERE nodes.lease < excluded.lease
            """,
            [
                .text(owner), .text(node.name), .text(node.version), .integer(now.milliseconds),
                .integer(now.milliseconds), .integer(now.milliseconds + (leaseTime ?? 0)),
            ])
    }

    func takeOver(by owner: String) throws(MediaError) -> [Job] {
        try change { [self] database, now in
            try renew(owner, database, now)
            // The rows of those nodes are locked: none of them can renew its lease or claim until this is stored.
            let gone = try database.rows(
                """
                SELECT owner FROM nodes WHERE lease <= ? AND owner <> ? AND (EXISTS (SELECT 1 FROM jobs
                    WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon = nodes.owner AND \(isReachable))
                    OR EXISTS (SELECT 1 FROM units WHERE \(PostgresStorage.isOfNode)))
                    ORDER BY owner LIMIT 100 FOR UPDATE SKIP LOCKED
                """, [.integer(now.milliseconds), .text(owner), rootValue]
            ).compactMap { $0.text(0) }
            var jobs: [Job] = []
            for other in gone {
                jobs += try database.rows(
                    """
                    UPDATE jobs SET daemon = ? WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon = ?
                        AND \(isReachable)
                    RETURNING \(Job.columns)
                    """, [.text(owner), .text(other), rootValue]
                ).map { try Job(row: $0) }
                let table = JobTable(database: database, now: now, owner: owner, isChange: true)
                try table.freeUnits(of: other)
            }
            // Work that only a node with other roots can take over waits for one.
            try database.run(
                """
                DELETE FROM nodes WHERE lease <= ? AND NOT EXISTS (SELECT 1 FROM jobs
                    WHERE state IN (\(JobTable.list(JobState.begun))) AND daemon = nodes.owner)
                    AND NOT EXISTS (SELECT 1 FROM units WHERE \(PostgresStorage.isOfNode))
                """, [.integer(now.milliseconds - PostgresStorage.nodeMemory)])
            return jobs.sorted { $0.id < $1.id }
        }
    }

    func announce() { signals.send() }

    func listen(_ onChange: @escaping @Sendable () -> Void) { signals.listen(onChange) }

    // Numbers

    func lastJob() throws(MediaError) -> Int64 {
        try read { database, _ in
            try database.integer("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM jobs_id_seq")
                ?? 0
        }
    }

    func lastEvent() throws(MediaError) -> Int64 {
        try numberEvents()
        return try read { database, _ in
            try database.integer("SELECT last FROM numbers WHERE name = 'events'") ?? 0
        }
    }

    func numberEvents() throws(MediaError) {
        let isThere = try read { database, _ in
            try database.integer("SELECT seq FROM events WHERE id IS NULL LIMIT 1") != nil
        }
        guard isThere else { return }
        // A page at a time, so that none of those who wait for the lock waits long.
        while try numberPage() == PostgresStorage.page {}
    }

    private func numberPage() throws(MediaError) -> Int {
        try change { database, _ in
            let last = try database.integer("SELECT last FROM numbers WHERE name = 'events' FOR UPDATE") ?? 0
            // A statement of its own: it sees all that was committed before the lock was given.
            let count = try database.run(
                """
                UPDATE events SET id = ? + new.number FROM
                    (SELECT seq, row_number() OVER (ORDER BY seq) AS number FROM events WHERE id IS NULL
                        ORDER BY seq LIMIT \(PostgresStorage.page)) AS new WHERE events.seq = new.seq
                """, [.integer(last)])
            try database.run(
                "UPDATE numbers SET last = last + ? WHERE name = 'events'", [.integer(Int64(count))])
            return count
        }
    }

    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError) {
        try numberEvents()
        try change { database, _ -> Void in
            _ = try database.rows(
                "SELECT setval('jobs_id_seq', ?) FROM jobs_id_seq WHERE last_value < ? OR NOT is_called AND ? > 0",
                [.integer(max(jobs, 1)), .integer(jobs), .integer(jobs)])
            try database.run(
                "UPDATE numbers SET last = greatest(last, ?) WHERE name = 'events'", [.integer(events)])
        }
    }

    /// Throws unless the server answers.
    func checkFiles() throws(MediaError) {
        _ = try read { database, _ in try database.integer("SELECT version FROM trimd_version") }
    }

    /// Throws unless the server answers: the pages are the server's matter.
    func checkIntegrity() throws(MediaError) { try checkFiles() }
}

extension JobStore {
    /// Opens a queue in a PostgreSQL, which several daemons share, and migrates its tables to this version. Throws
    /// `queueUnavailable` if it cannot be reached, and `invalidRequest` if the setting cannot be read.
    /// - Parameters:
    ///   - postgresql: a URI, or a list of libpq's parameters.
    ///   - node: this node.
    ///   - leaseTime: milliseconds of a lease; nil: the usual ones.
    ///   - clock: the time, in tests; nil: the database's.
    public convenience init(
        postgresql setting: String, node: QueueNode, owner: String, policy: QueuePolicy = QueuePolicy(),
        leaseTime: Int64? = nil, clock: (@Sendable () -> Moment)? = nil
    ) throws(MediaError) {
        let storage = try PostgresStorage(
            setting, node: node, leaseTime: leaseTime ?? PostgresStorage.leaseTime, clock: clock)
        self.init(storage, owner: owner, policy: policy)
    }

    /// Whether a text may name a PostgreSQL: libpq reads it when it is used.
    public static func isPostgreSQL(_ setting: String) -> Bool { PostgresAddress.isPlausible(setting) }
}
