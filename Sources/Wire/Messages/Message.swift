// JSON-RPC 2.0, one message per line, on every socket. Pure values; parameters stay JSONValue until a handler knows their type.
// It does not know the methods (Methods.swift) and reads no socket.
public import Text

/// The ID that matches a response to its request.
public enum RequestID: Hashable, Sendable {
    /// A string.
    case string(String)
    /// A number.
    case int(Int64)
    /// Unknown: in responses to unreadable requests.
    case null

    var json: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .int(let value): .int(value)
        case .null: .null
        }
    }

    init?(json: JSONValue) {
        switch json.content {
        case .string(let value): self = .string(value)
        case .int(let value): self = .int(value)
        case .null: self = .null
        default: return nil
        }
    }
}

/// One JSON-RPC message.
public enum Message: Hashable, Sendable {
    /// A request, which gets a response.
    case request(id: RequestID, method: String, params: JSONValue)
    /// A notification, which gets no response.
    case notification(method: String, params: JSONValue)
    /// A successful response.
    case response(id: RequestID, result: JSONValue)
    /// An error response.
    case failure(id: RequestID, error: RemoteError)

    /// Creates a notification with a Codable value.
    public static func notification(_ method: String, encoding params: some Encodable) throws(WireError)
        -> Message
    {
        .notification(method: method, params: try JSONValue(encoding: params))
    }

    /// Creates a response with a Codable value.
    public static func response(to id: RequestID, encoding result: some Encodable) throws(WireError)
        -> Message
    {
        .response(id: id, result: try JSONValue(encoding: result))
    }

    /// A malformed line, with the response to send.
    public struct Malformed: Error, Hashable, Sendable {
        /// The request's ID, if it could be read.
        public let id: RequestID
        /// The error.
        public let error: RemoteError
        /// The response.
        public var answer: Message { .failure(id: id, error: error) }
    }

    /// Parses a line.
    public init(parsing line: [UInt8]) throws(Malformed) {
        let json: JSONValue
        do throws(JSONFault) {
            json = try JSONValue(parsing: line, as: .message)
        } catch {
            throw Malformed(id: .null, error: .parse("the line is not JSON: \(error.message)"))
        }
        try self.init(json)
    }

    private init(_ json: JSONValue) throws(Malformed) {
        guard let members = json.object else {
            let what =
                json.array == nil
                ? "a message is a JSON object" : "batches are not supported: send one object a line"
            throw Malformed(id: .null, error: .invalidRequest(what))
        }
        let id = members["id"].map { RequestID(json: $0) }
        func invalid(_ what: String) -> Malformed {
            Malformed(id: (id ?? nil) ?? .null, error: .invalidRequest(what))
        }
        guard members["jsonrpc"] == "2.0" else { throw invalid("\"jsonrpc\" is not \"2.0\"") }
        if id == .some(.none) { throw invalid("\"id\" is not a string, an integer or null") }
        if let method = members["method"] {
            guard let method = method.string else { throw invalid("\"method\" is not a string") }
            let params = members["params"] ?? .empty
            guard params.object != nil || params.array != nil else {
                throw invalid("\"params\" is not an object or an array")
            }
            if case .some(.some(let id)) = id {
                self = .request(id: id, method: method, params: params)
            } else {
                self = .notification(method: method, params: params)
            }
            return
        }
        guard case .some(.some(let id)) = id else { throw invalid("neither \"method\" nor \"id\" is there") }
        if let failure = members["error"] {
            guard let error = RemoteError(json: failure) else {
                throw invalid("\"error\" is not an error object")
            }
            self = .failure(id: id, error: error)
        } else if let result = members["result"] {
            self = .response(id: id, result: result)
        } else {
            throw invalid("\"method\" is missing")
        }
    }

    /// The message as a line, with its newline.
    public var line: [UInt8] {
        var members: [String: JSONValue] = ["jsonrpc": "2.0"]
        switch self {
        case .request(let id, let method, let params):
            members["id"] = id.json
            members["method"] = .string(method)
            if params != .empty { members["params"] = params }
        case .notification(let method, let params):
            members["method"] = .string(method)
            if params != .empty { members["params"] = params }
        case .response(let id, let result):
            members["id"] = id.json
            members["result"] = result
        case .failure(let id, let error):
            members["id"] = id.json
            members["error"] = error.json
        }
        var bytes = JSONValue.object(members).encoded
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}
