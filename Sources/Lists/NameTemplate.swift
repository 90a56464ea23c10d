// Output names from a template, such as `{stem}-{index:03}-{label}`. Values from a list are reduced to characters that common
// file systems accept. At most 255 bytes, truncated between characters, the extension kept. It does not access the disk.
public import Media
internal import Text

/// A name template.
public struct NameTemplate: Hashable, Sendable {
    /// The fields of a template.
    public enum Field: String, Hashable, Sendable, CaseIterable {
        case stem, index, label, preset, start, end, duration, line, list, ext
    }

    private enum Part: Hashable, Sendable {
        case text(String)
        case field(Field, width: Int)
    }

    /// The template as written.
    public let text: String
    private let parts: [Part]

    /// Maximum bytes of a name.
    public static let limit = 255

    /// Parses a template; `{{` and `}}` are literal braces.
    public init(_ text: String) throws(MediaError) {
        self.text = text
        var parts: [Part] = []
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                plain.append(character)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw NameTemplate.error("'\(text)' has a { without its }")
                }
                if !plain.isEmpty { parts.append(.text(plain)) }
                plain = ""
                parts.append(try NameTemplate.field(rest[..<end]))
                rest = rest[rest.index(after: end)...]
            case "}": throw NameTemplate.error("'\(text)' has a } without its {")
            case "/": throw NameTemplate.error("'\(text)' holds a /, and a name is no path")
            case _ where character.unicodeScalars.contains { $0.properties.generalCategory == .control }:
                throw NameTemplate.error("a template holds a control character, which no name should have")
            default: plain.append(character)
            }
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        guard !parts.isEmpty else { throw NameTemplate.error("a template is empty") }
        self.parts = parts
    }

    private static func error(_ message: String) -> MediaError {
        let names = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        return MediaError(.invalidRequest, message, remedy: "a template is text with any of \(names)")
    }

    private static func field(_ text: Substring) throws(MediaError) -> Part {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(halves.first ?? "")
        guard let field = Field(rawValue: name) else {
            let near = nearestNames(to: name, in: Field.allCases.map(\.rawValue)).first
            throw error("there is no {\(name)}" + (near.map { "; did you mean {\($0)}?" } ?? ""))
        }
        guard halves.count == 2 else { return .field(field, width: 0) }
        guard field == .index || field == .line, let width = Int(halves[1]), 1...9 ~= width else {
            throw error("{\(text)} asks for what cannot be; {index:03} is a number of three digits at least")
        }
        return .field(field, width: width)
    }

    /// Whether it contains a field.
    public func names(_ field: Field) -> Bool {
        parts.contains { if case .field(field, _) = $0 { true } else { false } }
    }

    /// The name with these values, and a number after its stem if greater than 1.
    public func name(_ values: [Field: String], fileType: String, number: Int = 1) -> String {
        var stem = ""
        var skipsSeparator = false
        for part in parts {
            switch part {
            case .text(let text):
                stem +=
                    skipsSeparator && stem.isEmpty
                    ? text.drop(while: NameTemplate.isSeparator)[...] : text[...]
                skipsSeparator = false
            case .field(.ext, _): stem += fileType
            case .field(let field, let width):
                let value = NameTemplate.harmless(values[field] ?? "")
                if value.isEmpty {
                    // A missing value removes the separator before it.
                    if let last = stem.last, NameTemplate.isSeparator(last) { stem.removeLast() }
                    skipsSeparator = true
                }
                stem +=
                    String(repeating: "0", count: max(0, width - value.count)) + (value.isEmpty ? "" : value)
            }
        }
        if stem.hasSuffix("." + fileType) { stem.removeLast(fileType.count + 1) }
        while let last = stem.last, last == "." || last == " " { stem.removeLast() }
        while stem.first == "." || stem.first == " " { stem.removeFirst() }
        if stem.isEmpty { stem = "export" }
        let ending = (number > 1 ? "-\(number)" : "") + "." + fileType
        while stem.utf8.count + ending.utf8.count > NameTemplate.limit, !stem.isEmpty { stem.removeLast() }
        return stem + ending
    }

    private static func isSeparator(_ character: Character) -> Bool { "-_. ".contains(character) }

    /// Removes characters that file names cannot hold here or elsewhere, that control a terminal, or that change the text
    /// direction.
    static func harmless(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "/", "\\", ":", "*", "?", "\"", "<", ">", "|": result += "_"
            case _ where scalar.properties.generalCategory == .control: result += "_"
            case _ where scalar.properties.isBidiControl || scalar.properties.isNoncharacterCodePoint: break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result.trimmed
    }
}
