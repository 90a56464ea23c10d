// A property that holds a time and is decoded from every spelling of one that needs no asset.
public import MediaTime

/// An optional time in a Codable value, decoded as a `TimeSpelling`.
@propertyWrapper
public struct SpelledTimeIfAny: Hashable, Codable, Sendable {
    /// The time.
    public var wrappedValue: Time?

    /// Creates a time, or none.
    public init(wrappedValue: Time?) { self.wrappedValue = wrappedValue }

    /// Decodes a spelling; throws if only an asset can say which time it is.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let spelling = try value.decode(TimeSpelling.self)
        guard let time = spelling.assetTime else {
            throw DecodingError.dataCorruptedError(
                in: value,
                debugDescription:
                    "is '\(spelling)', which needs the asset to be a time; write seconds, such as 1:10 or 441000/44100"
            )
        }
        wrappedValue = time
    }

    /// Encodes the time; the container omits a missing one.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// Optional times in a Codable value, each decoded as a `TimeSpelling`.
@propertyWrapper
public struct SpelledTimesIfAny: Hashable, Codable, Sendable {
    /// The times.
    public var wrappedValue: [Time]?

    /// Creates times, or none.
    public init(wrappedValue: [Time]?) { self.wrappedValue = wrappedValue }

    /// Decodes spellings; throws if only an asset can say which time one is.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try [SpelledTimeIfAny](from: decoder).compactMap(\.wrappedValue)
    }

    /// Encodes the times; the container omits a missing list.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

// Synthesized Codable code calls these for members of the type, so that a missing time is omitted.
extension KeyedEncodingContainer {
    /// Encodes a time if there is one.
    public mutating func encode(_ value: SpelledTimeIfAny, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }

    /// Encodes times if there are any.
    public mutating func encode(_ value: SpelledTimesIfAny, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a time if there is one.
    public func decode(_ type: SpelledTimeIfAny.Type, forKey key: Key) throws -> SpelledTimeIfAny {
        try decodeIfPresent(type, forKey: key) ?? SpelledTimeIfAny(wrappedValue: nil)
    }

    /// Decodes times if there are any.
    public func decode(_ type: SpelledTimesIfAny.Type, forKey key: Key) throws -> SpelledTimesIfAny {
        try decodeIfPresent(type, forKey: key) ?? SpelledTimesIfAny(wrappedValue: nil)
    }
}
