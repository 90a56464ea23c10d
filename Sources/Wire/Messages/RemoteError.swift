// The JSON-RPC error object: thrown by handlers, caught by clients. It has a number for generic clients, a stable code for
// scripts, and a message for people. The codes are those of ErrorCode.
public import Media
public import Text

/// An error on the wire.
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The numbers of JSON-RPC 2.0.
    public enum Kind: Int, Sendable, CaseIterable {
        /// The line is not JSON.
        case parse = -32700
        /// The JSON is not a request.
        case invalidRequest = -32600
        /// There is no such method.
        case methodNotFound = -32601
        /// The parameters do not fit the method.
        case invalidParams = -32602
        /// The server failed.
        case `internal` = -32603
        /// The method failed; the code says why.
        case application = -32000
    }

    /// The number: one of `Kind`, or another implementation's.
    public let number: Int
    /// The stable code: `error.data.code` on the wire.
    public let code: String
    /// The message: the error, its location, and the remedy.
    public let message: String
    /// Further details (a time, a track): the other members of `error.data`.
    public let details: [String: JSONValue]

    /// Creates an error of a JSON-RPC kind.
    public init(_ kind: Kind, code: String, _ message: String, details: [String: JSONValue] = [:]) {
        self.init(number: kind.rawValue, code: code, message, details: details)
    }

    /// Creates an error of a JSON-RPC kind, with an ErrorCode.
    init(_ kind: Kind, code: ErrorCode, _ message: String) {
        self.init(kind, code: code.rawValue, message)
    }

    /// Creates an error of the API: number -32000 and its code.
    public init(code: String, _ message: String, details: [String: JSONValue] = [:]) {
        self.init(.application, code: code, message, details: details)
    }

    init(number: Int, code: String, _ message: String, details: [String: JSONValue]) {
        self.number = number
        self.code = code
        self.message = message
        self.details = details
    }

    /// The message.
    public var description: String { message }
}

extension RemoteError {
    /// The line is not JSON.
    public static func parse(_ message: String) -> RemoteError { .init(.parse, code: .parseError, message) }

    /// The JSON is not a request.
    public static func invalidRequest(_ message: String) -> RemoteError {
        .init(.invalidRequest, code: .invalidRequest, message)
    }

    /// The server failed.
    public static func internalError(_ message: String) -> RemoteError {
        .init(.internal, code: .internalError, message)
    }
}

extension RemoteError {
    /// The value of `error`.
    var json: JSONValue {
        var data = details
        data["code"] = .string(code)
        return .object(["code": .int(Int64(number)), "message": .string(message), "data": .object(data)])
    }

    /// Parses the value of `error`; nil if it is not an error object.
    init?(json: JSONValue) {
        guard let members = json.object, let number = members["code"]?.int,
            let number = Int(exactly: number), let message = members["message"]?.string
        else { return nil }
        var details: [String: JSONValue] = [:]
        if let data = members["data"]?.object { details = data.dictionary }
        var code = "unknown"
        if let word = details.removeValue(forKey: "code")?.string { code = word }
        self.init(number: number, code: code, message, details: details)
    }
}

// Converts between MediaError, the errors users see, and RemoteError, the errors on a socket. On the wire `error.data` is the
// MediaError's JSON, so `error.data.code` is the stable code. Pure.
extension RemoteError {
    /// Creates the wire form of a MediaError.
    public init(_ error: MediaError, kind: Kind = .application) {
        var details: [String: JSONValue] = [:]
        if let members = try? JSONValue(encoding: error).object { details = members.dictionary }
        details["code"] = nil
        self.init(kind, code: error.code.rawValue, error.description, details: details)
    }
}

extension MediaError {
    /// Creates a MediaError from another process's error; unrecognized codes become `unknown`.
    public init(_ remote: RemoteError) {
        var members = remote.details
        members["code"] = .string(remote.code)
        if members["message"] == nil { members["message"] = .string(remote.message) }
        if let error = try? JSONValue.object(members).decode(as: MediaError.self) {
            self = error
        } else {
            self.init(.unknown, remote.message)
        }
    }
}
