// Ends connections whose client takes too long to say what it wants: the library's own limit counts from the last byte, and a client
// that sends one now and then would keep a connection for ever. Who has no session takes no seat from who has one: of more strangers than
// there is room for, the one that came first goes. Any thread.
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The connections: since when each is there, since when a request is awaited on it, and whether it is of somebody with a session.
final class SlowClients: Sendable {
    /// How long a request may take to arrive, in seconds, from the beginning of its connection or the end of the one before.
    static let patience = 20
    /// The most connections without a session.
    static let mostStrangers = 64

    private struct Client {
        let began: ContinuousClock.Instant
        var waiting: ContinuousClock.Instant?
        var hasSeat = false
    }

    private let clients = Mutex<[Int32: Client]>([:])
    private let patience: Duration
    private let mostStrangers: Int

    /// Looks at the connections again and again, from now on.
    init(
        patience: Duration = .seconds(SlowClients.patience), every interval: Duration = .seconds(2),
        mostStrangers: Int = SlowClients.mostStrangers
    ) {
        self.patience = patience
        self.mostStrangers = mostStrangers
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

    /// A request is awaited on a socket, whose connection may be new.
    func wait(for socket: Int32) {
        let now = ContinuousClock.now
        clients.withLock { clients in
            clients[socket, default: Client(began: now)].waiting = now
            // Under the lock: whoever closes a socket waits, and its number stays its own.
            let strangers = clients.filter { !$0.value.hasSeat }
            guard strangers.count > mostStrangers,
                let first = strangers.min(by: { $0.value.began < $1.value.began })?.key
            else { return }
            shutdown(first, Int32(SHUT_RDWR))
            clients[first] = nil
        }
    }

    /// The request is here; of somebody with a session the connection is kept.
    func stopWaiting(for socket: Int32, hasSeat: Bool) {
        clients.withLock { clients in
            clients[socket]?.waiting = nil
            if hasSeat { clients[socket]?.hasSeat = true }
        }
    }

    /// The connection has ended: the socket's number may be another's from now on.
    func end(_ socket: Int32) { clients.withLock { $0[socket] = nil } }

    private func endSlowOnes() {
        let limit = ContinuousClock.now - patience
        clients.withLock { clients in
            for (socket, client) in clients {
                guard let since = client.waiting, since < limit else { continue }
                shutdown(socket, Int32(SHUT_RDWR))
                clients[socket] = nil
            }
        }
    }
}
