// An image of the joins: the result in its heading, and the first and last frame of each part, the source on the left and the
// output on the right; besides them the first frames that deviate, framed in red. A value; stores rendered frames.
internal import Media
internal import MediaTime
internal import Pictures
internal import Text

/// The rows of the image.
struct JoinImage {
    private struct Row {
        var names: [String]
        let time: Time, part: Int
        var expected: Canvas
        var found: Canvas?
        var fault: VideoComparison.Fault?
    }

    private var rows: [Row] = []
    private var faults: [VideoComparison.Fault: Int] = [:]
    private let source: FrameRenderer, output: FrameRenderer
    /// Width of a frame and of the gap, in pixels.
    private static let width = 400, gap = 8
    /// Maximum number of rows: the first joins are shown; and of rows for single frames that deviate in one way.
    private static let most = 40, mostFaults = 3
    /// Maximum number of deviations in the heading.
    private static let mostFindings = 6
    /// Size of captions in pixels per em.
    private static let caption = 14.0

    init(source: Track, output: Track, edit: FrameEdit = FrameEdit()) {
        self.source = FrameRenderer(track: source, edit: edit)
        self.output = FrameRenderer(track: output)
    }

    /// Adds an expected frame and the frame found.
    mutating func add(_ name: String, _ pair: VideoComparison.Pair) throws(MediaError) {
        let time = pair.expected.sourceTime
        // One frame may be the first, the last, and wrong.
        if let index = rows.firstIndex(where: { $0.time == time && $0.part == pair.expected.part }) {
            rows[index].names.insert(name, at: 0)
            return
        }
        guard rows.count < JoinImage.most else { return }
        let left = try draw(pair.expected, source)
        var right: Canvas?
        if let found = pair.found { right = try draw(found, output) }
        rows.append(
            Row(
                names: [name], time: time, part: pair.expected.part, expected: left, found: right,
                fault: pair.fault))
    }

    /// Adds a frame that deviates, if it is one of the first.
    mutating func add(fault pair: VideoComparison.Pair) throws(MediaError) {
        guard let fault = pair.fault, faults[fault, default: 0] < JoinImage.mostFaults else { return }
        faults[fault, default: 0] += 1
        try add(fault.rawValue, pair)
    }

    private func draw(_ seen: FrameStream.Seen, _ renderer: FrameRenderer) throws(MediaError) -> Canvas {
        let whole = renderer.size
        let scale = min(1, Double(JoinImage.width) / Double(max(whole.width, whole.height)))
        return try renderer.canvas(
            of: seen.frame, width: max(2, Int(Double(whole.width) * scale)),
            height: max(2, Int(Double(whole.height) * scale)))
    }

    /// All rows, from top to bottom, with the result above them.
    func canvas(_ report: ComparisonReport, source: String, output: String) -> Canvas {
        let (gap, size) = (JoinImage.gap, JoinImage.caption)
        let wide = max(
            JoinImage.width / 2, rows.map { max($0.expected.width, $0.found?.width ?? 0) }.max() ?? 0)
        let line = Typeface.height(size)
        let heights = rows.map { max($0.expected.height, $0.found?.height ?? 0) + line + gap }
        let heading = heading(report, source, output, width: 2 * wide + gap)
        let top = 2 * gap + heading.height
        var canvas = Canvas(
            width: 2 * wide + 3 * gap, height: top + line + gap + heights.reduce(0, +))
        heading.draw(on: &canvas, left: gap, top: gap)
        let right = wide + 2 * gap
        canvas.write("source", left: gap, top: top, size: size, .white)
        canvas.write("output", left: right, top: top, size: size, .white)
        var above = top + line + gap / 2
        for (row, height) in zip(rows, heights) {
            draw(row, on: &canvas, right: right, top: above)
            above += height
        }
        return canvas
    }

    private func draw(_ row: Row, on canvas: inout Canvas, right: Int, top: Int) {
        let (gap, size) = (JoinImage.gap, JoinImage.caption)
        let below = top + Typeface.height(size)
        let words = "\(row.names.joined(separator: ", "))  \(row.time.clock())"
        canvas.write(
            Typeface.fit(words, width: canvas.width - 2 * gap, size: size), left: gap, top: top, size: size,
            row.fault == nil ? .quiet : .red)
        canvas.draw(row.expected, left: gap, top: below)
        let shown = row.found ?? row.expected
        if let found = row.found { canvas.draw(found, left: right, top: below) }
        guard let fault = row.fault else { return }
        canvas.frame(right, below, shown.width, shown.height, thick: 3, .red)
        canvas.tab(
            fault.rawValue, size: size, left: right, bottom: below + shown.height, width: shown.width, .red)
    }

    private func heading(
        _ report: ComparisonReport, _ source: String, _ output: String, width: Int
    ) -> PictureHeading {
        var heading = PictureHeading(output, width: width)
        heading.add(
            ["\(report.exact ? "exactly" : "not exactly") this part of \(source)"],
            report.exact ? .green : .red)
        heading.add(
            report.ranges.prefix(12).map { "\($0.start.clock()) to \($0.end.clock())" }
                + (report.ranges.count > 12 ? ["…"] : []))
        if let video = report.video {
            var facts = ["\(video.found) of \(quantity(video.expected, "frame"))"]
            if let lowest = video.lowestPSNR {
                facts.append("lowest PSNR \(SheetFacts.rounded(lowest, 1)) dB")
            }
            heading.add(facts)
        }
        for finding in report.findings.prefix(JoinImage.mostFindings) {
            heading.add([(finding.time.map { "at \($0.clock()): " } ?? "") + finding.message], .red)
        }
        let more = report.findings.count - JoinImage.mostFindings
        if more > 0 { heading.add(["and \(more) more"], .red) }
        return heading
    }
}
