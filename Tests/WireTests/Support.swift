// Shared by the tests of Wire: scratch folders that go away, a served socket, and waiting with an end.
import CLinux
import Dispatch
import Glibc
import Platform
import Synchronization
import Testing
import Text

@testable import Wire

/// No wait of a test lasts longer; reached only where something is broken.
let patience = DispatchTimeInterval.seconds(60)

/// A folder of one test, removed with all that is in it.
final class Scratch {
    let path: String
    private static let number = Atomic<Int>(0)

    init() throws(SystemError) {
        let number = Self.number.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "/tmp/wire-tests-\(getpid())-\(number)"
        try SystemError.check("making", path) { unsafe mkdir(path, 0o700) }
        self.path = path
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    deinit {
        guard let folder = unsafe opendir(path) else { return }
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { _ = unsafe unlink(file(name)) }
        }
        unsafe closedir(folder)
        _ = unsafe rmdir(path)
    }
}

/// Things that happened on other queues, to be waited for.
final class Log<Item: Sendable>: Sendable {
    private let items = Mutex<[Item]>([])
    private let signal = DispatchSemaphore(value: 0)

    func add(_ item: Item) {
        items.withLock { $0.append(item) }
        signal.signal()
    }

    var all: [Item] { items.withLock { $0 } }

    /// Waits for the next thing; nil where it does not come.
    func next() -> Item? {
        guard signal.wait(timeout: .now() + patience) == .success else { return nil }
        return items.withLock { $0.last }
    }
}

/// Waits until something holds, looking often.
func eventually(_ holds: () -> Bool) -> Bool {
    for _ in 0..<12_000 {
        if holds() { return true }
        SocketIO.pause(milliseconds: 5)
    }
    return holds()
}

/// Two connected sockets.
func socketPair() throws -> (ours: Descriptor.Box, theirs: Descriptor.Box) {
    var pair = try Descriptor.socketPair()
    let ours = try Descriptor.Box(pair.takeFirst())
    let theirs = try Descriptor.Box(pair.takeSecond())
    return (ours, theirs)
}

/// The two ends of a pipe.
func pipe() throws -> (reading: Descriptor.Box, writing: Descriptor.Box) {
    var pipe = try Descriptor.pipe()
    return (try Descriptor.Box(pipe.takeFirst()), try Descriptor.Box(pipe.takeSecond()))
}

/// A started connection that takes no messages, how it ended, and the other end of its socket.
func startedConnection() throws -> (connection: Connection, ends: Log<Connection.End>, other: Descriptor.Box)
{
    let pair = try socketPair()
    let connection = try Connection(try pair.ours.take(), label: "test")
    let ends = Log<Connection.End>()
    connection.start { _, _, _ in
    } onEnd: { _, end in
        ends.add(end)
    }
    return (connection, ends, pair.theirs)
}

extension Descriptor {
    /// A descriptor in a tuple or a closure, taken once.
    final class Box {
        private var held: Descriptor?

        init(_ descriptor: consuming Descriptor?) throws(SystemError) {
            held = consume descriptor
            if held == nil { throw SystemError("boxing", "no descriptor", code: EBADF) }
        }

        var raw: Int32 { held?.rawValue ?? -1 }

        func take() throws -> Descriptor {
            guard let descriptor = held.take() else {
                throw SystemError("taking", "a descriptor twice", code: EBADF)
            }
            return descriptor
        }

        func close() {
            _ = held.take()
        }
    }
}

/// A listener whose connections answer a few methods.
final class Service: Sendable {
    let path: String
    let listener: Listener
    let ends = Log<Connection.End>()
    let connections = Log<Connection>()
    let messages = Log<Message>()

    init(_ scratch: Scratch, limits: Listener.Limits = .init()) throws(WireError) {
        path = scratch.file("socket")
        listener = Listener(try UnixSocket.listen(at: path), removing: path, limits: limits)
        listener.start { [ends, connections, messages] connection in
            connections.add(connection)
            connection.start { connection, message, descriptors in
                messages.add(message)
                Service.answer(connection, message, descriptors)
            } onEnd: { _, end in
                ends.add(end)
            }
        }
    }

    func stop() {
        for connection in connections.all { connection.close() }
        let done = DispatchSemaphore(value: 0)
        listener.close { done.signal() }
        #expect(done.wait(timeout: .now() + patience) == .success)
    }

    static func answer(_ connection: Connection, _ message: Message, _ descriptors: Descriptors) {
        guard case .request(let id, let method, let params) = message else { return }
        switch method {
        case "echo": connection.send(.response(id: id, result: params))
        case "later": break  // whoever tests answers
        case "tell":
            connection.send(.notification(method: "told", params: params))
            connection.send(.response(id: id, result: true))
        case "big":
            connection.send(.response(id: id, result: .string(String(repeating: "x", count: 2 << 20))))
        case "read":
            var texts: [JSONValue] = []
            while let descriptor = descriptors.takeNext() { texts.append(.string(contents(of: descriptor))) }
            connection.send(
                .response(id: id, result: ["texts": .array(texts), "lost": .bool(descriptors.truncated)]))
        case "who":
            let peer = connection.peer
            connection.send(
                .response(
                    id: id,
                    result: [
                        "pid": .int(Int64(peer.pid)), "uid": .int(Int64(peer.uid)),
                        "gid": .int(Int64(peer.gid)),
                    ]))
        default:
            connection.send(
                .failure(id: id, error: RemoteError(.methodNotFound, code: "operationNotSupported", method)))
        }
    }
}

/// The contents of a file, up to a few kilobytes.
func contents(of descriptor: borrowing Descriptor) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let raw = descriptor.rawValue
    let count = unsafe pread(raw, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

/// A file in memory with a text in it.
func memoryFile(_ text: String) throws(SystemError) -> Descriptor {
    let raw = try SystemError.check("making", "a file in memory") { unsafe trim_memfd_create("test") }
    let file = Descriptor(adopting: raw)
    let bytes = Array(text.utf8)
    try SystemError.check("writing", "a file in memory") { unsafe write(raw, bytes, bytes.count) }
    return file
}

/// A peer that writes what it likes and reads whole lines, to try what a Client would never do.
final class RawPeer {
    private let socket: Descriptor
    private var framer = LineFramer(limit: 64 << 20)

    init(_ path: String) throws(WireError) {
        socket = try UnixSocket.connect(to: path)
    }

    init(adopting socket: consuming Descriptor) {
        self.socket = consume socket
    }

    var raw: Int32 { socket.rawValue }

    func send(_ text: String, passing descriptors: [Int32] = []) throws(SystemError) {
        try send(Array(text.utf8), passing: descriptors)
    }

    func send(_ bytes: [UInt8], passing descriptors: [Int32] = []) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = try SocketIO.send(
                raw, bytes, from: offset, descriptors: offset == 0 ? descriptors : [], waiting: true)
            guard case .bytes(let count) = written else {
                throw SystemError("sending", "a line", code: EPIPE)
            }
            offset += count
        }
    }

    func finishSending() throws(SystemError) {
        try UnixSocket.finishSending(socket)
    }

    /// The next line; nil at the end.
    func line() throws -> String? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if case .line(let line)? = framer.next() { return String(decoding: line, as: UTF8.self) }
            guard try SocketIO.wait(raw, until: Deadline(after: .seconds(60))) == .readable else {
                throw SystemError("reading", "a line", code: ETIMEDOUT)
            }
            switch try SocketIO.receive(raw, into: &buffer, descriptors: 0, waiting: false) {
            case .bytes(let count, _): framer.append(buffer[..<count])
            case .notNow: continue
            case .end: return nil
            }
        }
    }

    /// The next message.
    func message() throws -> Message {
        let line = try #require(try line())
        return try Message(parsing: Array(line.utf8))
    }
}
