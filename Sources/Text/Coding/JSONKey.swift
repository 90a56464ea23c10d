// Keys of JSON objects that no type declares as an enumeration. Pure.

/// A key by its name.
public struct JSONKey: CodingKey {
    /// The name.
    public let stringValue: String
    /// Names alone are keys.
    public var intValue: Int? { nil }

    /// Creates a key.
    public init(_ name: String) { stringValue = name }

    /// Creates a key.
    public init?(stringValue: String) { self.init(stringValue) }

    /// There is none.
    public init?(intValue: Int) { nil }
}
