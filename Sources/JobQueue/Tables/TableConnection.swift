// TableConnection: the SQL that both databases understand, and the little in which they differ. The rows of jobs are read and
// written through it, in the same words for SQLite and PostgreSQL. Parameters are `?`.

/// The value of a column or of a parameter.
enum Value: Hashable {
    case null
    case integer(Int64)
    case text(String)

    /// An optional number.
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    /// An optional text.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(stringLiteral value: String) { self = .text(value) }
}

/// One row of an answer.
struct Row {
    let values: [Value]

    /// The number in a column, counted from 0; nil if NULL.
    func integer(_ column: Int) -> Int64? {
        switch values[column] {
        case .null: nil
        case .integer(let number): number
        case .text(let text): Int64(text) ?? 0
        }
    }

    /// The text in a column, counted from 0; nil if NULL.
    func text(_ column: Int) -> String? {
        switch values[column] {
        case .null: nil
        case .integer(let number): String(number)
        case .text(let text): text
        }
    }
}

/// A dialect of SQL.
enum Dialect {
    /// One writer at a time: nothing else changes rows between two statements of a change.
    case sqlite
    /// Many writers at a time: a row that is read to be changed is locked until the end of the change.
    case postgres

    /// After a SELECT: locks its rows until the end of the change.
    var forUpdate: String { self == .sqlite ? "" : " FOR UPDATE" }
    /// After a SELECT: locks its rows, without those that another has locked.
    var skippingLocked: String { self == .sqlite ? "" : " FOR UPDATE SKIP LOCKED" }
    /// The function that returns the larger of its arguments.
    var greatest: String { self == .sqlite ? "max" : "greatest" }
    /// The function that returns the smaller of its arguments.
    var least: String { self == .sqlite ? "min" : "least" }
}

/// A connection to a database with the tables of a queue. It is used by one thread at a time.
protocol TableConnection: AnyObject {
    /// Its SQL.
    var dialect: Dialect { get }
    /// Runs one statement to its end; returns its rows.
    func rows(_ sql: String, _ values: [Value]) throws -> [Row]
    /// Runs one statement to its end; returns the number of changed rows.
    @discardableResult func run(_ sql: String, _ values: [Value]) throws -> Int
}

extension TableConnection {
    /// The number in the first row and column.
    func integer(_ sql: String, _ values: [Value] = []) throws -> Int64? {
        try rows(sql, values).first?.integer(0)
    }

    /// Runs one statement without values.
    @discardableResult func run(_ sql: String) throws -> Int { try run(sql, []) }
}
