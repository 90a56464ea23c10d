// One peer on a connected socket: lines in, lines out. It owns the socket and lives on its own labelled serial queue,
// where both handlers run and all reading and writing is done; `send`, `hold` and `close` come from any thread. A slow
// reader costs at most the outbox's limit and is then dropped; a flood of requests stops being read until answers have
// gone out. Lines that are no message it answers itself. It does not know methods, users or jobs.
// Started, it keeps itself alive until it has ended. Reading is in Connection+Reading, writing in Connection+Writing.
public import Dispatch
public import Platform
internal import Synchronization

/// One peer, on a queue of its own.
///
/// `@unchecked Sendable`: what is not in `shared` (a Mutex) or constant is touched on `queue` only.
public final class Connection: @unchecked Sendable {
    /// Why a connection ended.
    public enum End: Hashable, Sendable {
        /// The peer closed, and everything it asked for was answered or cannot be delivered.
        case byPeer
        /// It was closed on this side.
        case here
        /// The peer did not read: what waited for it grew over the limit, or it took nothing for too long.
        case slowReader
        /// The peer began a line and did not end it in time.
        case unfinishedLine
        /// The socket failed.
        case failed(SystemError)
    }

    /// What one peer may cost.
    public struct Limits: Hashable, Sendable {
        /// Requests without an answer; beyond, reading pauses.
        public var unanswered = 64
        /// Bytes waiting to be sent; beyond, the connection is closed. At a quarter of it, reading pauses.
        public var outbox = 8 << 20
        /// The longest line.
        public var line = LineFramer.defaultLimit
        /// Descriptors received with one message; surplus ones are closed, and so are those that are neither regular
        /// files nor folders.
        public var descriptors = 8
        /// Milliseconds from the first byte of a line to its end; beyond, the connection is closed. While nothing is read
        /// from it they do not count.
        public var lineTime = 30_000
        /// Milliseconds for which a peer may take nothing of what it is sent; beyond, the connection is closed.
        public var sendTime = 300_000
        /// Messages and bytes that are read in a second; beyond, reading pauses until it is over. Nil: as they come.
        public var messageRate: Int?, byteRate: Int?

        /// The usual limits.
        public init() {}
    }

    /// What other threads may touch.
    struct Shared {
        var outbox = Outbox()
        var unanswered: [RequestID: Int] = [:]
        var unansweredCount = 0
        var holds = 0
        /// A flush is queued, or the socket is full and the write source running.
        var flushing = false
        /// Delivery stopped for want of room; whoever makes room starts it again.
        var stalled = false
        /// So many want that nothing is delivered.
        var pauses = 0
        /// Nothing more is taken in; what waits is sent, then it ends.
        var finishing = false
        var ended = false
    }

    /// The queue it lives on.
    public let queue: DispatchQueue
    /// Who is at the other end.
    public let peer: PeerCredentials
    /// What the peer may cost.
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

    /// Takes over a connected socket. `label` names the queue.
    public init(_ socket: consuming Descriptor, label: String, limits: Limits = Limits()) throws(SystemError)
    {
        peer = try PeerCredentials(of: socket)
        raw = socket.rawValue
        self.limits = limits
        queue = DispatchQueue(label: label)
        framer = LineFramer(limit: limits.line)
        self.socket = consume socket
    }

    /// Begins to read. `onMessage` gets each message with the descriptors sent with it; `onEnd` is called exactly once,
    /// as the last thing; both run on `queue`. To be called once.
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

    /// Closes at once; what waits to be sent is dropped.
    public func close() {
        queue.async { self.finish(.here) }
    }

    /// Takes nothing more in, sends what waits, then closes.
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

    /// Keeps a half-closed connection open although all is answered: a subscription still has things to tell.
    public func hold() {
        shared.withLock { $0.holds += 1 }
    }

    /// Takes a `hold` back.
    public func unhold() {
        shared.withLock { $0.holds -= 1 }
        queue.async { self.settle() }
    }

    /// Delivers nothing more until `resume`; messages wait in the socket. To be called by the message's handler: the next
    /// message is then not handed over before.
    public func pause() {
        shared.withLock { $0.pauses += 1 }
    }

    /// Takes a `pause` back.
    public func resume() {
        queue.async {
            let isLast = self.shared.withLock { shared in
                shared.pauses -= 1
                return shared.pauses == 0
            }
            if isLast { self.deliver() }
        }
    }

    /// Ends, where the peer has said all, everything is answered and sent.
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

    /// Ends now. The descriptor is closed when the watch has let go of it.
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
