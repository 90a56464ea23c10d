// The receiving half of a Connection, on its queue: socket → framer → messages → handler. It reads one chunk per turn, so no
// peer blocks the queue. Descriptors belong to the last line that has a byte in the write that carried them: exact for a peer
// that sends each such message with a separate sendmsg, since the kernel ends a read after descriptors.
internal import Dispatch
internal import Platform
internal import Synchronization

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
