// PostgresPool: the connections of one node. A call takes one, alone, and gives it back; one that broke is dropped, and all that are
// idle with it. After a failed attempt to connect, calls fail at once until the next attempt is due; its delay grows.
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The connections of one node to its database.
///
/// `@unchecked Sendable`: a connection is either idle, and in the Mutex, or taken by one call.
final class PostgresPool: @unchecked Sendable {
    private struct State: ~Copyable {
        var idle: [PostgresConnection] = []
        /// Why connecting failed last, the delay after that, and when the next attempt is due.
        var failure: PostgresError?
        var delay: Int64 = 0
        var next: Int64 = 0
    }

    let address: PostgresAddress
    private let state = Mutex(State())
    private let free: DispatchSemaphore
    /// Prepares a new connection.
    private let prepare: @Sendable (PostgresConnection) throws -> Void

    /// Milliseconds between attempts to connect: the first delay, doubled each time, and the longest.
    private static let delays: ClosedRange<Int64> = 250...5000

    /// A pool of up to `most` connections; each new one is prepared.
    init(
        _ address: PostgresAddress, most: Int = 4,
        prepare: @escaping @Sendable (PostgresConnection) throws -> Void
    ) {
        self.address = address
        self.prepare = prepare
        free = DispatchSemaphore(value: most)
    }

    /// Calls `body` within a transaction, with its connection and what its first statements answered.
    func transaction<Result>(
        _ start: String, _ body: (PostgresConnection, [Row]) throws -> Result
    ) throws -> Result {
        free.wait()
        defer { free.signal() }
        let (connection, rows) = try begin(start)
        defer { giveBack(connection) }
        do {
            let result = try body(connection, rows)
            try connection.execute("COMMIT")
            return result
        } catch {
            if connection.failure == nil { _ = try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    /// Begins a transaction; where an idle connection has broken since it was used, with another one.
    private func begin(_ start: String) throws -> (PostgresConnection, [Row]) {
        while let connection = take() {
            if let rows = try? connection.execute(start) { return (connection, rows) }
            drop()
        }
        let connection = try connect()
        return (connection, try connection.execute(start))
    }

    private func giveBack(_ connection: PostgresConnection) {
        guard connection.failure == nil else { return drop() }
        let taken = Taken(connection)
        state.withLock { $0.idle.append(taken.value) }
    }

    /// Opens a connection of its own, outside the pool.
    func connect() throws -> PostgresConnection {
        let now = PostgresConnection.uptime
        if let failure = state.withLock({ $0.next > now ? $0.failure : nil }) { throw failure }
        do {
            let connection = try PostgresConnection(address)
            try prepare(connection)
            state.withLock { ($0.failure, $0.delay, $0.next) = (nil, 0, 0) }
            return connection
        } catch {
            if let error = error as? PostgresError {
                state.withLock { state in
                    let longer = max(state.delay * 2, PostgresPool.delays.lowerBound)
                    state.delay = min(longer, PostgresPool.delays.upperBound)
                    (state.failure, state.next) = (error, PostgresConnection.uptime + state.delay)
                }
            }
            throw error
        }
    }

    private func take() -> PostgresConnection? { state.withLock { Taken($0.idle.popLast()) }.value }

    /// Closes the idle connections: what broke one has broken all.
    private func drop() {
        _ = state.withLock { state in
            defer { state.idle = [] }
            return Taken(state.idle)
        }
    }

    /// A value that goes into the Mutex or comes out of it.
    ///
    /// `@unchecked Sendable`: nobody else has it.
    private struct Taken<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
