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

// Serializes a tree: compact, members sorted, so that equal values give equal bytes. Terminal control characters are escaped.
// Pure; recursion is as deep as the tree.
extension JSONValue {
    /// The compact text in UTF-8, without line breaks, members sorted.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// The text for people who edit it: a member or element a line, members sorted, indented by two spaces, with a line break at
    /// the end.
    public var indented: String {
        var text = ""
        write(to: &text, depth: 0)
        return text + "\n"
    }

    private func write(to text: inout String, depth: Int) {
        let (inner, outer) = (
            String(repeating: "  ", count: depth + 1), String(repeating: "  ", count: depth)
        )
        switch content {
        case .array(let values) where !values.isEmpty:
            text += "["
            for (index, value) in values.enumerated() {
                text += (index > 0 ? ",\n" : "\n") + inner
                value.write(to: &text, depth: depth + 1)
            }
            text += "\n\(outer)]"
        case .object(let object) where !object.members.isEmpty:
            text += "{"
            for (index, member) in object.members.sorted(by: { $0.name < $1.name }).enumerated() {
                text += (index > 0 ? ",\n" : "\n") + inner
                JSONValue.string(member.name).write(to: &text, depth: depth + 1)
                text += ": "
                member.value.write(to: &text, depth: depth + 1)
            }
            text += "\n\(outer)}"
        default: text += String(decoding: encoded, as: UTF8.self)
        }
    }

    /// Appends the compact text.
    func write(to bytes: inout [UInt8]) {
        switch content {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
        case .decimal(let digits): bytes.append(contentsOf: digits.utf8)
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.sorted(by: { $0.name < $1.name }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
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
        // Plain ASCII needs no check of each character.
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
