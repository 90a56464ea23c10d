// Turns outlines into coverage: how much of each pixel is inside, by the non-zero winding rule. Exact along a row; a row is
// sampled at eight heights. A value; knows neither colours nor characters.

/// The coverage of outlines on a grid of pixels.
struct Rasterizer {
    /// Size in pixels.
    let width: Int, height: Int
    /// Where an outline crosses a sampled height, and whether upwards, in order of the heights.
    private var crossings: [[(x: Double, winding: Int)]]

    /// Sampled heights per row.
    private static let heights = 8
    /// Straight pieces per curve.
    private static let pieces = 5

    init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
        crossings = Array(repeating: [], count: self.height * Rasterizer.heights)
    }

    /// Adds a contour.
    /// - Parameters:
    ///   - scale: pixels per unit.
    ///   - left: of the origin, in pixels.
    ///   - baseline: row of the origin, downwards, in pixels.
    mutating func add(_ contour: [Typeface.Point], scale: Double, left: Double, baseline: Double) {
        let points = contour.map {
            (x: left + Double($0.x) * scale, y: baseline - Double($0.y) * scale, isOn: $0.isOnCurve)
        }
        guard let last = points.last, let first = points.first else { return }
        // Between two control points there is a point on the curve, halfway.
        var here =
            last.isOn
            ? (last.x, last.y)
            : first.isOn ? (first.x, first.y) : middle((last.x, last.y), (first.x, first.y))
        for (index, point) in points.enumerated() {
            guard !point.isOn else {
                line(here, (point.x, point.y))
                here = (point.x, point.y)
                continue
            }
            let next = points[(index + 1) % points.count]
            let end = next.isOn ? (next.x, next.y) : middle((point.x, point.y), (next.x, next.y))
            curve(here, (point.x, point.y), end)
            here = end
        }
    }

    private func middle(_ a: (Double, Double), _ b: (Double, Double)) -> (Double, Double) {
        ((a.0 + b.0) / 2, (a.1 + b.1) / 2)
    }

    private mutating func curve(
        _ start: (Double, Double), _ control: (Double, Double), _ end: (Double, Double)
    ) {
        var here = start
        for piece in 1...Rasterizer.pieces {
            let t = Double(piece) / Double(Rasterizer.pieces)
            let (a, b, c) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
            let next = (
                a * start.0 + b * control.0 + c * end.0, a * start.1 + b * control.1 + c * end.1
            )
            line(here, next)
            here = next
        }
    }

    private mutating func line(_ start: (Double, Double), _ end: (Double, Double)) {
        guard start.1 != end.1 else { return }
        let (upper, lower) = start.1 < end.1 ? (start, end) : (end, start)
        let heights = Double(Rasterizer.heights)
        // A height is sampled in its middle.
        let first = max(0, Int((upper.1 * heights - 0.5).rounded(.up)))
        let last = min(crossings.count - 1, Int((lower.1 * heights - 0.5).rounded(.up)) - 1)
        guard first <= last else { return }
        let slope = (lower.0 - upper.0) / (lower.1 - upper.1)
        for height in first...last {
            let y = (Double(height) + 0.5) / heights
            crossings[height].append((upper.0 + (y - upper.1) * slope, start.1 < end.1 ? 1 : -1))
        }
    }

    /// The coverage of each pixel, row by row, from 0 to 1.
    func coverage() -> [Float] {
        var all = [Float](repeating: 0, count: width * height)
        for (index, line) in crossings.enumerated() where line.count > 1 {
            let row = index / Rasterizer.heights * width
            var winding = 0
            var begin = 0.0
            for crossing in line.sorted(by: { $0.x < $1.x }) {
                let before = winding
                winding += crossing.winding
                if before == 0 { begin = crossing.x }
                if winding == 0, before != 0 { fill(&all, row, from: begin, to: crossing.x) }
            }
        }
        return all
    }

    private func fill(_ all: inout [Float], _ row: Int, from left: Double, to right: Double) {
        let (left, right) = (max(0, left), min(Double(width), right))
        guard left < right else { return }
        let share = 1 / Float(Rasterizer.heights)
        for column in Int(left)..<min(width, Int(right.rounded(.up))) {
            let part = min(right, Double(column + 1)) - max(left, Double(column))
            all[row + column] += share * Float(part)
        }
    }
}
