// A flag that people leave out where it is false.

/// A Boolean in a Codable value that is false if its key is missing.
@propertyWrapper
public struct FalseIfMissing: Hashable, Codable, Sendable {
    /// The flag.
    public var wrappedValue: Bool

    /// Creates a flag.
    public init(wrappedValue: Bool) { self.wrappedValue = wrappedValue }

    /// Decodes a Boolean.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Bool.self)
    }

    /// Encodes the Boolean.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a flag; false if its key is missing. Synthesized Codable code calls it.
    public func decode(_ type: FalseIfMissing.Type, forKey key: Key) throws -> FalseIfMissing {
        try decodeIfPresent(type, forKey: key) ?? FalseIfMissing(wrappedValue: false)
    }
}
