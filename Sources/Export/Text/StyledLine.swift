// Lines of ASS, as FFmpeg's decoders of text give them and its encoders take them. Pure.

/// Lines of ASS.
enum StyledLine {
    /// Fields before a line's text: order, layer, style, name, three margins, effect.
    private static let fields = 8

    /// One line that shows several, one below the other, each in its own style.
    static func joined(_ lines: [String]) -> String {
        guard let first = lines.first else { return "" }
        // A line break, and back to the style of the line.
        return lines.dropFirst().reduce(first) { "\($0)\\N{\\r}\(text($1))" }
    }

    /// The text of a line, behind its fields.
    private static func text(_ line: String) -> Substring {
        var rest = line[...]
        for _ in 0..<fields {
            guard let comma = rest.firstIndex(of: ",") else { return line[...] }
            rest = rest[rest.index(after: comma)...]
        }
        return rest
    }
}
