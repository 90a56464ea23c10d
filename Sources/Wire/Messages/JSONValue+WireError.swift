// Messages to and from JSON: the coding of Text, with errors that a peer is told. Pure, any thread.
public import Text

extension JSONValue {
    /// The value that the bytes of a message spell, nested at most 64 deep.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        do throws(JSONFault) {
            try self.init(parsing: bytes, as: .message)
        } catch {
            throw .malformed(error.message)
        }
    }

    /// What a Codable value looks like in JSON.
    public init(encoding value: some Encodable) throws(WireError) {
        do {
            try self.init(coding: value)
        } catch {
            throw .malformed("\(type(of: value)) cannot be written as JSON: \(Self.words(error))")
        }
    }

    /// The Codable value that this spells; the error says which member does not fit.
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
