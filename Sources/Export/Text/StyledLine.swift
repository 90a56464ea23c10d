// ASS lines, as FFmpeg's text decoders return them and its encoders take them. Pure.

/// ASS lines.
enum StyledLine {
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
