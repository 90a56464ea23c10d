// A daemon made of a closure: speaks the wire for real on a scratch socket, and answers what the test says. It can be
// stopped and started again, as a daemon is.
import Dispatch
import FoundationEssentials
import Media
import Synchronization
import Text
import Wire

/// A scripted daemon.
final class FakeDaemon: Sendable {
    /// Answers a call; may notify besides.
    typealias Script =
        @Sendable (_ daemon: FakeDaemon, _ method: Method, _ params: JSONValue) throws -> JSONValue

    /// A call that came.
    struct Call: Sendable {
        let method: Method
        let params: JSONValue
    }

    private struct State {
        var listener: Listener?
        var connections: [Connection] = []
        var calls: [Call] = []
    }

    private let path: String
    private let script: Script
    private let state = Mutex(State())

    init(_ path: String, _ script: @escaping Script) throws {
        self.path = path
        self.script = script
        try start()
    }

    func start() throws {
        let listener = Listener(try UnixSocket.listen(at: path), removing: path, label: "fake")
        state.withLock { $0.listener = listener }
        listener.start { connection in
            self.state.withLock { $0.connections.append(connection) }
            connection.start { connection, message, _ in
                guard case .request(let id, let name, let params) = message else { return }
                _ = connection.send(self.answer(id, name, params))
            } onEnd: { connection, _ in
                self.state.withLock { $0.connections.removeAll { $0 === connection } }
            }
        }
    }

    /// Ends as a killed daemon does: all connections break.
    func stop() {
        let listener = state.withLock { state in
            defer { state.listener = nil }
            return state.listener
        }
        // First, so that no client whose connection breaks gets a new one from it.
        let closed = DispatchSemaphore(value: 0)
        listener?.close { closed.signal() }
        if listener != nil { closed.wait() }
        for connection in state.withLock(\.connections) { connection.close() }
    }

    /// Notifies all clients.
    func notify(_ notification: Wire.Notification, _ params: some Encodable) {
        guard let message = try? Message.notification(notification.rawValue, encoding: params) else { return }
        for connection in state.withLock({ $0.connections }) { _ = connection.send(message) }
    }

    /// The calls so far.
    func calls(_ method: Method) -> [JSONValue] {
        state.withLock { $0.calls.filter { $0.method == method }.map(\.params) }
    }

    /// Does something a little later, off the connection's queue.
    func later(_ milliseconds: Int = 20, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
    }

    private func answer(_ id: RequestID, _ name: String, _ params: JSONValue) -> Message {
        guard let method = Method(rawValue: name) else {
            return .failure(id: id, error: .notScripted(name))
        }
        state.withLock { $0.calls.append(Call(method: method, params: params)) }
        do {
            if method == .hello {
                return try .response(to: id, encoding: HelloResult(version: trimdVersion, pid: 1, user: 0))
            }
            return .response(id: id, result: try script(self, method, params))
        } catch let error as RemoteError {
            return .failure(id: id, error: error)
        } catch {
            return .failure(id: id, error: .internalError("\(error)"))
        }
    }
}

extension RemoteError {
    /// The answer to what a test did not expect.
    static func notScripted(_ method: String) -> RemoteError {
        RemoteError(.methodNotFound, code: "operationNotSupported", "there is no method \(method)")
    }
}

extension JobProgress {
    /// Progress while exporting.
    static func sample(_ fraction: Double, id: Int64 = 1) -> JobProgress {
        JobProgress(id: id, Progress(fraction: fraction, phase: .exporting, speed: 2.1, remaining: 12.4))
    }
}

/// The JSON of a value.
func json(_ value: some Encodable) throws -> JSONValue { try JSONValue(encoding: value) }
