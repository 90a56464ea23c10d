// The sending half of a Connection. Any thread may call `send`: it only appends to the outbox under the lock; the queue writes
// the bytes without blocking. Nothing here blocks on the peer.
internal import Dispatch
internal import Media
public import Platform
internal import Synchronization

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
