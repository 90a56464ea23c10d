// Any JSON, as a value: what Message carries before anybody knows what it means. Integers stay exact to 64 bits.
// Pure. Parsing is in JSONParser, the way to and from Codable types in JSONCoding. Members have no order; they are
// written sorted, so that equal values give equal bytes.
internal import Media

/// A JSON value.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without point and exponent that fits 64 bits.
    case int(Int64)
    /// Any other number.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// An object without members.
    public static let empty = JSONValue.object([:])

    /// The member of an object; nil where there is none, or this is no object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// The text, where this is a string.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The number, where this is an integer.
    public var int: Int64? {
        guard case .int(let value) = self else { return nil }
        return value
    }

    /// The elements, where this is an array.
    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The compact text in UTF-8, without line breaks, members sorted.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Appends the compact text.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // What is plain ASCII needs no look at its characters.
        let plain = text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 < 0x7F
        }
        if plain { return bytes.append(contentsOf: text.utf8) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(scalar.value)])
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case "\r": bytes.append(contentsOf: "\\r".utf8)
            // All of them fit four digits.
            case _ where scalar.isSteering:
                bytes.append(contentsOf: "\\u".utf8)
                for shift in [12, 8, 4, 0] {
                    bytes.append(hexDigits[Int(scalar.value >> UInt32(shift)) & 15])
                }
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
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
