// Converts a Markdown document to a manual page: headings, paragraphs, lists, tables and code, the elements of trimd's
// documents. A table becomes a list of terms, because it would be too wide for a terminal. Text only.

/// A manual page from a document.
struct DocumentPage {
    private var page: Roff
    private var isNamed = false
    /// The lines of the current paragraph, item, table or code.
    private var block: [String] = []

    /// The page with a name and a section.
    /// - Parameter document: its first paragraph after the title is also the page's one-line description.
    static func text(_ document: String, name: String, section: Character, version: String) -> String {
        var page = DocumentPage(page: Roff(name, section: section, version: version))
        page.read(document, name: name)
        return page.page.text
    }

    private init(page: Roff) { self.page = page }

    private mutating func read(_ document: String, name: String) {
        var isCode = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                if isCode { page.example(block) } else { end(name) }
                block = []
                isCode.toggle()
            } else if isCode {
                block.append(line)
            } else if line.hasPrefix("#") {
                end(name)
                heading(line, name)
            } else if line.allSatisfy(\.isWhitespace) {
                end(name)
            } else {
                // A dash starts an item; an indented line continues it.
                if line.hasPrefix("- ") { end(name) }
                block.append(line)
            }
        }
        end(name)
    }

    private mutating func heading(_ line: String, _ name: String) {
        let title = String(line.drop { $0 == "#" }.drop { $0 == " " })
        switch line.prefix(while: { $0 == "#" }).count {
        case 1:
            page.name(name, title.prefix(1).lowercased() + title.dropFirst())
            page.heading("Description")
        case 2: page.heading(title)
        default: page.subheading(title)
        }
    }

    /// Writes the block since the last blank line.
    private mutating func end(_ name: String) {
        defer { block = [] }
        guard let first = block.first else { return }
        if first.hasPrefix("|") {
            table(block.map(Self.cells))
        } else if first.hasPrefix("- ") {
            page.item(Self.joined(block).dropFirst(2).description)
        } else {
            page.paragraph(Self.joined(block))
        }
    }

    private mutating func table(_ rows: [[String]]) {
        guard let heads = rows.first else { return }
        for row in rows.dropFirst(2) {
            guard let term = row.first else { continue }
            let cells = Array(zip(heads, row).dropFirst())
            let named = cells.count > 1 ? cells.map { "\($0): \($1)" } : cells.map(\.1)
            page.term(term, named.joined(separator: "; "))
        }
    }

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|").map { $0.drop { $0 == " " }.description.trimmingEnd }
    }

    private static func joined(_ lines: [String]) -> String {
        lines.map { $0.drop { $0 == " " }.description.trimmingEnd }.joined(separator: " ")
    }
}
