// An RGB image for drawing, 8 bits per channel. A value; drawing is clipped to it. Independent of media.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// An image in memory.
package struct Canvas: Hashable, Sendable {
    /// A colour.
    package struct Color: Hashable, Sendable {
        var red: UInt8, green: UInt8, blue: UInt8

        static let black = Color(red: 0, green: 0, blue: 0)
        package static let white = Color(red: 255, green: 255, blue: 255)
        static let ground = Color(red: 24, green: 24, blue: 27)
        package static let quiet = Color(red: 160, green: 160, blue: 168)
        package static let green = Color(red: 64, green: 200, blue: 96)
        package static let red = Color(red: 235, green: 80, blue: 72)
        static let wave = Color(red: 96, green: 165, blue: 250)
    }

    /// Size in pixels.
    package let width: Int, height: Int
    /// Row by row, three bytes per pixel.
    package private(set) var bytes: [UInt8]

    /// A canvas of one colour.
    package init(width: Int, height: Int, _ color: Color = .ground) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: 0, count: 3 * width * height)
        fill(0, 0, width, height, color)
    }

    /// A canvas from an image's bytes; nil if their number does not match its size.
    init?(width: Int, height: Int, bytes: [UInt8]) {
        guard width > 0, height > 0, bytes.count == 3 * width * height else { return nil }
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Fills a rectangle.
    mutating func fill(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ color: Color) {
        let columns = max(0, left)..<max(0, left, min(self.width, left + width))
        let rows = max(0, top)..<max(0, top, min(self.height, top + height))
        for row in rows {
            for column in columns {
                let offset = 3 * (row * self.width + column)
                bytes[offset] = color.red
                bytes[offset + 1] = color.green
                bytes[offset + 2] = color.blue
            }
        }
    }

    /// Draws a rectangle's border, `thick` pixels wide, inside the rectangle.
    package mutating func frame(
        _ left: Int, _ top: Int, _ width: Int, _ height: Int, thick: Int, _ color: Color
    ) {
        fill(left, top, width, thick, color)
        fill(left, top + height - thick, width, thick, color)
        fill(left, top, thick, height, color)
        fill(left + width - thick, top, thick, height, color)
    }

    /// Draws another image onto this one.
    package mutating func draw(_ other: Canvas, left: Int, top: Int) {
        let from = max(0, -left)
        let count = min(other.width, width - left) - from
        guard count > 0 else { return }
        for row in max(0, -top)..<max(0, -top, min(other.height, height - top)) {
            let source = 3 * (row * other.width + from)
            let target = 3 * ((top + row) * width + left + from)
            bytes.replaceSubrange(
                target..<(target + 3 * count), with: other.bytes[source..<(source + 3 * count)])
        }
    }

    /// Draws text in one line.
    /// - Parameters:
    ///   - top: of the line; capital letters begin a little below.
    ///   - size: in pixels per em.
    package mutating func write(_ text: String, left: Int, top: Int, size: Double, _ color: Color) {
        let glyphs = text.map(Typeface.glyph)
        let scale = size / Double(Typeface.em)
        // Some letters reach beyond their advance.
        let margin = Int(size.rounded(.up))
        let advance = Double(glyphs.reduce(0) { $0 + $1.advance }) * scale
        // No more is drawn than can be seen.
        let wide = min(Int(advance.rounded(.up)) + 2 * margin, max(0, width - left + margin))
        var raster = Rasterizer(width: wide, height: Int((Typeface.line * size).rounded(.up)) + 2)
        var pen = Double(margin)
        let baseline = (Typeface.ascent * size).rounded()
        for glyph in glyphs where pen < Double(wide) {
            for contour in glyph.contours {
                raster.add(contour, scale: scale, left: pen, baseline: baseline)
            }
            pen += Double(glyph.advance) * scale
        }
        let coverage = raster.coverage()
        for row in 0..<raster.height {
            for column in 0..<raster.width {
                blend(color, coverage[row * raster.width + column], left - margin + column, top + row)
            }
        }
    }

    private mutating func blend(_ color: Color, _ part: Float, _ column: Int, _ row: Int) {
        guard part > 0, 0..<width ~= column, 0..<height ~= row else { return }
        let offset = 3 * (row * width + column)
        let part = min(1, part)
        for (index, value) in [color.red, color.green, color.blue].enumerated() {
            let old = Float(bytes[offset + index])
            bytes[offset + index] = UInt8((old + (Float(value) - old) * part).rounded())
        }
    }
}

// Scales a canvas down with FFmpeg's scaler.
extension Canvas {
    /// This image, no larger than a size in pixels, in its own shape; itself if it is no larger already.
    func scaled(within most: (width: Int, height: Int)) throws(MediaError) -> Canvas {
        let factor = min(Double(most.width) / Double(width), Double(most.height) / Double(height))
        guard factor < 1 else { return self }
        let (wide, high) = (
            max(1, Int(Double(width) * factor)), max(1, Int(Double(height) * factor))
        )
        return try media(.encodeFailed) { () throws(LibavError) in
            let whole = try Frame.make(rgb: bytes, width: width, height: height)
            whole.pts = 0
            let graph = try FilterGraph(
                chain: "scale=\(wide):\(high):flags=area,format=rgb24", shape: whole.shape,
                timebase: FilterGraph.frameNumbers, threads: 1)
            try graph.send(whole)
            try graph.send(nil)
            guard let small = try graph.receive(),
                let canvas = Canvas(width: small.width, height: small.height, bytes: small.packedBytes)
            else { throw LibavError("scaling an image", cause: "the filters returned no frame") }
            return canvas
        }
    }
}
