// One peer on a connected socket, exchanging lines. It owns the socket and a labelled serial queue, which runs both handlers
// and all reads and writes; any thread may call `send`, `hold` and `close`. A slow reader costs at most the outbox limit and is
// then dropped; under a flood of requests, reading pauses until responses have been sent. It answers malformed lines itself. It
// does not know methods, users or jobs. Once started, it keeps itself alive until it has ended. Reading is in
// Connection+Reading, sending in Connection+Sending.
public import Dispatch
internal import Media
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
    private var waitingDescriptors: [(position: Int, descriptors: Descriptors)] = []
    private var inputEnded = false
    private var lineWatch = Stopwatch()
    private var sendWatch = Stopwatch()
    private var intake = Intake()
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

// The receiving half of a Connection, on its queue: socket → framer → messages → handler. It reads one chunk per turn, so no
// peer blocks the queue. Descriptors belong to the last line that has a byte in the write that carried them: exact for a peer
// that sends each such message with a separate sendmsg, since the kernel ends a read after descriptors.
extension Connection {
    private static let chunk = 32 << 10

    /// Handles a readable socket.
    func readable() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard end == nil, !inputEnded, readiness?.interest.contains(.reading) == true,
            !shared.withLock({ $0.finishing })
        else { return }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.chunk) }
        do throws(SystemError) {
            switch try SocketIO.receive(raw, into: &buffer, descriptors: limits.descriptors, waiting: false) {
            case .notNow: return
            case .bytes(let count, let descriptors):
                intake.count(bytes: count)
                framer.append(buffer[..<count])
                if let descriptors { keep(descriptors) }
                deliver()
            case .end:
                inputEnded = true
                readiness?.suspend(.reading)
                deliver()
                // The peer has hung up: waiting for responses is useless. Otherwise it only shut down sending.
                if end == nil, framer.pending == 0, SocketIO.isHungUp(raw) { finish(.byPeer) }
                settle()
            }
        } catch {
            finish(.failed(error))
        }
    }

    /// Delivers lines while there is room for their responses.
    func deliver() {
        dispatchPrecondition(condition: .onQueue(queue))
        while end == nil {
            if let wait = intake.wait(under: limits) { return rest(wait) }
            guard hasRoom() else { return stopReading() }
            guard let piece = inputEnded ? framer.finish() : framer.next() else { break }
            intake.count(messages: 1)
            lineWatch.stop()
            let descriptors = descriptors(upTo: framer.position)
            handle(piece, descriptors)
        }
        guard end == nil else { return }
        if inputEnded { return settle() }
        if framer.isMidLine { watchLine() } else { lineWatch.stop() }
        readiness?.resume(.reading)
    }

    private func stopReading() {
        readiness?.suspend(.reading)
        // The peer is not at fault for a line that nobody reads.
        lineWatch.stop()
    }

    /// Pauses reading: the peer exceeds its rate per second.
    private func rest(_ nanoseconds: Int64) {
        stopReading()
        guard !intake.isResting else { return }
        intake.isResting = true
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
            self?.intake.isResting = false
            self?.deliver()
        }
    }

    /// Closes the connection if the current line is not finished in time: its sender may be gone.
    private func watchLine() {
        lineWatch.start()
        guard !lineWatch.isWatched, let left = lineWatch.left(of: limits.lineTime) else { return }
        lineWatch.isWatched = true
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(max(left, 0)))) { [weak self] in
            guard let self else { return }
            lineWatch.isWatched = false
            guard end == nil, let left = lineWatch.left(of: limits.lineTime) else { return }
            if left > 0 { return watchLine() }
            finish(.unfinishedLine)
        }
    }

    private func hasRoom() -> Bool {
        let limits = limits
        return shared.withLock { shared in
            shared.stalled = !shared.finishing && !shared.hasRoom(limits)
            return !shared.stalled && !shared.finishing && shared.pauses <= 0
        }
    }

    private func handle(_ piece: LineFramer.Piece, _ descriptors: Descriptors) {
        switch piece {
        case .tooLong:
            let what = "a line has at most \(limits.line) bytes"
            send(.failure(id: .null, error: .invalidRequest(what)))
        case .line(let line):
            do throws(Message.Malformed) {
                let message = try Message(parsing: line)
                if case .request(let id, _, _) = message {
                    shared.withLock { shared in
                        shared.unanswered[id, default: 0] += 1
                        shared.unansweredCount += 1
                    }
                }
                onMessage?(self, message, descriptors)
            } catch {
                send(error.answer)
            }
        }
    }

    /// Queues the descriptors that came with the last bytes for the line those bytes end in.
    private func keep(_ received: Descriptors) {
        let last = framer.position + framer.pending - 1
        let held = waitingDescriptors.reduce(0) { $0 + $1.descriptors.count }
        waitingDescriptors.append((last, usable(received, held: held)))
    }

    /// Of the received descriptors, the files and folders, up to the limits of a line and of the user.
    private func usable(_ received: Descriptors, held: Int) -> Descriptors {
        let files = received.filesOnly()
        guard held + files.count <= limits.descriptors else { return Descriptors(lost: .surplus) }
        guard let seat, files.count > 0 else { return files }
        guard let lease = seat.lease(files.count) else { return Descriptors(lost: .share) }
        return files.keeping(lease)
    }

    private func descriptors(upTo position: Int) -> Descriptors {
        var mine: [Descriptors] = []
        while let first = waitingDescriptors.first, first.position < position {
            mine.append(first.descriptors)
            waitingDescriptors.removeFirst()
        }
        return Descriptors.joined(mine)
    }
}

extension Connection.Shared {
    /// Whether another request may be accepted.
    func hasRoom(_ limits: Connection.Limits) -> Bool {
        unansweredCount < limits.unanswered && outbox.size < max(limits.outbox / 4, 1)
    }
}

// The sending half of a Connection. Any thread may call `send`: it only appends to the outbox under the lock; the queue writes
// the bytes without blocking. Nothing here blocks on the peer.
extension Connection {
    private static let turn = 1 << 20

    /// Sends a message; false if the connection has ended. A response too long for a line becomes an error.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        enqueue(message, descriptors: nil, key: nil)
    }

    /// Sends a message with copies of descriptors; the caller keeps the originals.
    @discardableResult
    public func send(_ message: Message, passing descriptors: [Int32]) throws(SystemError) -> Bool {
        enqueue(message, descriptors: try Descriptors(duplicating: descriptors), key: nil)
    }

    /// Sends a message that replaces an unsent one with the same key: for states of which only the latest counts.
    @discardableResult
    public func sendDroppable(_ message: Message, key: String) -> Bool {
        enqueue(message, descriptors: nil, key: key)
    }

    /// Whether messages wait until the peer reads.
    public var hasUnsent: Bool { shared.withLock { !$0.outbox.isEmpty } }

    private func enqueue(_ message: Message, descriptors: Descriptors?, key: String?) -> Bool {
        guard let line = line(of: message) else { return false }
        let limits = limits
        let todo: (flush: Bool, deliver: Bool, overflow: Bool)? = shared.withLock { shared in
            guard !shared.ended else { return nil }
            if let id = message.answeredID { shared.answered(id) }
            shared.outbox.append(line, descriptors: descriptors, key: key)
            if shared.outbox.size > limits.outbox {
                shared.ended = true
                return (false, false, true)
            }
            let flush = !shared.flushing
            shared.flushing = true
            return (flush, shared.takeRoom(limits), false)
        }
        guard let todo else { return false }
        if todo.overflow {
            queue.async { self.finish(.slowReader) }
            return false
        }
        if todo.flush { queue.async { self.flush() } }
        if todo.deliver { queue.async { self.deliver() } }
        return true
    }

    private func line(of message: Message) -> [UInt8]? {
        let line = message.line
        if line.count - 1 <= limits.sentLine { return line }
        guard let id = message.answeredID else { return nil }
        let what = "the answer has \(line.count) bytes, a line at most \(limits.sentLine): ask for less"
        return Message.failure(id: id, error: RemoteError(.internal, code: .answerTooLong, what)).line
    }

    /// Handles a writable socket.
    func writable() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let readiness, readiness.interest.contains(.writing) else { return }
        readiness.suspend(.writing)
        flush()
    }

    /// Sends until the outbox is empty, the socket is full, or the turn is over.
    func flush() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard end == nil else { return }
        var left = Self.turn
        while let front = nextToSend() {
            guard left > 0 else { return queue.async { self.flush() } }
            do throws(SystemError) {
                let written = try SocketIO.send(
                    raw, front.bytes, from: front.offset, descriptors: front.descriptors?.borrowed ?? [],
                    waiting: false)
                switch written {
                case .notNow:
                    readiness?.resume(.writing)
                    return watchSending()
                case .broken: return finish(.byPeer)
                case .bytes(let count):
                    left -= count
                    sendWatch.stop()
                    sent(count)
                }
            } catch {
                return finish(.failed(error))
            }
        }
        settle()
    }

    /// Closes the connection if the peer reads nothing for too long: the peer may be gone while another process keeps its end
    /// of the socket open.
    private func watchSending() {
        sendWatch.start()
        guard !sendWatch.isWatched, let left = sendWatch.left(of: limits.sendTime) else { return }
        sendWatch.isWatched = true
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(max(left, 0)))) { [weak self] in
            guard let self else { return }
            sendWatch.isWatched = false
            guard end == nil, let left = sendWatch.left(of: limits.sendTime) else { return }
            if left > 0 { return watchSending() }
            finish(.slowReader)
        }
    }

    private func nextToSend() -> Outbox.Front? {
        shared.withLock { shared in
            let front = shared.outbox.front()
            if front == nil { shared.flushing = false }
            return front
        }
    }

    private func sent(_ count: Int) {
        let limits = limits
        let deliver = shared.withLock { shared in
            shared.outbox.sent(count)
            return shared.takeRoom(limits)
        }
        if deliver { queue.async { self.deliver() } }
    }
}

extension Connection.Shared {
    /// Whether delivery had stopped and can continue; the caller then starts it.
    mutating func takeRoom(_ limits: Connection.Limits) -> Bool {
        guard stalled, hasRoom(limits) else { return false }
        stalled = false
        return true
    }

    mutating func answered(_ id: RequestID) {
        guard let count = unanswered[id] else { return }
        unanswered[id] = count > 1 ? count - 1 : nil
        unansweredCount -= 1
    }
}

extension Message {
    /// The ID of the request this responds to; nil if it is not a response.
    var answeredID: RequestID? {
        switch self {
        case .response(let id, _), .failure(let id, _): id
        case .request, .notification: nil
        }
    }
}
