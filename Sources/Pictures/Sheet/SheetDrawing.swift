// Draws a contact sheet as laid out: heading, thumbnails with their labels, waveform. A value; decodes nothing.
internal import Media
internal import MediaTime

/// A contact sheet as it is drawn.
struct SheetDrawing {
    private(set) var canvas: Canvas
    private let layout: SheetLayout
    private let facts: SheetFacts

    init(_ layout: SheetLayout, _ facts: SheetFacts) {
        self.layout = layout
        self.facts = facts
        canvas = Canvas(width: layout.width, height: layout.height)
        layout.heading.draw(on: &canvas, left: SheetLayout.gap, top: SheetLayout.gap)
    }

    /// Draws a thumbnail.
    mutating func draw(_ image: Canvas, _ tile: SheetReport.Tile, part: Int, at index: Int) {
        let (left, top) = layout.corner(index)
        let cell = layout.cell
        let (x, y) = (left + (cell.width - image.width) / 2, top + (cell.height - image.height) / 2)
        canvas.draw(image, left: x, top: y)
        let color = tile.mark.map(SheetDrawing.color) ?? .quiet
        let words = Typeface.fit(facts.clock(tile.actual), width: cell.width, size: layout.label)
        canvas.write(
            words, left: left + (cell.width - Typeface.width(of: words, size: layout.label)) / 2,
            top: top + cell.height, size: layout.label, color)
        guard let mark = tile.mark else { return }
        canvas.frame(x, y, image.width, image.height, thick: 3, color)
        let name = facts.parts.count > 1 ? "\(mark.rawValue) \(part + 1)" : mark.rawValue
        canvas.tab(name, size: layout.label, left: x, bottom: y + image.height, width: image.width, color)
    }

    /// Draws the waveform with the audio's level above it and times below.
    mutating func draw(_ wave: Waveform) {
        let gap = SheetLayout.gap
        let line = Typeface.height(layout.label)
        let level = wave.level.map { level in
            "peak \(wave.isSampled ? "at least " : "")\(SheetFacts.rounded(level, 1)) dBFS"
        }
        let words = (facts.audio.map(SheetFacts.words(audio:)) ?? "audio") + ", " + (level ?? "silent")
        canvas.write(
            Typeface.fit(words, width: layout.width - 2 * gap, size: layout.label), left: gap,
            top: layout.caption, size: layout.label, .quiet)
        let top = layout.caption + line
        canvas.fill(gap, top, layout.width - 2 * gap, layout.wave, .black)
        for (column, peak) in wave.peaks.enumerated() {
            // Scaled to the peak, so that quiet audio has a shape too.
            let share = wave.peak > 0 ? Double(peak / wave.peak) : 0
            let length = max(1, Int(min(1, share) * Double(layout.wave - 4)))
            canvas.fill(gap + column, top + (layout.wave - length) / 2, 1, length, .wave)
        }
        draw(TimeRuler(facts.parts, width: layout.width - 2 * gap), top: top)
    }

    private mutating func draw(_ ruler: TimeRuler, top: Int) {
        let (gap, high) = (SheetLayout.gap, layout.wave)
        for (first, last) in ruler.parts {
            canvas.fill(gap + first, top, 2, high, SheetDrawing.color(.start))
            canvas.fill(gap + last - 2, top, 2, high, SheetDrawing.color(.end))
        }
        for label in ruler.labels(size: layout.label, facts.clock) {
            if label.isTick { canvas.fill(gap + label.at, top + high, 1, 4, .quiet) }
            canvas.write(label.text, left: gap + label.left, top: top + high + 2, size: layout.label, .quiet)
        }
    }

    private static func color(_ mark: SheetReport.Tile.Mark) -> Canvas.Color {
        mark == .start ? .green : .red
    }
}

extension Canvas {
    /// A name on a ground of its own in a picture's lower left corner: burned-in text is often at the top.
    package mutating func tab(
        _ name: String, size: Double, left: Int, bottom: Int, width: Int, _ color: Color
    ) {
        let name = Typeface.fit(name, width: width - 8, size: size)
        guard !name.isEmpty else { return }
        let high = Typeface.height(size) + 2
        fill(left, bottom - high, Typeface.width(of: name, size: size) + 10, high, color)
        write(name, left: left + 5, top: bottom - high, size: size, .black)
    }
}
