// Ends connections whose client takes too long to say what it wants: the library's own limit counts from the last byte, and a client
// that sends one now and then would keep a connection for ever. Any thread.
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The connections that a request is awaited on, and since when.
final class SlowClients: Sendable {
    /// How long a request may take to arrive, in seconds, from the beginning of its connection or the end of the one before.
    static let patience = 20

    private let waiting = Mutex<[Int32: ContinuousClock.Instant]>([:])
    private let patience: Duration

    /// Looks at the connections again and again, from now on.
    init(patience: Duration = .seconds(SlowClients.patience), every interval: Duration = .seconds(2)) {
        self.patience = patience
        let nanoseconds = Int(interval / .nanoseconds(1))
        SlowClients.look(self, every: .nanoseconds(nanoseconds))
    }

    private static func look(_ clients: SlowClients, every interval: DispatchTimeInterval) {
        DispatchQueue.global().asyncAfter(deadline: .now() + interval) { [weak clients] in
            guard let clients else { return }
            clients.endSlowOnes()
            look(clients, every: interval)
        }
    }

    /// A request is awaited on a socket.
    func wait(for socket: Int32) { waiting.withLock { $0[socket] = .now } }

    /// The request is here, or the connection has ended: the socket's number may be another's from now on.
    func stopWaiting(for socket: Int32) { waiting.withLock { $0[socket] = nil } }

    private func endSlowOnes() {
        let limit = ContinuousClock.now - patience
        // Under the lock: whoever closes a socket waits, and its number stays its own.
        waiting.withLock { waiting in
            for (socket, since) in waiting where since < limit {
                shutdown(socket, Int32(SHUT_RDWR))
                waiting[socket] = nil
            }
        }
    }
}
