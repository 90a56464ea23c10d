// Database: one connection to one SQLite file, opened so that a COMMIT that returned survives a power loss. It knows no table.
// It owns its handle and closes it; it belongs to one queue and traps when used from another: two threads in one connection
// would corrupt it silently. `check` is the only handler of SQLite's result codes.
//
// `unsafe` here: SQLite's handle, and C strings that SQLite lends for the length of a call.
internal import CSQLite
internal import Dispatch
internal import Glibc
internal import Media
internal import Text

/// One connection to one database file.
@safe final class Database: TableConnection {
    fileprivate(set) var handle: OpaquePointer?
    /// Its statements that are not in use.
    let statements = StatementCache()
    let file: String
    let dialect = Dialect.sqlite
    private let isReader: Bool
    private let queue: DispatchQueue
    /// The files it writes; nil for a read-only connection.
    private var files: DatabaseFiles?

    /// Opens a second, read-only connection to a file that another one keeps open: it sees committed changes. It is used on
    /// `queue` only.
    init(reading file: String, on queue: DispatchQueue) throws(DatabaseError) {
        self.file = file
        self.queue = queue
        isReader = true
        try connect()
    }

    /// Opens or creates the file and checks its integrity; throws if it is damaged. It is used on `queue` only.
    init(file: String, on queue: DispatchQueue) throws(DatabaseError) {
        self.file = file
        self.queue = queue
        isReader = false
        // Created here and not by SQLite, so that other users cannot read it; the -wal and -shm files get the same mode.
        let descriptor = unsafe Glibc.open(file.nameBytes, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw DatabaseError(
                code: SQLITE_CANTOPEN, act: "opening", cause: Database.words(errno), file: file)
        }
        close(descriptor)
        try open()
        try quickCheck()
        try setUp()
    }

    /// Traps outside the connection's queue.
    func checkQueue() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// From here on, writes fail once the file's path names another file. Writes once, since the WAL does not exist before.
    func watchFiles() throws(DatabaseError) {
        try execute("PRAGMA user_version = \(try integer("PRAGMA user_version") ?? 0)")
        files = DatabaseFiles(file)
    }

    /// Reopens the file after `disconnect`; it must exist.
    func connect() throws(DatabaseError) {
        try open()
        try setUp()
        files?.forgetLog()
    }

    /// Closes the file; calls fail until it is reopened.
    func disconnect() {
        checkQueue()
        statements.empty()
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    private func open() throws(DatabaseError) {
        checkQueue()
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(file.nameBytes, &opened, flags, nil)
        // A failed open returns a handle too; deinit closes it.
        unsafe handle = opened
        try check(code, "opening")
        try check(unsafe sqlite3_busy_timeout(handle, 5000), "setting the time to wait")
    }

    private func setUp() throws(DatabaseError) {
        if isReader {
            try execute("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")
            // SQLite opens its files lazily, by path: open them now, while the paths are right.
            _ = try integer("SELECT count(*) FROM sqlite_schema")
            return
        }
        try execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF")
        guard try text("PRAGMA journal_mode = WAL") == "wal" else {
            throw error(
                SQLITE_READONLY, "PRAGMA journal_mode = WAL", "this file system has no write-ahead log")
        }
        try execute("PRAGMA synchronous = FULL")
    }

    deinit {
        statements.empty()
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements without values and rows.
    func execute(_ sql: String) throws(DatabaseError) {
        checkQueue()
        try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil), sql)
    }

    /// Runs one statement to its end; returns the number of changed rows.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Int {
        let statement = try Statement(self, sql, values)
        while try statement.step() {}
        return unsafe Int(sqlite3_changes(handle))
    }

    /// Runs one statement to its end; returns its rows.
    func rows(_ sql: String, _ values: [Value]) throws(DatabaseError) -> [Row] {
        let statement = try Statement(self, sql, values)
        var rows: [Row] = []
        while try statement.step() { rows.append(statement.row()) }
        return rows
    }

    /// The number in the first row and column.
    func integer(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Int64? {
        let statement = try Statement(self, sql, values)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The text in the first row and column.
    func text(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> String? {
        let statement = try Statement(self, sql, values)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool {
        checkQueue()
        return unsafe sqlite3_get_autocommit(handle) == 0
    }

    /// Performs `body` atomically. When this returns, the change is on the disk.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try checkFiles()
            try execute("COMMIT")
            return result
        } catch {
            // After a failed COMMIT SQLite may have rolled back already; then this fails harmlessly.
            _ = try? execute("ROLLBACK")
            throw error
        }
    }

    /// Throws if the paths no longer name the open files: writes would be lost when they are closed.
    func checkFiles() throws(DatabaseError) {
        checkQueue()
        guard let missing = files?.missing() else { return }
        throw error(DatabaseError.moved, "checking", "\(missing) was removed or replaced while trimd runs")
    }

    /// Throws if the file is damaged.
    private func quickCheck() throws(DatabaseError) {
        let answer = try text("PRAGMA quick_check(1)") ?? "no answer"
        guard answer == "ok" else { throw error(SQLITE_CORRUPT, "checking", answer) }
    }

    /// Throws unless a result code is SQLITE_OK.
    func check(_ code: Int32, _ act: String) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw error(code, act) }
    }

    /// The error for a code, with SQLite's message.
    func error(_ code: Int32, _ act: String, _ cause: String? = nil) -> DatabaseError {
        let said = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) }.map { unsafe String(cString: $0) }
        return DatabaseError(code: code, act: act, cause: cause ?? said ?? "code \(code)", file: file)
    }

    private static func words(_ number: Int32) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
