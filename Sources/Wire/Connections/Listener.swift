// Accepts peers on a listening socket, on its own labelled serial queue, and hands each over as a Connection that is
// not yet started. It owns the socket, and counts connections: over a limit a peer gets one line that says so. Without
// descriptors or memory it pauses and tries again, by a timer that it has from the start: to make one takes a descriptor
// (timerfd), and so would fail just then. It does not judge who may connect: the handler has the peer.
// Started, it keeps itself alive until closed.
public import Dispatch
internal import Media
public import Platform
internal import Synchronization

/// A listening socket and its queue.
///
/// `@unchecked Sendable`: what is neither constant nor in a Mutex is touched on `queue` only.
public final class Listener: @unchecked Sendable {
    /// How many may be connected at once, and what they may have open here.
    public struct Limits: Hashable, Sendable {
        /// All together.
        public var connections = 256
        /// Of these, so many are kept for root, and as many more for root and this process's own user.
        public var reserved = 8
        /// Of one user other than root and this process's own.
        public var perUser = 64
        /// Of root, and of this process's own user: the rest stays for others.
        public var perOwner = 192
        /// Descriptors that one user has sent and that are not closed yet, over all connections: three for each of them
        /// at once.
        public var descriptorsPerUser = 256
        /// The same of all users together; beyond, each has what one message carries. A quarter of what the service may
        /// have open (LimitNOFILE in its unit).
        public var descriptors = 1024
        /// What each connection may cost.
        public var connection = Connection.Limits()

        /// The usual limits.
        public init() {}
    }

    /// The queue it lives on.
    public let queue: DispatchQueue
    private static let backOff = DispatchTimeInterval.milliseconds(100)
    private let label: String
    private let limits: Limits
    private let shares: PeerShares
    private let removing: (path: String, identity: UnixSocket.SocketFile)?
    private let raw: Int32
    private var socket: Descriptor?
    private var readiness: Readiness?
    private var retry: (any DispatchSourceTimer)?
    private var count = 0
    private var onConnection: (@Sendable (Connection) -> Void)?
    private var onTrouble: (@Sendable (SystemError) -> Void)?
    private var closed: [@Sendable () -> Void] = []
    private var isClosed = false

    /// Takes over a listening socket. Where `path` is given, its file is removed at the end (not for one that systemd
    /// made). `label` names the queues.
    public init(
        _ socket: consuming Descriptor, removing path: String? = nil, label: String = "trimd.listener",
        limits: Limits = Limits()
    ) {
        raw = socket.rawValue
        self.socket = consume socket
        self.limits = limits
        self.label = label
        shares = PeerShares(limits)
        queue = DispatchQueue(label: label)
        if let path, let identity = UnixSocket.identity(at: path) {
            removing = (path, identity)
        } else {
            removing = nil
        }
    }

    /// How many are connected.
    public var connected: Int { shares.connected }

    /// Begins to accept. `onConnection` runs on `queue` and must start the connection, or close it by dropping it.
    /// `onTrouble` hears of failures to accept, once for each pause.
    public func start(
        onConnection: @escaping @Sendable (Connection) -> Void,
        onTrouble: @escaping @Sendable (SystemError) -> Void = { _ in }
    ) {
        queue.async {
            guard self.readiness == nil, !self.isClosed else { return }
            self.onConnection = onConnection
            self.onTrouble = onTrouble
            let retry = DispatchSource.makeTimerSource(queue: self.queue)
            retry.setEventHandler { self.tryAgain() }
            // Armed once now: libdispatch keeps the timerfd that this makes for the life of the process.
            retry.schedule(deadline: .now() + Self.backOff)
            retry.activate()
            self.retry = retry
            self.watch()
        }
    }

    /// Waits for peers; where even that cannot be had, tries again a little later.
    private func watch() {
        guard !isClosed else { return }
        do throws(SystemError) {
            readiness = try Readiness(of: raw, on: queue) { _, _ in
                self.acceptWaiting()
            } cancelled: {
                self.ended()
            }
        } catch {
            onTrouble?(error)
            retry?.schedule(deadline: .now() + Self.backOff)
        }
    }

    /// After a pause: waits for peers again.
    private func tryAgain() {
        guard let readiness else { return watch() }
        readiness.resume(.reading)
    }

    /// Stops accepting; connections live on. `then` runs on `queue` when the socket is closed and its file gone.
    public func close(then: @escaping @Sendable () -> Void = {}) {
        queue.async {
            if self.isClosed && self.socket == nil { return then() }
            self.closed.append(then)
            guard !self.isClosed else { return }
            self.isClosed = true
            self.retry?.cancel()
            if let removing = self.removing { UnixSocket.remove(removing.path, if: removing.identity) }
            if let readiness = self.readiness { readiness.cancel() } else { self.ended() }
        }
    }

    private func ended() {
        socket = nil
        onConnection = nil
        onTrouble = nil
        for then in closed { then() }
        closed = []
    }

    private func acceptWaiting() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isClosed else { return }
        // A few a turn: a crowd at the door must not keep `close` waiting.
        for _ in 0..<32 {
            do throws(SystemError) {
                guard let next = try UnixSocket.accept(raw) else { return }
                try welcome(next)
            } catch {
                return pause(error)
            }
        }
    }

    private func welcome(_ accepted: consuming Descriptor) throws(SystemError) {
        let peer = try PeerCredentials(of: accepted)
        guard let seat = shares.seat(for: peer.uid) else {
            let error = RemoteError(.application, code: .serverBusy, "too many connections: try again later")
            let line = Message.failure(id: .null, error: error).line
            // What does not fit at once is lost: nobody waits for a peer that is turned away.
            _ = try? SocketIO.send(accepted.rawValue, line, from: 0, descriptors: [], waiting: false)
            return
        }
        count += 1
        let connection = try Connection(
            accepted, label: "\(label).connection.\(count)", limits: limits.connection)
        connection.seat = seat
        onConnection?(connection)
    }

    private func pause(_ error: SystemError) {
        readiness?.suspend(.reading)
        onTrouble?(error)
        retry?.schedule(deadline: .now() + Self.backOff)
    }
}
