// Properties that hold a path and are coded as PathSpelling writes it.
internal import Text

/// A path in a Codable value, encoded by `PathSpelling`.
@propertyWrapper
public struct SpelledPath: Hashable, Codable, Sendable {
    /// The path.
    public var wrappedValue: String

    /// Creates a path.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    /// Decodes a path or a file URL.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let text = try value.decode(String.self)
        guard let path = PathSpelling.path(text) else {
            throw DecodingError.dataCorruptedError(
                in: value,
                debugDescription: SpelledPath.refusal(of: text))
        }
        wrappedValue = path
    }

    static func refusal(of text: String) -> String {
        "is '\(text.prefix(64))', which is not a URL of a local file; write file:///folder/name"
    }

    /// Encodes the path.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(PathSpelling.spelled(wrappedValue))
    }
}

/// An optional path in a Codable value.
@propertyWrapper
public struct SpelledPathIfAny: Hashable, Codable, Sendable {
    /// The path.
    public var wrappedValue: String?

    /// Creates a path, or none.
    public init(wrappedValue: String?) { self.wrappedValue = wrappedValue }

    /// Decodes a path or a file URL.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try SpelledPath(from: decoder).wrappedValue
    }

    /// Encodes the path; the container omits a missing one.
    public func encode(to encoder: any Encoder) throws {
        try wrappedValue.map(SpelledPath.init(wrappedValue:)).encode(to: encoder)
    }
}

// Synthesized Codable code calls these for members of the type, so that a missing path is omitted.
extension KeyedEncodingContainer {
    /// Encodes a path if there is one.
    public mutating func encode(_ value: SpelledPathIfAny, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue.map(SpelledPath.init(wrappedValue:)), forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a path if there is one.
    public func decode(_: SpelledPathIfAny.Type, forKey key: Key) throws -> SpelledPathIfAny {
        SpelledPathIfAny(wrappedValue: try decodeIfPresent(SpelledPath.self, forKey: key)?.wrappedValue)
    }
}
