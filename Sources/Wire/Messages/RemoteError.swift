// The error object of JSON-RPC: what a handler throws to have it sent, and what a client catches. A number for
// generic clients, a stable word for scripts, a sentence for people. The words are those of ErrorCode.
internal import Media
public import Text

/// An error as it crosses the wire.
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
        /// The method says no; the word says why.
        case application = -32000
    }

    /// The number: one of `Kind`, or whatever another implementation sends.
    public let number: Int
    /// The stable word: `error.data.code` on the wire.
    public let code: String
    /// A sentence: what is wrong, where, and what to do.
    public let message: String
    /// What else is known (a time, a track): the other members of `error.data`.
    public let details: [String: JSONValue]

    /// An error of one of JSON-RPC's kinds.
    public init(_ kind: Kind, code: String, _ message: String, details: [String: JSONValue] = [:]) {
        self.init(number: kind.rawValue, code: code, message, details: details)
    }

    /// An error of one of JSON-RPC's kinds, with a word of the one list.
    init(_ kind: Kind, code: ErrorCode, _ message: String) {
        self.init(kind, code: code.rawValue, message)
    }

    /// An error of the API: number -32000 and its own word.
    public init(code: String, _ message: String, details: [String: JSONValue] = [:]) {
        self.init(.application, code: code, message, details: details)
    }

    init(number: Int, code: String, _ message: String, details: [String: JSONValue]) {
        self.number = number
        self.code = code
        self.message = message
        self.details = details
    }

    /// The sentence.
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
    /// As the value of `error`.
    var json: JSONValue {
        var data = details
        data["code"] = .string(code)
        return .object(["code": .int(Int64(number)), "message": .string(message), "data": .object(data)])
    }

    /// From the value of `error`; nil where that is no error object.
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
