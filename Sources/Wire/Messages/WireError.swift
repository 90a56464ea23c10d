// What can go wrong between two ends of a socket, in words for people. One error type for the module; system calls
// that fail are its case `system`. It does not know the API's own error words: those come in RemoteError.
public import Platform

/// What went wrong on the wire.
public enum WireError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// A socket's path does not fit the kernel's address.
    case pathTooLong(path: String, bytes: Int, limit: Int)
    /// Another process serves that path.
    case alreadyListening(path: String)
    /// Something that is not a socket has that name.
    case inTheWay(path: String)
    /// A descriptor that was handed over is not what it should be.
    case unsuitable(descriptor: Int32, reason: String)
    /// Nobody listens there.
    case noDaemon(path: String, reason: String)
    /// The other side closed before the answer came.
    case closed(while: String)
    /// The answer did not come in time.
    case timedOut(while: String)
    /// The descriptor that interrupts became readable.
    case interrupted
    /// The other side answered with an error.
    case remote(RemoteError)
    /// A message that does not fit a line.
    case tooLong(bytes: Int, limit: Int)
    /// The other side sent what is no message.
    case malformed(String)
}

extension WireError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .system(let error): error.description
        case .pathTooLong(let path, let bytes, let limit):
            "the path of a Unix socket has at most \(limit) bytes, this one \(bytes): \(path)"
        case .alreadyListening(let path): "another trimd is listening on \(path)"
        case .inTheWay(let path): "\(path) is in the way: it exists and is not a socket"
        case .unsuitable(let descriptor, let reason): "descriptor \(descriptor) \(reason)"
        case .noDaemon(let path, let reason): "no trimd answers on \(path): \(reason)"
        case .closed(let act): "trimd closed the connection while \(act)"
        case .timedOut(let act): "no answer in time while \(act)"
        case .interrupted: "interrupted"
        case .remote(let error): error.message
        case .tooLong(let bytes, let limit): "a message has at most \(limit) bytes, this one \(bytes)"
        case .malformed(let what): "the other side sent what is not JSON-RPC: \(what)"
        }
    }
}

/// Runs a throwing system call in a function that throws `WireError`.
@discardableResult
func asWireError<Answer: ~Copyable>(_ body: () throws(SystemError) -> Answer) throws(WireError) -> Answer {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
