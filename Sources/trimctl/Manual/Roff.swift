// Builds a manual page: the requests of man(7) with escaped text. Text only; the callers supply the content.
internal import Wire

/// A page in man(7) format.
struct Roff {
    /// The page so far.
    private(set) var text: String

    /// Creates a page with its title.
    /// - Parameters:
    ///   - version: the program version in the page footer.
    init(_ name: String, section: Character, version: String) {
        let title = Roff.plain(name.uppercased())
        text = """
            .\\" Made from the command table and the documents of trimd.
            .TH "\(title)" "\(section)" "\(trimdDate)" "trimd \(version)" "trimd"
            .nh
            .ad l

            """
    }

    /// The NAME section, for apropos(1).
    mutating func name(_ name: String, _ abstract: String) {
        heading("NAME")
        line("\(Roff.plain(name)) \\- \(Roff.marked(abstract))")
    }

    /// A section heading.
    mutating func heading(_ title: String) {
        text += ".SH \"\(Roff.marked(title.uppercased(), bold: "", end: ""))\"\n"
    }

    /// A subsection heading.
    mutating func subheading(_ title: String) { text += ".SS \"\(Roff.marked(title, bold: "", end: ""))\"\n" }

    /// A paragraph, with `code`, **bold** and links as in Markdown.
    mutating func paragraph(_ words: String) {
        gap()
        line(Roff.marked(words))
    }

    /// A term and its meaning; both with Markdown.
    mutating func term(_ term: String, _ meaning: String) {
        text += ".TP\n"
        line(Roff.marked(term))
        line(Roff.marked(meaning))
    }

    /// A list item.
    mutating func item(_ words: String) {
        text += ".IP \\(bu 2\n"
        line(Roff.marked(words))
    }

    /// Literal lines, such as a command line.
    mutating func example(_ lines: [String]) {
        gap()
        text += ".RS 4\n.nf\n"
        for row in lines { line(Roff.plain(row)) }
        text += ".fi\n.RE\n"
    }

    /// A form of the command line, with the command in bold.
    mutating func form(_ command: String, _ rest: String) {
        text += ".HP 4\n"
        line("\\fB\(Roff.plain(command))\\fR" + (rest.isEmpty ? "" : " " + Roff.plain(rest)))
    }

    /// The gap between paragraphs; none after a heading.
    private mutating func gap() {
        let last = text.split(separator: "\n").last ?? ""
        if !last.hasPrefix(".S") { text += ".PP\n" }
    }

    /// A line of text: escapes a line that is empty or looks like a request.
    private mutating func line(_ line: String) {
        let guarded = line.isEmpty || line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
        text += guarded + "\n"
    }

    /// Escapes characters that are special to the formatter.
    static func plain(_ text: some StringProtocol) -> String {
        text.reduce(into: "") { plain, character in
            switch character {
            case "\\": plain += "\\e"
            case "-": plain += "\\-"
            case "`": plain += "\\(ga"
            case "'": plain += "\\(aq"
            case "^": plain += "\\(ha"
            case "~": plain += "\\(ti"
            case "\"": plain += "\\(dq"
            case "\u{2009}", "\u{00A0}": plain += "\\~"
            default: plain.append(character)
            }
        }
    }

    /// Converts Markdown to formatter escapes.
    static func marked(_ text: String, bold: String = "\\fB", end: String = "\\fR") -> String {
        var marked = ""
        var rest = text[...]
        while let character = rest.first {
            if character == "`", let close = rest.dropFirst().firstIndex(of: "`") {
                marked += bold + plain(rest[rest.index(after: rest.startIndex)..<close]) + end
                rest = rest[rest.index(after: close)...]
            } else if rest.hasPrefix("**"), let inner = loud(rest) {
                marked += bold + self.marked(String(inner), bold: "", end: "") + end
                rest = rest.dropFirst(inner.count + 4)
            } else if character == "[", let link = link(rest) {
                marked += self.marked(String(link.words), bold: bold, end: end)
                rest = link.rest
            } else {
                // The formatter breaks words at hyphens; names and options above are not broken.
                marked += character == "-" ? "-" : plain(String(character))
                rest = rest.dropFirst()
            }
        }
        return marked
    }

    private static func loud(_ text: Substring) -> Substring? {
        let inner = text.dropFirst(2)
        var index = inner.startIndex
        while index < inner.endIndex {
            if inner[index...].hasPrefix("**") { return inner[..<index] }
            index = inner.index(after: index)
        }
        return nil
    }

    /// The text of `[words](target)`, and the rest.
    private static func link(_ text: Substring) -> (words: Substring, rest: Substring)? {
        guard let close = text.firstIndex(of: "]"), text[close...].hasPrefix("]("),
            let end = text[close...].firstIndex(of: ")")
        else { return nil }
        return (text[text.index(after: text.startIndex)..<close], text[text.index(after: end)...])
    }
}
