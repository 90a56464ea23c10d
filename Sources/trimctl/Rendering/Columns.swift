// A table for people: aligned columns, two spaces apart, no trailing spaces. It does not truncate: a path copied from a table
// must be complete.
internal import Media
internal import Text

/// A text table.
struct Columns {
    /// Alignment of a column.
    enum Side { case left, right }

    private let sides: [Side]
    private var rows: [[String]]

    /// Creates a table with these headers.
    init(_ heads: [(name: String, side: Side)]) {
        sides = heads.map(\.side)
        rows = [heads.map(\.name)]
    }

    /// Adds a row with one cell per header.
    mutating func add(_ cells: [String]) { rows.append(cells.map(\.oneLine)) }

    /// The lines. Where they do not fit into a narrow terminal, each row is a block of labelled lines instead; a wide terminal
    /// breaks a long last column itself.
    /// - Parameter width: the terminal's columns; nil: it is none.
    func text(within width: Int?) -> String {
        guard let width, width < Columns.narrow,
            text.split(separator: "\n").contains(where: { $0.count > width })
        else { return text }
        return rows.dropFirst().map { row in
            var lines = Labelled(indent: 0)
            for (name, cell) in zip(rows.first ?? [], row) { lines.add(name.lowercased(), cell) }
            return lines.text
        }.joined(separator: "\n")
    }

    /// Terminals with fewer columns are narrow.
    private static let narrow = 60

    /// The lines, however long they are.
    private var text: String {
        let widths = sides.indices.map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = zip(row.indices, row).map { column, cell in
                sides[column] == .right ? cell.aligned(to: widths[column]) : cell.padded(to: widths[column])
            }
            return cells.joined(separator: "  ").trimmingEnd + "\n"
        }.joined()
    }
}

/// Labelled lines: `label text`, with the text's further lines aligned below it.
struct Labelled {
    private var lines: [(label: String, text: String)] = []
    private let indent: Int

    /// Creates an empty list.
    init(indent: Int = 2) { self.indent = indent }

    /// Adds a line, unless the text is nil.
    mutating func add(_ label: String, _ text: String?) {
        if let text, !text.isEmpty { lines.append((label, text)) }
    }

    /// The lines; a label equal to the previous one is left blank.
    var text: String {
        let width = max(8, lines.map(\.label.count).max() ?? 0)
        var previous: String?
        return lines.reduce(into: "") { text, line in
            let label = line.label == previous ? "" : line.label
            previous = line.label
            let margin = String(repeating: " ", count: indent)
            let rows = line.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, row) in rows.enumerated() {
                text += (margin + (index == 0 ? label : "").padded(to: width) + "  " + row).trimmingEnd + "\n"
            }
        }
    }
}

extension String {
    /// Without trailing spaces.
    var trimmingEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Without line breaks, for a table cell.
    var oneLine: String {
        String(split { $0.isNewline }.joined(separator: " / "))
    }

    /// Without terminal control characters: names and metadata are untrusted. Line breaks and tabs stay.
    var printable: String {
        func steers(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isSteering && scalar != "\t" && scalar != "\n"
        }
        guard unicodeScalars.contains(where: steers) else { return self }
        var view = String.UnicodeScalarView()
        for scalar in unicodeScalars { view.append(steers(scalar) ? "\u{FFFD}" : scalar) }
        return String(view)
    }
}
