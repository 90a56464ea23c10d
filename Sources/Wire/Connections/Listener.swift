// Accepts peers on a listening socket, on a labelled serial queue, and passes each on as a Connection that is not started. It
// owns the socket, and counts connections: beyond a limit a peer gets one line with the error. Without descriptors or memory it
// pauses and retries by a timer created at the start: creating one needs a descriptor (timerfd) and would fail just then. It
// does not decide who may connect: the handler has the peer's credentials. Once started, it keeps itself alive until closed.
public import Dispatch
internal import Media
public import Platform
internal import Synchronization

/// A listening socket and its queue.
///
/// `@unchecked Sendable`: state that is neither constant nor in a Mutex is used on `queue` only.
public final class Listener: @unchecked Sendable {
    /// Limits on simultaneous connections and open descriptors.
    public struct Limits: Hashable, Sendable {
        /// Total connections.
        public var connections = 256
        /// Of these, the number reserved for root, and as many more for root and this process's user.
        public var reserved = 8
        /// Connections of one user other than root and this process's user.
        public var perUser = 64
        /// Connections of root, and of this process's user: the rest stays for others.
        public var perOwner = 192
        /// Open descriptors sent by one user, over all connections: three for each connection.
        public var descriptorsPerUser = 256
        /// The same for all users together; beyond, each user has those of one message. A quarter of the service's descriptor
        /// limit (LimitNOFILE in its unit).
        public var descriptors = 1024
        /// The limits of each connection.
        public var connection = Connection.Limits()

        /// Creates the default limits.
        public init() {}
    }

    /// Its serial queue.
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

    /// Adopts a listening socket. If `path` is given, its file is removed at the end (not for a socket from systemd). `label`
    /// names the queues.
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

    /// The number of connections.
    public var connected: Int { shares.connected }

    /// Starts accepting. `onConnection` runs on `queue` and must start the connection, or close it by dropping it. `onTrouble`
    /// receives failures to accept, once per pause.
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
            // Armed once now: libdispatch keeps the timerfd created here for the life of the process.
            retry.schedule(deadline: .now() + Self.backOff)
            retry.activate()
            self.retry = retry
            self.watch()
        }
    }

    /// Waits for peers; retries shortly after if even that fails.
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

    /// Waits for peers again after a pause.
    private func tryAgain() {
        guard let readiness else { return watch() }
        readiness.resume(.reading)
    }

    /// Stops accepting; connections stay open. `then` runs on `queue` once the socket is closed and its file removed.
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
        // A few per turn: a flood of peers must not delay `close`.
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
            // Data that does not fit at once is dropped: nothing waits for a rejected peer.
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
