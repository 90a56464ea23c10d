// StatementCache: the prepared statements of one connection that no Statement uses at the moment, since preparing one takes longer than
// running it. It belongs to its Database, and is used on that one's queue only.
//
// `unsafe` here: SQLite's handles.
internal import CSQLite

/// The idle statements of a connection, by their text.
@safe final class StatementCache {
    private var idle: [String: OpaquePointer] = unsafe [:]

    /// The most statements that are kept; beyond, all are dropped: texts that differ each time would fill it.
    private static let most = 128

    /// The number of idle statements.
    var count: Int { unsafe idle.count }

    /// Takes a statement out, ready to be bound; nil: it has to be prepared.
    func take(_ sql: String) -> OpaquePointer? { unsafe idle.removeValue(forKey: sql) }

    /// Takes a statement that was used; finalizes it unless it is worth keeping, and of this connection.
    func give(_ statement: OpaquePointer?, _ sql: String, of connection: OpaquePointer?) {
        guard let statement = unsafe statement else { return }
        // Some pragmas act when they are prepared.
        guard unsafe idle[sql] == nil, !sql.hasPrefix("PRAGMA"), unsafe connection != nil,
            unsafe sqlite3_db_handle(statement) == connection
        else {
            unsafe sqlite3_finalize(statement)
            return
        }
        if unsafe idle.count >= StatementCache.most { empty() }
        // The error of its last step is known already.
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        unsafe idle[sql] = unsafe statement
    }

    /// Finalizes all, before their connection is closed.
    func empty() {
        while let statement = unsafe idle.popFirst()?.value { unsafe sqlite3_finalize(statement) }
    }

    deinit { empty() }
}
