// PostgresScratch: tables of a test's own in the tests' server.
import Media
import Testing

@testable import JobQueue

/// A schema of a test's own.
final class PostgresScratch: Sendable {
    let server: PostgresServer
    let schema: String
    let setting: String

    /// A new schema, or the one of this name.
    init(_ name: String? = nil) throws {
        server = try #require(PostgresServer.shared)
        let word = (name ?? "\(UInt64.random(in: 0 ... .max))").lowercased().map {
            $0.isLetter || $0.isNumber ? $0 : "_"
        }
        schema = "t_" + String(word.suffix(50))
        setting = server.setting(schema) + " application_name=\(schema)"
        try connection().execute("CREATE SCHEMA IF NOT EXISTS \(schema)")
    }

    /// A connection beside the queues'.
    func connection() throws -> PostgresConnection { try PostgresConnection(try PostgresAddress(setting)) }

    /// A queue of an owner; another owner is another run of a node.
    func store(
        of owner: String = "first", clock: (@Sendable () -> Moment)? = nil
    ) throws -> JobStore {
        try JobStore(
            postgresql: setting, node: QueueNode(name: "node", version: "1"), owner: owner, clock: clock)
    }

    /// A queue of a node, with leases of so many milliseconds by the server's clock.
    func store(_ node: QueueNode, of owner: String, lease: Int64 = PostgresStorage.leaseTime) throws
        -> JobStore
    {
        JobStore(
            try PostgresStorage(setting, node: node, leaseTime: lease, clock: nil), owner: owner,
            policy: QueuePolicy())
    }

    /// Ends the server's processes of all connections to this schema, as a failing network does; returns how many.
    @discardableResult
    func cutConnections() throws -> Int {
        try connection().rows(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                AND application_name = ?
            """, [.text(schema)]
        ).count
    }
}
