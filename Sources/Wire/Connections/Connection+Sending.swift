// The outward half of a Connection. `send` comes from any thread: it only adds to the outbox under the lock; the bytes
// leave on the queue, never waiting. Nothing here blocks on the peer.
internal import Dispatch
internal import Media
public import Platform
internal import Synchronization

extension Connection {
    private static let turn = 1 << 20

    /// Sends a message; false where the connection has ended. An answer too long for a line becomes an error.
    @discardableResult
    public func send(_ message: Message) -> Bool {
        enqueue(message, descriptors: nil, key: nil)
    }

    /// Sends a message with copies of descriptors; the caller keeps its own.
    @discardableResult
    public func send(_ message: Message, passing descriptors: [Int32]) throws(SystemError) -> Bool {
        enqueue(message, descriptors: try Descriptors(duplicating: descriptors), key: nil)
    }

    /// Sends a message that replaces an unsent one of the same key: for states of which only the latest counts.
    @discardableResult
    public func sendDroppable(_ message: Message, key: String) -> Bool {
        enqueue(message, descriptors: nil, key: key)
    }

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
        if line.count - 1 <= limits.line { return line }
        guard let id = message.answeredID else { return nil }
        let what = "the answer has \(line.count) bytes, a line at most \(limits.line): ask for less"
        return Message.failure(id: id, error: RemoteError(.internal, code: .answerTooLong, what)).line
    }

    /// There is room in the socket.
    func writable() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let readiness, readiness.interest.contains(.writing) else { return }
        readiness.suspend(.writing)
        flush()
    }

    /// Sends until the outbox is empty, the socket full, or the turn over.
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

    /// Ends the connection where the peer takes nothing for too long: nobody may be there, and something else keep its end
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
    /// Whether delivery had stopped and can go on; the caller then starts it.
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
    /// The request that this answers; nil where it is no answer.
    var answeredID: RequestID? {
        switch self {
        case .response(let id, _), .failure(let id, _): id
        case .request, .notification: nil
        }
    }
}
