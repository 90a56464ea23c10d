// PostgresSignals: tells the other nodes that something was changed, and hears it of them. A signal says no more: what was changed is read
// from the tables, by the numbers of events and of changes of units, so that one that is lost costs time only. Signals are sent after the
// commit, in a transaction of their own that waits for no disk: within that of the change, the server would let only one such
// transaction commit at a time. A burst of changes is one signal.
internal import Dispatch
internal import Synchronization

/// The signals of one node.
final class PostgresSignals: Sendable {
    private struct State {
        var isPending = false
        var isListening = false
    }

    private let pool: PostgresPool
    /// Who sends; what it sent itself is not heard.
    private let sender = "\(UInt64.random(in: 0 ... .max))"
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "trimd.queue.signals")

    /// Channels belong to databases, and tables to schemas.
    private static let channel = "'trimd ' || current_schema()"
    /// Milliseconds in which changes become one signal.
    private static let burst = 10
    /// Milliseconds of one wait for signals, and between two attempts to connect.
    private static let wait: Int32 = 60_000
    private static let delays: ClosedRange<Int> = 250...5000

    init(_ pool: PostgresPool) { self.pool = pool }

    /// Something was changed. Never blocks.
    func send() {
        let isFirst = state.withLock { state in
            defer { state.isPending = true }
            return !state.isPending
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(PostgresSignals.burst)) { [self] in
            state.withLock { $0.isPending = false }
            // One that is lost is made up for by the look at the tables that every node takes now and then.
            try? pool.transaction("BEGIN; SET LOCAL synchronous_commit = off") { connection, _ in
                _ = try connection.rows(
                    "SELECT pg_notify(\(PostgresSignals.channel), ?)", [.text(sender)])
            }
        }
    }

    /// Calls `onChange` after changes of other nodes, from now on, and each time when some may have been missed. Once for an object.
    func listen(_ onChange: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isListening = true }
            return !state.isListening
        }
        guard isFirst else { return }
        let thread = DispatchQueue(label: "trimd.queue.listening")
        thread.async { [weak self] in self?.hear(on: thread, onChange, delay: 0) }
    }

    /// Listens until the connection breaks, then again after a delay that grows.
    private func hear(on thread: DispatchQueue, _ onChange: @escaping @Sendable () -> Void, delay: Int) {
        let longer = min(max(delay * 2, PostgresSignals.delays.lowerBound), PostgresSignals.delays.upperBound)
        let next = (try? pool.connect()).flatMap { hear($0, onChange) } ?? longer
        thread.asyncAfter(deadline: .now() + .milliseconds(next)) { [weak self] in
            self?.hear(on: thread, onChange, delay: next)
        }
    }

    /// Returns when the connection has broken: the next delay, if it ever listened.
    private func hear(_ connection: PostgresConnection, _ onChange: () -> Void) -> Int? {
        let listen = "SELECT quote_ident(\(PostgresSignals.channel))"
        guard let name = try? connection.rows(listen, []).first?.text(0),
            (try? connection.execute("LISTEN \(name)")) != nil
        else { return nil }
        onChange()
        while let texts = try? connection.notifications(within: PostgresSignals.wait) {
            if texts.contains(where: { $0 != sender }) { onChange() }
        }
        return PostgresSignals.delays.lowerBound
    }
}
