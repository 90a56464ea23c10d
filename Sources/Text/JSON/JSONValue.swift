// Any JSON, as a tree that knows its lines: what is read before anybody knows what it means. Integers stay exact to 64 bits,
// and where the dialect asks for it numbers keep their digits. Pure. Bytes become a tree in JSONParser, a tree becomes bytes
// in JSONValue+Writing; JSONTreeEncoder and JSONTreeDecoder lead to and from Codable types.

/// A JSON value.
public struct JSONValue: Sendable {
    /// What a value is.
    public enum Content: Hashable, Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number without point and exponent that fits 64 bits.
        case int(Int64)
        /// Any other number.
        case double(Double)
        /// A number with its digits, in the words of JSON.
        case decimal(String)
        /// A string.
        case string(String)
        /// An array.
        case array([JSONValue])
        /// An object.
        case object(JSONObject)
    }

    /// What it is.
    public var content: Content
    /// The line it begins on, from 1; 0 where it was not read.
    public var line: Int

    /// A value from its parts.
    public init(_ content: Content, line: Int = 0) {
        self.content = content
        self.line = line
    }

    /// The member of an object that counts; nil where there is none, or this is no object.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The members, where this is an object.
    public var object: JSONObject? {
        guard case .object(let members) = content else { return nil }
        return members
    }

    /// The text, where this is a string.
    public var string: String? {
        guard case .string(let value) = content else { return nil }
        return value
    }

    /// The number, where this is an integer.
    public var int: Int64? {
        guard case .int(let value) = content else { return nil }
        return value
    }

    /// The elements, where this is an array.
    public var array: [JSONValue]? {
        guard case .array(let value) = content else { return nil }
        return value
    }
}

extension JSONValue: Hashable {
    /// Whether the contents are the same; lines do not count.
    public static func == (left: JSONValue, right: JSONValue) -> Bool { left.content == right.content }

    /// Feeds the content.
    public func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

extension JSONValue {
    /// `null`.
    public static let null = JSONValue(.null)
    /// An object without members.
    public static let empty = JSONValue(.object(JSONObject()))
    /// `true` or `false`.
    public static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }
    /// A whole number.
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
    /// A number with a point.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An object; of two members with one name the later counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
