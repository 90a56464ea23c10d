// One peer on a connected socket, exchanging lines. It owns the socket and a labelled serial queue, which runs both handlers
// and all reads and writes; any thread may call `send`, `hold` and `close`. A slow reader costs at most the outbox limit and is
// then dropped; under a flood of requests, reading pauses until responses have been sent. It answers malformed lines itself. It
// does not know methods, users or jobs. Once started, it keeps itself alive until it has ended. Reading is in
// Connection+Reading, sending in Connection+Sending.
public import Dispatch
public import Platform
internal import Synchronization

/// One peer, on a serial queue.
///
/// `@unchecked Sendable`: state outside `shared` (a Mutex) is constant or used on `queue` only.
public final class Connection: @unchecked Sendable {
    /// Why a connection ended.
    public enum End: Hashable, Sendable {
        /// The peer closed, and every request was answered, or the responses cannot be delivered.
        case byPeer
        /// This side closed it.
        case here
        /// The peer did not read: the outbox exceeded its limit, or nothing was sent for too long.
        case slowReader
        /// The peer did not finish a line in time.
        case unfinishedLine
        /// The socket failed.
        case failed(SystemError)
    }

    /// The limits of one peer.
    public struct Limits: Hashable, Sendable {
        /// Requests without a response; beyond, reading pauses.
        public var unanswered = 64
        /// Bytes in the outbox; beyond, the connection is closed. At a quarter of it, reading pauses.
        public var outbox = 8 << 20
        /// The longest line that is read.
        public var line = LineFramer.defaultLimit
        /// The longest line that is sent.
        public var sentLine = LineFramer.defaultLimit
        /// Descriptors accepted with one message; surplus ones are closed, and so are those that are neither regular files nor
        /// folders.
        public var descriptors = 8
        /// Milliseconds from the first byte of a line to its end; beyond, the connection is closed. Time while reading is
        /// paused does not count.
        public var lineTime = 30_000
        /// Milliseconds for which a peer may read nothing; beyond, the connection is closed.
        public var sendTime = 300_000
        /// Messages and bytes read per second; beyond, reading pauses until the second is over. Nil: no limit.
        public var messageRate: Int?, byteRate: Int?

        /// Creates the default limits.
        public init() {}
    }

    /// State that other threads may access.
    struct Shared {
        var outbox = Outbox()
        var unanswered: [RequestID: Int] = [:]
        var unansweredCount = 0
        var holds = 0
        /// Whether a flush is queued, or the socket is full and the write source active.
        var flushing = false
        /// Whether delivery stopped for lack of room; freeing room restarts it.
        var stalled = false
        /// The number of active pauses; above 0, nothing is delivered.
        var pauses = 0
        /// Whether it accepts no more input, and ends once the outbox is sent.
        var finishing = false
        var ended = false
    }

    /// Its serial queue.
    public let queue: DispatchQueue
    /// The credentials of the peer.
    public let peer: PeerCredentials
    /// The limits of the peer.
    public let limits: Limits

    let raw: Int32
    let shared = Mutex(Shared())
    var socket: Descriptor?
    var seat: PeerShares.Seat?
    var framer: LineFramer
    var buffer: [UInt8] = []
    var waitingDescriptors: [(position: Int, descriptors: Descriptors)] = []
    var inputEnded = false
    var lineWatch = Stopwatch()
    var sendWatch = Stopwatch()
    var intake = Intake()
    var readiness: Readiness?
    var end: End?
    var onMessage: (@Sendable (Connection, Message, Descriptors) -> Void)?
    var onEnd: (@Sendable (Connection, End) -> Void)?

    /// Adopts a connected socket. `label` names the queue.
    public init(_ socket: consuming Descriptor, label: String, limits: Limits = Limits()) throws(SystemError)
    {
        peer = try PeerCredentials(of: socket)
        raw = socket.rawValue
        self.limits = limits
        queue = DispatchQueue(label: label)
        framer = LineFramer(limit: limits.line)
        self.socket = consume socket
    }

    /// Starts reading. `onMessage` receives each message with its descriptors; `onEnd` is called exactly once, last; both run
    /// on `queue`. Call it once.
    public func start(
        onMessage: @escaping @Sendable (Connection, Message, Descriptors) -> Void,
        onEnd: @escaping @Sendable (Connection, End) -> Void
    ) {
        queue.async {
            guard self.readiness == nil, self.onEnd == nil else { return }
            self.onMessage = onMessage
            self.onEnd = onEnd
            if let end = self.end {
                self.onMessage = nil
                self.onEnd = nil
                return onEnd(self, end)
            }
            do throws(SystemError) {
                self.readiness = try Readiness(of: self.raw, on: self.queue) { _, ready in
                    if ready.contains(.reading) { self.readable() }
                    if ready.contains(.writing) { self.writable() }
                } cancelled: {
                    self.ended()
                }
            } catch {
                return self.finish(.failed(error))
            }
            self.flush()
        }
    }

    /// Closes at once and drops unsent messages.
    public func close() {
        queue.async { self.finish(.here) }
    }

    /// Accepts no more input, sends the outbox, then closes.
    public func closeWhenSent() {
        let first = shared.withLock { shared in
            defer { shared.finishing = true }
            return !shared.finishing
        }
        guard first else { return }
        queue.async {
            self.readiness?.suspend(.reading)
            self.settle()
        }
    }

    /// Keeps a half-closed connection open although every request was answered: a subscription still sends notifications.
    public func hold() {
        shared.withLock { $0.holds += 1 }
    }

    /// Releases a `hold`.
    public func unhold() {
        shared.withLock { $0.holds -= 1 }
        queue.async { self.settle() }
    }

    /// Stops delivery until `resume`; messages wait in the socket. Call it from the message handler: then the next message is
    /// not delivered earlier.
    public func pause() {
        shared.withLock { $0.pauses += 1 }
    }

    /// Releases a `pause`.
    public func resume() {
        queue.async {
            let isLast = self.shared.withLock { shared in
                shared.pauses -= 1
                return shared.pauses == 0
            }
            if isLast { self.deliver() }
        }
    }

    /// Ends if the peer has closed, every request was answered, and everything was sent.
    func settle() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard end == nil else { return }
        let inputDone = inputEnded && framer.pending == 0
        let reason: End? = shared.withLock { shared in
            guard shared.outbox.isEmpty else { return nil }
            if shared.finishing { return .here }
            return inputDone && shared.unansweredCount == 0 && shared.holds <= 0 ? .byPeer : nil
        }
        if let reason { finish(reason) }
    }

    /// Ends now. The descriptor is closed once the dispatch sources have released it.
    func finish(_ reason: End) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard end == nil else { return }
        end = reason
        let dropped = shared.withLock { shared in
            defer { shared.outbox = Outbox() }
            shared.ended = true
            return shared.outbox
        }
        _ = dropped  // its descriptors are closed here, outside of the lock
        UnixSocket.shutDown(raw)
        if let readiness { readiness.cancel() } else { ended() }
    }

    private func ended() {
        socket = nil
        seat = nil
        waitingDescriptors = []
        framer = LineFramer(limit: limits.line)
        buffer = []
        let last = onEnd
        onMessage = nil
        onEnd = nil
        if let end, let last { last(self, end) }
    }
}
