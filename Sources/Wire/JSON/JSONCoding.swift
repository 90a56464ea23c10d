// Between JSONValue and Codable types, through Foundation's coders: the only file of the module that uses them.
// Pure, any thread. Dates and keys get no special treatment: types that need one bring their own coding.
internal import FoundationEssentials

extension JSONValue {
    /// The value that the bytes spell, nested at most 64 deep.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        do throws(JSONFault) {
            self = try JSONParser.parse(bytes)
        } catch {
            throw .malformed(error.message)
        }
    }

    /// What a Codable value looks like in JSON.
    public init(encoding value: some Encodable) throws(WireError) {
        if let value = value as? JSONValue {
            self = value
            return
        }
        let data: Data
        do {
            data = try JSONEncoder().encode(value)
        } catch {
            throw .malformed("\(type(of: value)) cannot be written as JSON: \(Self.words(error))")
        }
        try self.init(parsing: Array(data))
    }

    /// The Codable value that this spells; the error says which member does not fit.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(WireError) -> Value {
        if let value = self as? Value { return value }
        do {
            return try JSONDecoder().decode(type, from: Data(encoded))
        } catch {
            throw .malformed(Self.words(error))
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(path(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context): "\(path(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            "\(path(context.codingPath)): \(context.debugDescription)"
        case EncodingError.invalidValue(_, let context):
            "\(path(context.codingPath)): \(context.debugDescription)"
        default: "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text.isEmpty ? "the value" : text
    }
}

extension JSONValue: Codable {
    /// Reads any JSON through a decoder; for JSON inside of other Codable types.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
