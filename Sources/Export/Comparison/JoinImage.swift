// An image of the joins: the first and last frame of each part, the source on the left and the output on the right. A value;
// stores rendered frames.
internal import Media
internal import MediaTime

/// The rows of the image.
struct JoinImage {
    private struct Row {
        var name: String
        var expected: Canvas
        var found: Canvas?
    }

    private var rows: [Row] = []
    private let source: FrameRenderer, output: FrameRenderer
    /// Width of a frame and of the gap, in pixels.
    private static let width = 400, gap = 8
    /// Maximum number of rows: the first joins are shown.
    private static let most = 40

    init(source: Track, output: Track) {
        self.source = FrameRenderer(track: source)
        self.output = FrameRenderer(track: output)
    }

    /// Adds an expected frame and the frame found.
    mutating func add(_ name: String, _ pair: VideoComparison.Pair) throws(MediaError) {
        guard rows.count < JoinImage.most else { return }
        let left = try draw(pair.expected, source)
        var right: Canvas?
        if let found = pair.found { right = try draw(found, output) }
        let time = pair.expected.sourceTime.clock()
        rows.append(Row(name: "\(name)  \(time)", expected: left, found: right))
    }

    private func draw(_ seen: FrameStream.Seen, _ renderer: FrameRenderer) throws(MediaError) -> Canvas {
        let whole = renderer.size
        let scale = min(1, Double(JoinImage.width) / Double(max(whole.width, whole.height)))
        return try renderer.canvas(
            of: seen.frame, width: max(2, Int(Double(whole.width) * scale)),
            height: max(2, Int(Double(whole.height) * scale)))
    }

    /// All rows, from top to bottom.
    var canvas: Canvas {
        let (gap, wide) = (JoinImage.gap, JoinImage.width)
        let head = 14 + gap
        let heights = rows.map { max($0.expected.height, $0.found?.height ?? 0) + head + gap }
        var canvas = Canvas(
            width: 2 * wide + 3 * gap, height: head + 2 * gap + max(40, heights.reduce(0, +)))
        canvas.write("source", left: gap, top: gap, size: 2, .white)
        canvas.write("output", left: wide + 2 * gap, top: gap, size: 2, .white)
        var top = head + gap
        for (row, height) in zip(rows, heights) {
            canvas.write(row.name, left: gap, top: top, size: 2, .quiet)
            canvas.draw(row.expected, left: gap, top: top + head)
            if let found = row.found {
                canvas.draw(found, left: wide + 2 * gap, top: top + head)
            } else {
                canvas.frame(
                    wide + 2 * gap, top + head, row.expected.width, row.expected.height, thick: 3, .red)
                canvas.write("missing", left: wide + 3 * gap, top: top + head + gap, size: 2, .red)
            }
            top += height
        }
        return canvas
    }
}
