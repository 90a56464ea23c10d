// Converts messages to and from JSON with Text's coders; errors are ready to send to a peer. Pure, any thread.
public import Text

extension JSONValue {
    /// Parses the bytes of a message, nested at most 64 deep.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        do throws(JSONFault) {
            try self.init(parsing: bytes, as: .message)
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Encodes a Codable value.
    public init(encoding value: some Encodable) throws(WireError) {
        do {
            try self.init(coding: value)
        } catch {
            throw .malformed("\(type(of: value)) cannot be written as JSON: \(Self.words(error))")
        }
    }

    /// Decodes a Codable value; the error names the member that does not fit.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(WireError) -> Value {
        do {
            return try value(of: type)
        } catch {
            throw .malformed(Self.words(error))
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(path(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context): "\(path(context.codingPath)) is null"
        case DecodingError.typeMismatch(let type, let context):
            "\(path(context.codingPath)) is not \(jsonTypeName(type))"
        case DecodingError.dataCorrupted(let context):
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
