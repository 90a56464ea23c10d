// The client for programs that do one thing at a time: trimctl and tests. It uses plain poll, send and receive on the caller's
// thread; it has no queue and no thread, and is not Sendable. It owns its socket. It passes notifications to a closure whenever
// it reads bytes, that is during `call` and `waitForNotification` only. It does not reconnect.
public import Platform
public import Text

/// A synchronous JSON-RPC client.
public final class Client {
    /// Receives each notification: its method and parameters. It may `call`.
    public var onNotification: ((String, JSONValue) -> Void)?
    /// A descriptor that ends any wait with `WireError.interrupted` while it is readable: the read end of a pipe that a signal
    /// handler writes to. The caller drains it before the next call, keeps it open, and closes it.
    public var interrupt: Int32?

    private let socket: Descriptor
    private var framer = LineFramer()
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var unsent: [UInt8] = []
    private var lastID: Int64 = 0
    private var awaited: Set<RequestID> = []
    private var answers: [RequestID: Message] = [:]
    private var refusal: RemoteError?
    private var notified = 0
    private var atEnd = false
    /// Files that came with the response; nil: none are wanted, and those that come are closed.
    private var files: [Descriptors]?

    /// The socket, for a caller that polls other descriptors too: readable when data has arrived.
    public var descriptor: Int32 { socket.rawValue }

    /// Connects to a daemon's socket.
    public convenience init(path: String) throws(WireError) {
        self.init(adopting: try UnixSocket.connect(to: path))
    }

    /// Adopts a connected socket.
    public init(adopting socket: consuming Descriptor) {
        self.socket = consume socket
    }

    /// The credentials of the peer.
    public var peer: PeerCredentials {
        get throws(WireError) {
            try asWireError { () throws(SystemError) in try PeerCredentials(of: socket) }
        }
    }

    /// Sends a request and waits for the response; an error response is thrown as `WireError.remote`. The caller keeps its
    /// descriptors.
    @discardableResult
    public func call<Params: Encodable>(
        _ method: String, params: Params = JSONValue.empty, passing descriptors: [Int32] = [],
        timeout: Duration? = nil
    ) throws(WireError) -> JSONValue {
        let deadline = Deadline(after: timeout)
        lastID += 1
        let id = RequestID.int(lastID)
        let line = Message.request(id: id, method: method, params: try JSONValue(encoding: params)).line
        guard line.count - 1 <= framer.limit else {
            throw .tooLong(bytes: line.count - 1, limit: framer.limit)
        }
        awaited.insert(id)
        defer {
            awaited.remove(id)
            answers[id] = nil
        }
        try transmit(line, descriptors, until: deadline, act: "asking \(method)")
        while true {
            switch answers[id] {
            case .response(_, let result)?: return result
            case .failure(_, let error)?: throw .remote(error)
            default: break
            }
            if let refusal {
                self.refusal = nil
                throw .remote(refusal)
            }
            try receive(until: deadline, act: "waiting for the answer to \(method)")
        }
    }

    /// Sends a request, and waits for a response that comes with files. A response without files brings none.
    public func callForFiles<Params: Encodable, Result: Decodable>(
        _ method: String, params: Params, passing descriptors: [Int32] = [], timeout: Duration? = nil,
        returning type: Result.Type
    ) throws(WireError) -> (Result, Descriptors) {
        files = []
        defer { files = nil }
        let result = try call(method, params: params, passing: descriptors, timeout: timeout).decode(as: type)
        return (result, Descriptors.joined(files ?? []))
    }

    /// Sends a request and decodes the response.
    public func call<Params: Encodable, Result: Decodable>(
        _ method: String, params: Params = JSONValue.empty, passing descriptors: [Int32] = [],
        timeout: Duration? = nil, returning type: Result.Type
    ) throws(WireError) -> Result {
        try call(method, params: params, passing: descriptors, timeout: timeout).decode(as: type)
    }

    /// Waits until at least one notification was delivered; false on timeout.
    public func waitForNotification(timeout: Duration? = nil) throws(WireError) -> Bool {
        let deadline = Deadline(after: timeout)
        let before = notified
        while notified == before {
            do throws(WireError) {
                try receive(until: deadline, act: "waiting for a notification")
            } catch {
                if case .timedOut = error { return false }
                throw error
            }
        }
        return true
    }

    /// Shuts down sending; notifications and responses still arrive.
    public func finishSending() throws(WireError) {
        try asWireError { () throws(SystemError) in try UnixSocket.finishSending(socket) }
    }

    private func transmit(
        _ line: [UInt8], _ descriptors: [Int32], until deadline: Deadline, act: String
    ) throws(WireError) {
        if descriptors.count > SocketIO.descriptorLimit {
            throw .system(
                SystemError("sending", "\(descriptors.count) descriptors", code: SystemError.invalid))
        }
        // The rest of an interrupted call's line goes first, or the stream would be corrupt.
        let rest = unsent
        unsent = []
        if !rest.isEmpty { try push(rest, [], started: true, until: deadline, act: act) }
        try push(line, descriptors, started: false, until: deadline, act: act)
    }

    private func push(
        _ bytes: [UInt8], _ descriptors: [Int32], started: Bool, until deadline: Deadline, act: String
    ) throws(WireError) {
        var offset = 0
        defer { if offset < bytes.count && (started || offset > 0) { unsent = Array(bytes[offset...]) } }
        while offset < bytes.count {
            let written = try asWireError { () throws(SystemError) in
                try SocketIO.send(
                    socket.rawValue, bytes, from: offset, descriptors: offset == 0 ? descriptors : [],
                    waiting: false)
            }
            switch written {
            case .bytes(let count): offset += count
            case .notNow: try receive(until: deadline, orWriting: true, act: act)
            case .broken:
                // The reason for the close may still be readable.
                offset = bytes.count
                return
            }
        }
    }

    /// Waits for bytes, and handles all that arrived.
    private func receive(until deadline: Deadline, orWriting: Bool = false, act: String) throws(WireError) {
        if atEnd { throw .closed(while: act) }
        let ready = try asWireError { () throws(SystemError) in
            try SocketIO.wait(socket.rawValue, writing: orWriting, interrupt: interrupt, until: deadline)
        }
        if ready.contains(.interrupted) { throw .interrupted }
        if ready.isEmpty { throw .timedOut(while: act) }
        guard ready.contains(.readable) else { return }
        let reading = try asWireError { () throws(SystemError) in
            try SocketIO.receive(
                socket.rawValue, into: &buffer, descriptors: files == nil ? 0 : SocketIO.descriptorLimit,
                waiting: false)
        }
        switch reading {
        case .notNow: return
        case .bytes(let count, let received):
            framer.append(buffer[..<count])
            if let received { files?.append(received) }
        case .end: atEnd = true
        }
        while let piece = atEnd ? framer.finish() : framer.next() { try handle(piece) }
    }

    private func handle(_ piece: LineFramer.Piece) throws(WireError) {
        guard case .line(let line) = piece else { throw .malformed("a line over \(framer.limit) bytes") }
        let message: Message
        do throws(Message.Malformed) {
            message = try Message(parsing: line)
        } catch {
            throw .malformed(error.error.message)
        }
        switch message {
        case .notification(let method, let params):
            notified += 1
            onNotification?(method, params)
        case .failure(.null, let error): refusal = error
        case .response(let id, _), .failure(let id, _):
            if awaited.contains(id) { answers[id] = message }
        case .request: break  // a daemon asks its clients nothing
        }
    }
}
