// The times and the layout of a contact sheet's thumbnails. Pure: decodes and draws nothing.
internal import Media
internal import MediaTime

/// The times and the grid of a contact sheet.
struct SheetPlan: Hashable, Sendable {
    /// A planned thumbnail.
    struct Moment: Hashable, Sendable {
        /// The time whose frame is shown; for `end`, the end of its part, which is not included.
        var time: Time
        var mark: SheetReport.Tile.Mark?
        /// The part it belongs to, from 0.
        var part: Int
        /// Seconds from one thumbnail of the part to the next.
        var spacing: Time
    }

    /// In order.
    let moments: [Moment]
    /// Thumbnails per row.
    let columns: Int

    /// Default numbers of columns and rows.
    private static let usual = (columns: 5, rows: 4)

    /// A plan for parts with known ends.
    /// - Parameter rate: frames per second: there are no more thumbnails than frames.
    init(
        _ parts: [TimeSpan], columns: Int?, rows: Int?, rate: Ratio?
    ) throws(MediaError) {
        let across = columns ?? SheetPlan.usual.columns
        let least = (2 * parts.count + across - 1) / across
        let down = rows ?? max(SheetPlan.usual.rows, least)
        guard 2 * parts.count <= across * down else {
            throw MediaError(
                .invalidRequest,
                "\(parts.count) ranges need \(2 * parts.count) thumbnails, and \(across) columns by \(down) rows hold \(across * down)",
                remedy: "give more --columns or --rows, or fewer ranges")
        }
        let counts = SheetPlan.counts(parts, of: across * down, rate: rate)
        var moments: [Moment] = []
        for (index, part) in parts.enumerated() {
            let count = counts[index]
            let length = part.end - part.start
            let spacing = length.multiplied(by: 1, over: Int64(max(1, count - 1)))
            for number in 0..<count {
                let isLast = number > 0 && number == count - 1
                // Rounded to milliseconds: times in between need not be exact.
                let between = length.multiplied(by: Int64(number), over: Int64(max(1, count - 1)))
                let time =
                    number == 0
                    ? part.start
                    : isLast ? part.end : part.start + between.converted(to: 1000, rounding: .towardZero)
                moments.append(
                    Moment(
                        time: time, mark: number == 0 ? .start : isLast ? .end : nil, part: index,
                        spacing: spacing))
            }
        }
        self.moments = moments
        self.columns = max(1, min(across, moments.count))
    }

    /// Number of thumbnails per part: its first and last frame, and the rest by duration.
    private static func counts(_ parts: [TimeSpan], of total: Int, rate: Ratio?) -> [Int] {
        let lengths = parts.map { max(0, ($0.end - $0.start).seconds) }
        let frames = lengths.map { max(1, Int((min($0, 1e6) * (rate?.value ?? 25)).rounded(.up))) }
        var counts = frames.map { min(2, $0) }
        var rest = total - counts.reduce(0, +)
        while rest > 0 {
            // The part with the widest spacing gets the next one.
            let gaps = counts.indices.filter { counts[$0] < frames[$0] }
            guard
                let next = gaps.max(by: {
                    lengths[$0] / Double(counts[$0]) < lengths[$1] / Double(counts[$1])
                })
            else { break }
            counts[next] += 1
            rest -= 1
        }
        return counts
    }
}
