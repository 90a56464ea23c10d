// The kinds of values that options of an export have: how they are spelled, which are valid, and how JSON holds them. Pure.
internal import MediaTime
internal import Text

/// The values of an option.
struct OptionValues<Value: Codable & Sendable>: Sendable {
    /// How they are written.
    var form = ExportOption.Form.text
    /// What they are, as the end of a sentence: `a quality from 0 to 63`.
    let kind: String
    /// What they must be in JSON, as the end of a sentence: `0 to 63`.
    let rule: String
    /// Values to write.
    let examples: String
    /// The JSON Schema.
    let schema: [String: JSONValue]
    /// Parses a text; nil: it is none.
    let parse: @Sendable (String) -> Value?
    /// Whether a value may be given.
    var isValid: @Sendable (Value) -> Bool = { _ in true }
    /// Whether a value is the same as none.
    var isNone: @Sendable (Value) -> Bool = { _ in false }
    /// Decodes the value of a key; nil: it is missing.
    var read: @Sendable (KeyedDecodingContainer<JSONKey>, JSONKey) throws -> Value? = {
        try $0.decodeIfPresent(Value.self, forKey: $1)
    }
    /// Encodes a value.
    var write: @Sendable (Value, inout KeyedEncodingContainer<JSONKey>, JSONKey) throws -> Void = {
        try $1.encode($0, forKey: $2)
    }

    /// What is wrong with a value, as the end of a sentence.
    func fault(_ value: Value) -> String {
        let shown = value is String ? "'\(value)'" : "\(value)"
        return "is \(shown), and must be \(rule)"
    }
}

extension OptionValues where Value == Bool {
    /// Given or not.
    static func flag(_ value: Bool) -> OptionValues {
        OptionValues(
            form: .flag, kind: "a flag", rule: "true or false", examples: "it without a value",
            schema: ["type": "boolean"], parse: { _ in value })
    }
}

extension OptionValues where Value == Double {
    /// Numbers in a range.
    static func numbers(
        _ noun: String, _ range: ClosedRange<Double>, _ unit: String = "", examples: String
    ) -> OptionValues {
        let (low, high) = (Int64(range.lowerBound), Int64(range.upperBound))
        return OptionValues(
            kind: "\(noun) from \(low) to \(high)\(unit)", rule: "\(low) to \(high)\(unit)",
            examples: examples,
            schema: ["type": "number", "minimum": .int(low), "maximum": .int(high)],
            parse: { Double($0) }, isValid: range.contains)
    }
}

extension OptionValues where Value == Int {
    /// Bits a second in a range: `5000000`, `5M`, `2.5M` or `128k`.
    static func rates(_ range: ClosedRange<Int>, examples: String) -> OptionValues {
        let rule = "\(range.lowerBound) to \(range.upperBound) bits a second"
        return OptionValues(
            kind: "a rate from \(rule)", rule: rule, examples: examples,
            schema: [
                "type": "integer", "minimum": .int(Int64(range.lowerBound)),
                "maximum": .int(Int64(range.upperBound)),
            ],
            parse: { SizeSpelling.bitRate($0) }, isValid: range.contains)
    }

    /// Quarter turns, in degrees clockwise: also less than a whole turn to the other side, or the side that the top goes to.
    static let turns = OptionValues(
        kind: "a quarter turn", rule: "90, 180 or 270", examples: "90, 180, 270, right or left",
        schema: ["enum": [90, 180, 270]],
        parse: { text in
            switch text.lowercased() {
            case "90", "+90", "-270", "right", "cw", "clockwise": 90
            case "180", "+180", "-180": 180
            case "270", "+270", "-90", "left", "ccw", "counterclockwise": 270
            default: nil
            }
        },
        isValid: [90, 180, 270].contains)
}

extension OptionValues where Value == Int64 {
    /// Numbers of bytes: `2500000`, `25M` (10 to the power of 6), `25MiB` (2 to the power of 20).
    static func bytes(atLeast least: Int64, examples: String) -> OptionValues {
        OptionValues(
            kind: "a size of at least \(least) bytes", rule: "at least \(least) bytes", examples: examples,
            schema: ["type": "integer", "minimum": .int(least)],
            parse: { SizeSpelling.bytes($0) }, isValid: { $0 >= least })
    }
}

extension OptionValues where Value == Ratio {
    /// Ratios in a range.
    /// - Parameter none: the one that is the same as none.
    static func ratios(
        _ noun: String, _ range: ClosedRange<Double>, rule: String, none: Ratio? = nil, examples: String,
        _ parse: @escaping @Sendable (String) -> Ratio?
    ) -> OptionValues {
        OptionValues(
            kind: "\(noun) from \(rule)", rule: rule, examples: examples,
            schema: ["$ref": "#/$defs/Ratio"], parse: parse, isValid: { range.contains($0.value) },
            isNone: { $0 == none })
    }
}

extension OptionValues where Value == String {
    /// Texts of a certain form.
    /// - Parameter pattern: a regular expression for the schema; nil: any.
    static func texts(
        _ kind: String, rule: String, examples: String, pattern: String? = nil,
        _ isValid: @escaping @Sendable (String) -> Bool
    ) -> OptionValues {
        var schema: [String: JSONValue] = ["type": "string"]
        if let pattern { schema["pattern"] = .string(pattern) }
        return OptionValues(
            kind: kind, rule: rule, examples: examples, schema: schema, parse: { $0 }, isValid: isValid)
    }

    /// Names of tracks; which there are only the asset says.
    static func tracks(_ examples: String) -> OptionValues {
        texts("a choice of tracks", rule: "a choice of tracks", examples: examples) { _ in true }
    }

    /// Names of tracks, and paths of files.
    static func tracksOrFile(_ kind: String, examples: String) -> OptionValues {
        OptionValues(
            form: .file, kind: kind, rule: kind, examples: examples, schema: ["type": "string"],
            parse: { ["", "all", "none"].contains($0.lowercased()) ? nil : $0 },
            read: { try $0.decodeIfPresent(SpelledPath.self, forKey: $1)?.wrappedValue },
            write: { try $1.encode(SpelledPath(wrappedValue: $0), forKey: $2) })
    }
}

extension OptionValues where Value: CaseIterable & RawRepresentable<String> {
    /// The cases of an enumeration.
    static func choices(_ noun: String) -> OptionValues {
        let words = Value.allCases.map(\.rawValue)
        let spelled = words.dropLast().joined(separator: ", ") + (words.last.map { " or \($0)" } ?? "")
        return OptionValues(
            form: .choice(words), kind: noun, rule: spelled, examples: spelled,
            schema: ["enum": .array(words.map { .string($0) })], parse: { Value(rawValue: $0) })
    }
}

extension OptionValues {
    /// Values that are texts in JSON too, and parsed from them.
    static func spelled(
        _ kind: String, examples: String, pattern: String, _ parse: @escaping @Sendable (String) -> Value?
    ) -> OptionValues {
        OptionValues(
            kind: kind, rule: kind, examples: examples,
            schema: ["type": "string", "pattern": .string(pattern)], parse: parse)
    }
}
