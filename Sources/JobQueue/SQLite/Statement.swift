// Statement: one prepared SQL statement, with one owner and a short life: prepared, bound, stepped, given back to its connection
// when it goes out of scope. It keeps no pointer into a row after the call that reads it. It traps off its database's queue.
//
// `unsafe` here: SQLite's handles and the text it lends until the next step, copied at once.
internal import CSQLite

/// One prepared statement with its values bound.
@safe struct Statement: ~Copyable {
    private let pointer: OpaquePointer?
    private let database: Database
    private let sql: String

    /// Prepares one statement and binds its parameters, in order.
    init(_ database: Database, _ sql: String, _ values: [Value]) throws(DatabaseError) {
        database.checkQueue()
        var made = unsafe database.statements.take(sql)
        let code =
            unsafe made == nil ? sqlite3_prepare_v2(database.handle, sql, -1, &made, nil) : SQLITE_OK
        // Every property is set before the first throw, so that deinit gives it back on every path.
        unsafe pointer = made
        self.database = database
        self.sql = sql
        try database.check(code, sql)
        for (index, value) in values.enumerated() {
            let parameter = Int32(index + 1)
            switch value {
            case .null: try database.check(unsafe sqlite3_bind_null(pointer, parameter), sql)
            case .integer(let number):
                try database.check(unsafe sqlite3_bind_int64(pointer, parameter, number), sql)
            case .text(let text):
                try database.check(
                    unsafe trim_bind_text(pointer, parameter, text, Int32(text.utf8.count)), sql)
            }
        }
    }

    deinit { unsafe database.statements.give(pointer, sql, of: database.handle) }

    /// Steps to the next row; false at the end.
    func step() throws(DatabaseError) -> Bool {
        database.checkQueue()
        switch unsafe sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw database.error(code, sql)
        }
    }

    /// The number in a column, counted from 0; nil if NULL.
    func integer(_ column: Int) -> Int64? {
        database.checkQueue()
        guard unsafe sqlite3_column_type(pointer, Int32(column)) != SQLITE_NULL else { return nil }
        return unsafe sqlite3_column_int64(pointer, Int32(column))
    }

    /// The text in a column, counted from 0; nil if NULL.
    func text(_ column: Int) -> String? {
        database.checkQueue()
        guard let bytes = unsafe sqlite3_column_text(pointer, Int32(column)) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The current row, copied.
    func row() -> Row {
        database.checkQueue()
        let count = unsafe Int(sqlite3_column_count(pointer))
        return Row(
            values: (0..<count).map { column in
                switch unsafe sqlite3_column_type(pointer, Int32(column)) {
                case SQLITE_INTEGER: integer(column).map { .integer($0) } ?? .null
                case SQLITE_NULL: .null
                default: text(column).map { .text($0) } ?? .null
                }
            })
    }
}
