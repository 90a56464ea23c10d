// Breaks long lines for a terminal at spaces. A word that is longer than the line stays whole: a path must be copied as it is.

/// Wraps text.
enum TextWrap {
    /// The text with no line longer than `width` columns where its words allow; the rest of a labelled line is aligned with its
    /// text.
    static func wrapped(_ text: String, to width: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { $0.count > width ? wrapped(line: $0, to: width) : String($0) }.joined(
            separator: "\n")
    }

    private static func wrapped(line: Substring, to width: Int) -> String {
        let hanging = min(hanging(of: line), width / 2)
        var rows: [String] = []
        var row = String(line.prefix { $0 == " " })
        var begun = false
        // Spaces between columns stay as they are.
        for word in line.drop(while: { $0 == " " }).split(separator: " ", omittingEmptySubsequences: false) {
            if begun, row.count + 1 + word.count > width {
                rows.append(row.trimmingEnd)
                row = String(repeating: " ", count: hanging)
                begun = false
                if word.isEmpty { continue }
            }
            row += (begun ? " " : "") + word
            begun = true
        }
        return (rows + [row]).joined(separator: "\n")
    }

    /// Where the text of a line begins: behind its label, if two spaces follow that; otherwise two columns in.
    private static func hanging(of line: Substring) -> Int {
        let indent = line.prefix { $0 == " " }.count
        let text = Array(line)
        var column = indent
        while column + 1 < text.count {
            if text[column] == " ", text[column + 1] == " " {
                return column + text[column...].prefix { $0 == " " }.count
            }
            column += 1
        }
        return indent + 2
    }
}
