// Statement: one prepared SQL statement. It has one owner and a short life: prepared, bound, stepped,
// finalized when it goes out of scope. It holds no pointer into a row beyond the call that reads it. Used
// off its database's queue it ends the program.
//
// `unsafe` here: SQLite's handles and the text it lends until the next step, copied at once.
internal import CSQLite

/// What can stand in a column.
enum Value: Hashable {
    case null
    case integer(Int64)
    case text(String)

    /// A number that may be missing.
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    /// A text that may be missing.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(stringLiteral value: String) { self = .text(value) }
}

/// One prepared statement with its values bound.
@safe struct Statement: ~Copyable {
    private let pointer: OpaquePointer?
    private let database: Database
    private let sql: String

    /// Prepares one statement and binds the values of its question marks, in order.
    init(_ database: Database, _ sql: String, _ values: [Value]) throws(DatabaseError) {
        database.checkQueue()
        var made: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(database.handle, sql, -1, &made, nil)
        // Everything is set before the first throw, so that deinit finalizes on every way out.
        unsafe pointer = made
        self.database = database
        self.sql = sql
        try database.check(code, sql)
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .null: try database.check(unsafe sqlite3_bind_null(pointer, place), sql)
            case .integer(let number):
                try database.check(unsafe sqlite3_bind_int64(pointer, place, number), sql)
            case .text(let text):
                try database.check(unsafe trim_bind_text(pointer, place, text, Int32(text.utf8.count)), sql)
            }
        }
    }

    deinit { unsafe sqlite3_finalize(pointer) }

    /// Goes to the next row; false where there is none.
    func step() throws(DatabaseError) -> Bool {
        database.checkQueue()
        switch unsafe sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw database.error(code, sql)
        }
    }

    /// The number in a column, counted from 0; nil where there is none.
    func integer(_ column: Int) -> Int64? {
        database.checkQueue()
        guard unsafe sqlite3_column_type(pointer, Int32(column)) != SQLITE_NULL else { return nil }
        return unsafe sqlite3_column_int64(pointer, Int32(column))
    }

    /// The text in a column, counted from 0; nil where there is none.
    func text(_ column: Int) -> String? {
        database.checkQueue()
        guard let bytes = unsafe sqlite3_column_text(pointer, Int32(column)) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(pointer, Int32(column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
