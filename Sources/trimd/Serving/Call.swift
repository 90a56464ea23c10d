// Call: one request of a client and its single response. Any queue.
internal import Media
internal import Synchronization
internal import Text
internal import Wire

/// One request: its sender and its response.
struct Call: Sendable {
    let connection: Connection
    let id: RequestID
    let params: JSONValue
    let caller: Caller
    /// Set once it is answered.
    let isAnswered = Once()
    /// The client; its disconnection ends its work.
    var client: ObjectIdentifier { ObjectIdentifier(connection) }

    func read<Params: Decodable>(_ type: Params.Type) throws(Refused) -> Params {
        do throws(MediaError) {
            return try Parameters.read(type, params)
        } catch { throw Refused(RemoteError(error, kind: .invalidParams)) }
    }

    /// Throws if a method without parameters gets some.
    func checkEmpty(_ method: Method) throws(Refused) {
        guard let name = params.object?.names.min() else { return }
        let error = MediaError(
            .invalidRequest, "\(name.prefix(64)): is not a known key; \(method.rawValue) takes nothing")
        throw Refused(RemoteError(error, kind: .invalidParams))
    }

    func answer(_ result: some Encodable) {
        do throws(WireError) {
            send(try Message.response(to: id, encoding: result))
        } catch { refuse(.internalError("the answer cannot be written: \(error)")) }
    }

    func answer(_ result: Result<some Encodable, MediaError>) {
        switch result {
        case .success(let value): answer(value)
        case .failure(let error): refuse(RemoteError(error))
        }
    }

    func answer(_ result: Result<JSONValue, MediaError>) {
        switch result {
        case .success(let value): send(.response(id: id, result: value))
        case .failure(let error): refuse(RemoteError(error))
        }
    }

    /// Answers with a file beside the report.
    func answer(_ result: Result<(some Encodable, MemoryFile), MediaError>) {
        switch result {
        case .success(let (report, file)):
            do {
                let message = try Message.response(to: id, encoding: report)
                guard isAnswered.take() else { return }
                _ = try connection.send(message, passing: [file.descriptor])
            } catch { refuse(.internalError("the answer cannot be written: \(error)")) }
        case .failure(let error): refuse(RemoteError(error))
        }
    }

    func refuse(_ error: RemoteError) { send(.failure(id: id, error: error)) }

    /// Sends the response; dropped if one was sent already.
    private func send(_ answer: Message) {
        if isAnswered.take() { connection.send(answer) }
    }

    /// Runs the body; responds with the error that it throws.
    func attempt(_ body: () throws -> Void) {
        do { try body() } catch let refused as Refused {
            refuse(refused.error)
        } catch let error as MediaError {
            refuse(RemoteError(error))
        } catch {
            refuse(.internalError("\(error)"))
        }
    }
}

/// An error that becomes the response to a request.
struct Refused: Error {
    let error: RemoteError
    init(_ error: RemoteError) { self.error = error }
    init(_ error: MediaError) { self.error = RemoteError(error) }
}

/// A flag that is taken once, by the first thread. Any thread.
final class Once: Sendable {
    private let isTaken = Atomic(false)

    /// True for the first caller.
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}
