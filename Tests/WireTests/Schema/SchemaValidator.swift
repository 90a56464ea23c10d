// The part of JSON Schema (draft 2020-12) that the protocol's schema uses. A keyword it does not know is a
// fault, so that a schema cannot ask for what nobody looks at. It follows references into $defs of the same
// document only. Pure.
import Text

@testable import Wire

/// Holds values against a schema.
struct SchemaValidator {
    /// What came of holding one value against one schema.
    struct Outcome {
        /// What is wrong, each with its place in the value.
        var faults: [String] = []
        /// The members that were met where the value fits, as `DEFINITION/member`.
        var met: Set<String> = []

        mutating func take(_ other: Outcome) {
            faults += other.faults
            met.formUnion(other.met)
        }
    }

    /// The whole document.
    let root: JSONValue
    /// Objects whose schema says nothing about other members have none: as this version's own messages are.
    var isClosed = true

    private static let annotations: Set<String> = [
        "$schema", "$id", "$defs", "$comment", "title", "description",
    ]

    /// The schema of a name in $defs.
    func definition(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/" + name)] }

    /// Holds a value against a schema; against the whole document where none is given.
    func check(_ value: JSONValue, against schema: JSONValue? = nil) -> Outcome {
        check(value, schema ?? root, in: "", at: "")
    }

    /// `name` is the definition the schema lies in, `place` where the value lies in the message.
    private func check(
        _ value: JSONValue, _ schema: JSONValue, in name: String, at place: String
    ) -> Outcome {
        guard let keywords = schema.object?.dictionary else {
            return Outcome(faults: ["\(name): the schema is no object"])
        }
        var outcome = Outcome()
        for (keyword, rule) in keywords where !Self.annotations.contains(keyword) {
            switch keyword {
            case "$ref": outcome.take(follow(rule, value, at: place))
            case "oneOf", "anyOf":
                outcome.take(choose(value, rule.array ?? [], only: keyword == "oneOf", in: name, at: place))
            case "properties", "required", "additionalProperties": break
            case "items":
                for (index, item) in (value.array ?? []).enumerated() {
                    outcome.take(check(item, rule, in: name, at: "\(place)[\(index)]"))
                }
            default:
                if let why = Self.refusal(of: value, keyword, rule) {
                    outcome.faults.append("\(place): \(why)")
                }
            }
        }
        if let members = value.object?.dictionary {
            outcome.take(check(members: members, keywords, in: name, at: place))
        }
        return outcome
    }

    private func follow(_ reference: JSONValue, _ value: JSONValue, at place: String) -> Outcome {
        let prefix = "#/$defs/"
        guard let path = reference.string, path.hasPrefix(prefix) else {
            return Outcome(faults: ["\(reference) is no reference into $defs"])
        }
        let name = String(path.dropFirst(prefix.count))
        guard let schema = root["$defs"]?[name] else { return Outcome(faults: ["\(name) is not defined"]) }
        return check(value, schema, in: name, at: place)
    }

    private func choose(
        _ value: JSONValue, _ schemas: [JSONValue], only: Bool, in name: String, at place: String
    ) -> Outcome {
        let outcomes = schemas.map { check(value, $0, in: name, at: place) }
        let fitting = outcomes.filter(\.faults.isEmpty)
        guard let first = fitting.first else {
            let nearest = outcomes.map(\.faults).min { $0.count < $1.count } ?? []
            return Outcome(faults: ["\(place): fits none of \(schemas.count), the nearest says:"] + nearest)
        }
        guard !only || fitting.count == 1 else {
            return Outcome(faults: ["\(place): fits \(fitting.count), and must fit one"])
        }
        // Of the answers of several methods that look alike, each counts.
        return fitting.dropFirst().reduce(into: first) { $0.take($1) }
    }

    private func check(
        members: [String: JSONValue], _ keywords: [String: JSONValue], in name: String, at place: String
    ) -> Outcome {
        var outcome = Outcome()
        for key in keywords["required"]?.array ?? [] where members[key.string ?? ""] == nil {
            outcome.faults.append("\(place): \(key.string ?? "") is missing")
        }
        let properties = keywords["properties"]
        for (key, member) in members {
            let inner = "\(place).\(key)"
            if let schema = properties?[key] {
                outcome.met.insert("\(name)/\(key)")
                outcome.take(check(member, schema, in: name, at: inner))
                continue
            }
            switch keywords["additionalProperties"]?.content {
            case .bool(false): outcome.faults.append("\(inner) is not allowed")
            case .object(let schema): outcome.take(check(member, .object(schema), in: name, at: inner))
            case .bool, nil:
                if isClosed, properties != nil { outcome.faults.append("\(inner) is not described") }
            default: outcome.faults.append("\(name): additionalProperties is no schema")
            }
        }
        return outcome
    }

    /// Why a value does not fit a keyword that looks at it alone; nil where it does.
    private static func refusal(of value: JSONValue, _ keyword: String, _ rule: JSONValue) -> String? {
        switch keyword {
        case "type":
            let types = rule.array ?? [rule]
            return types.contains { has(value, type: $0.string ?? "") } ? nil : "is no \(types)"
        case "const": return value == rule ? nil : "is not \(rule)"
        case "enum": return rule.array?.contains(value) == true ? nil : "\(value) is not in the list"
        case "minimum", "maximum":
            guard let number = number(value) else { return nil }
            guard let limit = Self.number(rule) else { return "\(keyword) is no number" }
            return (keyword == "minimum" ? number >= limit : number <= limit)
                ? nil : "\(number) is out of range"
        case "pattern":
            guard let text = value.string else { return nil }
            guard let pattern = try? Regex(rule.string ?? "(") else { return "\(rule) is no pattern" }
            return text.firstMatch(of: pattern) == nil ? "'\(text)' does not match" : nil
        default: return "the keyword \(keyword) is not known here"
        }
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value.content {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    private static func has(_ value: JSONValue, type: String) -> Bool {
        switch value.content {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .int: type == "integer" || type == "number"
        case .decimal: type == "number"
        case .double(let value): type == "number" || (type == "integer" && value == value.rounded())
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
