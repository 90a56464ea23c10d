// The times below a waveform: where each part begins and ends, round times between, and no label over another. Pure.
internal import Media
internal import MediaTime

/// The times below a waveform.
struct TimeRuler {
    /// A time on the ruler.
    struct Label: Hashable {
        var text: String
        /// Where the text begins, and the position it says, in pixels.
        var left: Int, at: Int
        /// Whether it says a time between the ends of a part.
        var isTick = false
    }

    private let spans: [TimeSpan]
    private let width: Int
    /// Where each part begins and ends, in pixels.
    let parts: [(first: Int, last: Int)]

    /// Steps of round times, in milliseconds.
    private static let steps: [Int64] = [
        10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
        600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 18_000_000, 36_000_000,
    ]
    /// Pixels between two labels.
    private static let distance = 12

    init(_ spans: [TimeSpan], width: Int) {
        self.spans = spans
        self.width = width
        let total = max(1e-9, spans.reduce(0.0) { $0 + max(0, ($1.end - $1.start).seconds) })
        var before = 0.0
        parts = spans.map { span in
            let first = Int(before / total * Double(width))
            before += max(0, (span.end - span.start).seconds)
            return (first, min(width, Int(before / total * Double(width))))
        }
    }

    /// The labels for which there is room: the first and last time before all others, those of long parts before short ones.
    func labels(size: Double, _ clock: (_ time: Time, _ digits: Int) -> String) -> [Label] {
        var labels: [Label] = []
        var taken: [Range<Int>] = []
        func place(_ text: String, at position: Int, anchor: Int, isTick: Bool = false) {
            let wide = Typeface.width(of: text, size: size)
            let left = position - (anchor < 0 ? 0 : anchor > 0 ? wide : wide / 2)
            guard left >= 0, left + wide <= width else { return }
            let own = (left - TimeRuler.distance)..<(left + wide + TimeRuler.distance)
            guard !taken.contains(where: { $0.overlaps(own) }) else { return }
            taken.append(left..<(left + wide))
            labels.append(Label(text: text, left: left, at: position, isTick: isTick))
        }
        guard let first = spans.first, let last = spans.last else { return [] }
        place(clock(first.start, 3), at: 0, anchor: -1)
        place(clock(last.end, 3), at: width, anchor: 1)
        let byLength = parts.indices.sorted {
            parts[$0].last - parts[$0].first > parts[$1].last - parts[$1].first
        }
        for index in byLength {
            place(clock(spans[index].start, 3), at: parts[index].first, anchor: -1)
            place(clock(spans[index].end, 3), at: parts[index].last, anchor: 1)
        }
        if spans.count == 1 {
            for (time, digits) in ticks(first) {
                let share = (time - first.start).seconds / max(1e-9, (first.end - first.start).seconds)
                place(clock(time, digits), at: Int(share * Double(width)), anchor: 0, isTick: true)
            }
        }
        return labels
    }

    /// Round times inside a part, about a hundred pixels apart.
    private func ticks(_ span: TimeSpan) -> [(time: Time, digits: Int)] {
        let length = (span.end - span.start).seconds
        let most = Double(max(1, width / 100))
        guard length > 0, let step = TimeRuler.steps.first(where: { length / (Double($0) / 1000) <= most })
        else {
            return []
        }
        let start = Int64((span.start.seconds * 1000 / Double(step)).rounded(.up))
        return (start..<(start + Int64(most) + 1)).map { Time($0 * step, 1000) }
            .filter { $0 > span.start && $0 < span.end }
            .map { ($0, step % 1000 == 0 ? 0 : step % 100 == 0 ? 1 : 2) }
    }
}
