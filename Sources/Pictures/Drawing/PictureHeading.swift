// The heading of a picture: a title, and facts below it that are wrapped to the width. Pure but for the canvas.

/// The lines of a heading.
package struct PictureHeading: Hashable, Sendable {
    /// A line of text.
    private struct Line: Hashable, Sendable {
        var text: String
        var size: Double
        var color: Canvas.Color
    }

    private var lines: [Line] = []
    private let width: Int

    /// Separates facts on one line.
    private static let separator = "  ·  "

    /// - Parameters:
    ///   - title: cut in its middle where it is too long.
    ///   - width: in pixels.
    package init(_ title: String, _ color: Canvas.Color = .white, width: Int) {
        self.width = width
        let size = min(24, max(13, Double(width) / 56))
        lines.append(
            Line(
                text: Typeface.fit(title.shown, width: width, size: size, inMiddle: true), size: size,
                color: color))
    }

    /// The size of facts, in pixels per em.
    private var small: Double { min(16, max(11, Double(width) / 80)) }

    /// Adds facts, as many on a line as fit.
    package mutating func add(_ facts: [String], _ color: Canvas.Color = .quiet) {
        var text = ""
        for fact in facts.flatMap(wrapped) where !fact.isEmpty {
            let joined = text.isEmpty ? fact : text + PictureHeading.separator + fact
            if !text.isEmpty, Typeface.width(of: joined, size: small) > width {
                end(text, color)
                text = fact
            } else {
                text = joined
            }
        }
        if !text.isEmpty { end(text, color) }
    }

    /// A fact on as many lines as it needs.
    private func wrapped(_ fact: String) -> [String] {
        var lines: [String] = []
        for word in fact.split(separator: " ") {
            let joined = (lines.last.map { $0 + " " } ?? "") + word
            if lines.isEmpty || Typeface.width(of: joined, size: small) > width {
                lines.append(String(word))
            } else {
                lines[lines.count - 1] = joined
            }
        }
        return lines
    }

    private mutating func end(_ text: String, _ color: Canvas.Color) {
        lines.append(
            Line(text: Typeface.fit(text.shown, width: width, size: small), size: small, color: color))
    }

    /// In pixels.
    package var height: Int { lines.reduce(0) { $0 + Typeface.height($1.size) } }

    /// Draws the lines.
    package func draw(on canvas: inout Canvas, left: Int, top: Int) {
        var top = top
        for line in lines {
            canvas.write(line.text, left: left, top: top, size: line.size, line.color)
            top += Typeface.height(line.size)
        }
    }
}

extension String {
    /// As one line of text: control characters, which have no shape, are blanks.
    var shown: String {
        String(map { $0.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control } ? " " : $0 })
    }
}
