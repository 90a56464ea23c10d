// Database: one connection to one SQLite file, opened so that a COMMIT that returned survives a power cut. It
// knows no table. It owns its handle and closes it; it belongs to one queue (the store's), and
// used from another it ends the program: two threads in one connection would damage it silently. The only door for SQLite's result codes is `check`.
//
// `unsafe` here: SQLite's handle, and C strings that SQLite lends for the length of a call.
internal import CSQLite
internal import Dispatch
internal import Glibc
internal import Media

/// One connection to one database file.
@safe final class Database {
    fileprivate(set) var handle: OpaquePointer?
    let file: String
    private let isReader: Bool
    private let queue: DispatchQueue
    /// Which files it writes; nil for a connection that writes none.
    private var files: DatabaseFiles?

    /// A second connection to a file that another one keeps open: it sees what was committed, and changes nothing. It is used
    /// on `queue` alone, from here on.
    init(reading file: String, on queue: DispatchQueue) throws(DatabaseError) {
        self.file = file
        self.queue = queue
        isReader = true
        try connect()
    }

    /// Opens or creates the file and checks that it is whole; throws where it is damaged. It is used on `queue` alone, from here on.
    init(file: String, on queue: DispatchQueue) throws(DatabaseError) {
        self.file = file
        self.queue = queue
        isReader = false
        // Made here and not by SQLite, so that nobody else can read it; the -wal and -shm files get the same
        // mode.
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

    /// Ends the program where this is not the connection's queue.
    func checkQueue() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// From here on nothing is written where the file's path does not lead to it any more. Writes something: the write-ahead log
    /// is there only then.
    func watchFiles() throws(DatabaseError) {
        try execute("PRAGMA user_version = \(try integer("PRAGMA user_version") ?? 0)")
        files = DatabaseFiles(file)
    }

    /// Opens the file again after `disconnect`; it must be there.
    func connect() throws(DatabaseError) {
        try open()
        try setUp()
        files?.forgetLog()
    }

    /// Closes the file; what is asked of it then is an error.
    func disconnect() {
        checkQueue()
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    private func open() throws(DatabaseError) {
        checkQueue()
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(file.nameBytes, &opened, flags, nil)
        // Also after a failure there is a handle to close, which deinit does.
        unsafe handle = opened
        try check(code, "opening")
        try check(unsafe sqlite3_busy_timeout(handle, 5000), "setting the time to wait")
    }

    private func setUp() throws(DatabaseError) {
        if isReader {
            try execute("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")
            // SQLite opens files when it needs them, by their paths: now they lead to the right ones.
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

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs statements that have no values and no rows.
    func execute(_ sql: String) throws(DatabaseError) {
        checkQueue()
        try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil), sql)
    }

    /// Runs one statement to its end; the number of rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Int {
        let statement = try Statement(self, sql, values)
        while try statement.step() {}
        return unsafe Int(sqlite3_changes(handle))
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

    /// Between BEGIN and its end.
    var isInTransaction: Bool {
        checkQueue()
        return unsafe sqlite3_get_autocommit(handle) == 0
    }

    /// Does all of `body` or nothing of it. When this returns, the change is on the disk.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try checkFiles()
            try execute("COMMIT")
            return result
        } catch {
            // Where COMMIT itself failed SQLite may have rolled back already; then this says so, and that is
            // well.
            _ = try? execute("ROLLBACK")
            throw error
        }
    }

    /// Throws where the path does not lead to the open files any more: what is written then is lost when they are closed.
    func checkFiles() throws(DatabaseError) {
        checkQueue()
        guard let missing = files?.missing() else { return }
        throw error(DatabaseError.moved, "checking", "\(missing) was removed or replaced while trimd runs")
    }

    /// Throws where the file is not what SQLite once wrote.
    private func quickCheck() throws(DatabaseError) {
        let answer = try text("PRAGMA quick_check(1)") ?? "no answer"
        guard answer == "ok" else { throw error(SQLITE_CORRUPT, "checking", answer) }
    }

    /// Throws where a result code is not SQLITE_OK.
    func check(_ code: Int32, _ act: String) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw error(code, act) }
    }

    /// The error of a code, in SQLite's words.
    func error(_ code: Int32, _ act: String, _ cause: String? = nil) -> DatabaseError {
        let said = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) }.map { unsafe String(cString: $0) }
        return DatabaseError(code: code, act: act, cause: cause ?? said ?? "code \(code)", file: file)
    }

    private static func words(_ number: Int32) -> String {
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
