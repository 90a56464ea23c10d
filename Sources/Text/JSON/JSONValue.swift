// Any JSON, as a tree with line numbers, before its types are known. Integers are exact to 64 bits, and numbers keep their
// digits if the dialect asks for it. Pure. JSONParser parses bytes, JSONValue+Writing serializes; JSONTreeEncoder and
// JSONTreeDecoder convert Codable types.

/// A JSON value.
public struct JSONValue: Sendable {
    /// The content of a value.
    public enum Content: Hashable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number without point and exponent that fits 64 bits.
        case int(Int64)
        /// Any other number.
        case double(Double)
        /// A number with its digits, in JSON syntax.
        case decimal(String)
        /// A string.
        case string(String)
        /// An array.
        case array([JSONValue])
        /// An object.
        case object(JSONObject)
    }

    /// Its content.
    public var content: Content
    /// The line it begins on, from 1; 0 if it was not parsed.
    public var line: Int

    /// Creates a value.
    public init(_ content: Content, line: Int = 0) {
        self.content = content
        self.line = line
    }

    /// The effective member of an object; nil if there is none, or this is not an object.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The members, if this is an object.
    public var object: JSONObject? {
        guard case .object(let members) = content else { return nil }
        return members
    }

    /// The text, if this is a string.
    public var string: String? {
        guard case .string(let value) = content else { return nil }
        return value
    }

    /// The number, if this is an integer.
    public var int: Int64? {
        guard case .int(let value) = content else { return nil }
        return value
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        guard case .array(let value) = content else { return nil }
        return value
    }
}

extension JSONValue: Hashable {
    /// Whether the contents are equal; lines are ignored.
    public static func == (left: JSONValue, right: JSONValue) -> Bool { left.content == right.content }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension JSONValue {
    /// `null`.
    public static let null = JSONValue(.null)
    /// An empty object.
    public static let empty = JSONValue(.object(JSONObject()))
    /// `true` or `false`.
    public static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }
    /// An integer.
    public static func int(_ value: Int64) -> JSONValue { JSONValue(.int(value)) }
    /// Any other number.
    public static func double(_ value: Double) -> JSONValue { JSONValue(.double(value)) }
    /// A string.
    public static func string(_ value: String) -> JSONValue { JSONValue(.string(value)) }
    /// An array.
    public static func array(_ values: [JSONValue]) -> JSONValue { JSONValue(.array(values)) }
    /// An object.
    public static func object(_ members: JSONObject) -> JSONValue { JSONValue(.object(members)) }
    /// An object.
    public static func object(_ members: [String: JSONValue]) -> JSONValue {
        JSONValue(.object(JSONObject(members)))
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A Boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An object; of two members with the same name the later takes precedence.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
