// The worker's end of the socketpair. One thread receives and blocks; any thread may send, and blocks while the daemon is slow.
// It has no queue: the sandboxed process needs sendmsg, recvmsg, poll and futex only. It owns its socket. A malformed
// line is an error here and gets no response: the daemon is trusted.
public import Platform
internal import Synchronization

/// A JSON-RPC channel over a connected socket, with blocking calls.
public final class BlockingChannel: Sendable {
    private struct Reader: ~Copyable {
        var framer = LineFramer(limit: LineFramer.joinLimit)
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        var waiting: [(position: Int, descriptors: Descriptors)] = []
        var atEnd = false
    }

    private let socket: Descriptor
    private let reader = Mutex(Reader())
    private let writer = Mutex(())

    /// Adopts a connected socket.
    public init(adopting socket: consuming Descriptor) {
        self.socket = consume socket
    }

    /// The next message and its descriptors; nil at the end of the stream. For one thread: a second caller blocks.
    /// - Parameter interval: each time that it has passed without a message, `idle` is called; nil: never.
    public func receive(
        every interval: Duration? = nil, _ idle: () -> Void = {}
    ) throws(WireError) -> (message: Message, descriptors: Descriptors)? {
        let raw = socket.rawValue
        return try reader.withLock { reader throws(WireError) in
            while true {
                if let piece = reader.atEnd ? reader.framer.finish() : reader.framer.next() {
                    return try Self.message(piece, &reader)
                }
                if reader.atEnd { return nil }
                if let interval {
                    let ready = try asWireError { () throws(SystemError) in
                        try SocketIO.wait(raw, until: Deadline(after: interval))
                    }
                    guard ready.contains(.readable) else {
                        idle()
                        continue
                    }
                }
                let reading = try asWireError { () throws(SystemError) in
                    try SocketIO.receive(
                        raw, into: &reader.buffer, descriptors: SocketIO.descriptorLimit, waiting: true)
                }
                switch reading {
                case .notNow: continue
                case .end: reader.atEnd = true
                case .bytes(let count, let descriptors):
                    reader.framer.append(reader.buffer[..<count])
                    guard let descriptors else { continue }
                    let last = reader.framer.position + reader.framer.pending - 1
                    reader.waiting.append((last, descriptors))
                }
            }
        }
    }

    /// Sends a message with descriptors that the caller keeps; returns once the kernel has taken all of it.
    public func send(_ message: Message, passing descriptors: [Int32] = []) throws(WireError) {
        let line = message.line
        guard line.count - 1 <= LineFramer.defaultLimit else {
            throw .tooLong(bytes: line.count - 1, limit: LineFramer.defaultLimit)
        }
        let raw = socket.rawValue
        try writer.withLock { _ throws(WireError) in
            var offset = 0
            while offset < line.count {
                let written = try asWireError { () throws(SystemError) in
                    try SocketIO.send(
                        raw, line, from: offset, descriptors: offset == 0 ? descriptors : [], waiting: true)
                }
                switch written {
                case .bytes(let count): offset += count
                case .notNow: continue
                case .broken: throw .closed(while: "sending")
                }
            }
        }
    }

    /// Shuts down both directions: a blocked `receive` returns nil.
    public func close() {
        UnixSocket.shutDown(socket.rawValue)
    }

    private static func message(
        _ piece: LineFramer.Piece, _ reader: inout Reader
    ) throws(WireError) -> (message: Message, descriptors: Descriptors) {
        var raw: [Int32] = []
        while let first = reader.waiting.first, first.position < reader.framer.position {
            raw += first.descriptors.takeAllRaw()
            reader.waiting.removeFirst()
        }
        let descriptors = Descriptors(adopting: raw)
        guard case .line(let line) = piece else {
            throw .malformed("a line over \(reader.framer.limit) bytes")
        }
        do throws(Message.Malformed) {
            return (try Message(parsing: line), descriptors)
        } catch {
            throw .malformed(error.error.message)
        }
    }
}
