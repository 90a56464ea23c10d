// ASS lines, as FFmpeg's text decoders return them and its encoders take them. Pure.

/// ASS lines.
package enum StyledLine {
    /// Fields before a line's text: order, layer, style, name, three margins, effect.
    private static let fields = 8

    /// Joins lines into one that shows them below each other, each in its own style.
    static func joined(_ lines: [String]) -> String {
        guard let first = lines.first else { return "" }
        // A line break, and a reset to the line's style.
        return lines.dropFirst().reduce(first) { "\($0)\\N{\\r}\(text($1))" }
    }

    /// The characters of a line, without overrides and line breaks.
    static func plain(_ line: String) -> String {
        String(text(line)).replacing(/\{[^}]*\}/, with: "").replacing(/\\[Nnh]/, with: " ")
    }

    /// The text of a line as it is read: its line breaks, without styles, drawings and control characters.
    package static func shown(_ line: String) -> String {
        let text = String(text(line)).replacing(/\{[^}]*\\p[1-9][^}]*\}[^{]*/, with: "")
            .replacing(/\{[^}]*\}/, with: "").replacing("\\N", with: "\n").replacing("\\n", with: " ")
            .replacing("\\h", with: "\u{A0}")
        let rows = text.split(separator: "\n").map { row in
            let shown = row.unicodeScalars.filter { $0.properties.generalCategory != .control }
            return String(String.UnicodeScalarView(shown))
        }
        return rows.filter { !$0.allSatisfy(\.isWhitespace) }.joined(separator: "\n")
    }

    /// The text of a line, after its fields.
    private static func text(_ line: String) -> Substring {
        var rest = line[...]
        for _ in 0..<fields {
            guard let comma = rest.firstIndex(of: ",") else { return line[...] }
            rest = rest[rest.index(after: comma)...]
        }
        return rest
    }
}
