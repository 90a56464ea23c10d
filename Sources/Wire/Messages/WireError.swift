// Socket errors, with messages for people. One error type for the module; failed system calls are its case `system`. It does
// not know the API's error codes: those arrive in RemoteError.
public import Platform

/// A socket error.
public enum WireError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// A socket path that does not fit the kernel's address.
    case pathTooLong(path: String, bytes: Int, limit: Int)
    /// Another process listens at that path.
    case alreadyListening(path: String)
    /// A file that is not a socket has that path.
    case inTheWay(path: String)
    /// A passed descriptor of the wrong kind.
    case unsuitable(descriptor: Int32, reason: String)
    /// Nobody listens at that path.
    case noDaemon(path: String, reason: String)
    /// The peer closed before the response arrived.
    case closed(while: String)
    /// The response did not arrive in time.
    case timedOut(while: String)
    /// The interrupt descriptor became readable.
    case interrupted
    /// The peer responded with an error.
    case remote(RemoteError)
    /// A message too long for a line.
    case tooLong(bytes: Int, limit: Int)
    /// The peer sent a malformed message.
    case malformed(String)
}

extension WireError: CustomStringConvertible {
    /// A message for people.
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
