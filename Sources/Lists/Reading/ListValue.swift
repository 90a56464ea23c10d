// JSON as other programs and people write it: strict JSON, and JSON5 with bare names, single quotes, comments and commas too
// many. Numbers stay text, so that no digit is lost, and every value knows its line. Recursion is bounded.

/// A value of a list in JSON.
struct ListValue: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case null
        case bool(Bool)
        /// As it is written.
        case number(String)
        case string(String)
        case array([ListValue])
        /// In the order written; of two members with one name the later counts.
        case object([(name: String, value: ListValue)])

        static func == (left: Content, right: Content) -> Bool {
            switch (left, right) {
            case (.null, .null): true
            case (.bool(let a), .bool(let b)): a == b
            case (.number(let a), .number(let b)), (.string(let a), .string(let b)): a == b
            case (.array(let a), .array(let b)): a == b
            case (.object(let a), .object(let b)):
                a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value == $1.value }
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            switch self {
            case .null: break
            case .bool(let value): hasher.combine(value)
            case .number(let text), .string(let text): hasher.combine(text)
            case .array(let values): hasher.combine(values)
            case .object(let members): for member in members { hasher.combine(member.name) }
            }
        }
    }

    /// The line it begins on.
    var line: Int
    var content: Content

    /// A member of an object.
    subscript(_ name: String) -> ListValue? {
        guard case .object(let members) = content else { return nil }
        let value = members.last { $0.name == name }?.value
        return value?.content == .null ? nil : value
    }

    /// The text, where it is one.
    var string: String? {
        guard case .string(let text) = content else { return nil }
        return text
    }

    /// The number as written, where it is one.
    var number: String? {
        guard case .number(let text) = content else { return nil }
        return text
    }

    /// The elements of an array; none where it is none.
    var elements: [ListValue] {
        guard case .array(let values) = content else { return [] }
        return values
    }

    /// The members of an object; nil where it is none.
    var members: [(name: String, value: ListValue)]? {
        guard case .object(let members) = content else { return nil }
        return members
    }

    /// What it is, for messages.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// As strict JSON.
    var json: String {
        switch content {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): ListValue.quoted(text)
        case .array(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { ListValue.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
