// The times and the number of columns of a contact sheet's thumbnails. Pure: decodes and draws nothing.
internal import Media
internal import MediaTime
internal import Text

/// The times and the grid of a contact sheet.
struct SheetPlan: Hashable, Sendable {
    /// A planned thumbnail.
    struct Moment: Hashable, Sendable {
        /// The time whose frame is shown; for `end`, the end of its part, which is not included.
        var time: Time
        var mark: SheetReport.Tile.Mark?
        /// The part it belongs to, from 0.
        var part: Int
        /// How far the frame shown may be from the time, in both directions.
        var tolerance: Time
    }

    /// Columns and rows where nobody asks for others.
    struct Grid: Hashable, Sendable {
        var columns: Int, rows: Int

        static let landscape = Grid(columns: 5, rows: 4), portrait = Grid(columns: 8, rows: 3)
    }

    /// In order.
    let moments: [Moment]
    /// Thumbnails per row.
    let columns: Int

    /// A plan for parts with known ends.
    /// - Parameter rate: frames per second: there are no more thumbnails than frames.
    init(
        _ parts: [TimeSpan], _ options: SheetOptions, rate: Ratio?, usual: Grid = .landscape
    ) throws(MediaError) {
        let across = options.columns ?? usual.columns
        if let every = options.every {
            moments = try SheetPlan.moments(parts, every: every, rate: rate)
        } else {
            let least = (2 * parts.count + across - 1) / across
            let down = options.rows ?? max(usual.rows, least)
            guard 2 * parts.count <= across * down else {
                throw MediaError(
                    .invalidRequest,
                    "the \(2 * parts.count) thumbnails of \(quantity(parts.count, "range")) do not fit \(quantity(across, "column")) by \(quantity(down, "row"))",
                    remedy: "give more --columns or --rows, or fewer ranges")
            }
            moments = SheetPlan.moments(parts, SheetPlan.counts(parts, of: across * down, rate: rate))
        }
        columns = max(1, min(across, moments.count))
    }

    /// So many thumbnails of each part, evenly apart.
    private static func moments(_ parts: [TimeSpan], _ counts: [Int]) -> [Moment] {
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
                        tolerance: spacing.multiplied(by: 1, over: 2)))
            }
        }
        return moments
    }

    /// A thumbnail at each multiple of an interval, counted from the part's start, and the part's last frame.
    private static func moments(
        _ parts: [TimeSpan], every: Time, rate: Ratio?
    ) throws(MediaError) -> [Moment] {
        let most = SheetOptions.mostTiles
        let total = parts.reduce(0.0) { $0 + max(0, ($1.end - $1.start).seconds) / every.seconds }
        guard total + Double(2 * parts.count) <= Double(most) else {
            let least = parts.reduce(0.0) { $0 + max(0, ($1.end - $1.start).seconds) } / Double(most / 2)
            throw MediaError(
                .invalidRequest,
                "a thumbnail every \(every) s makes more than the \(most) that a sheet may have",
                remedy: "give --every \(max(1, Int(least.rounded(.up)))) or more")
        }
        // The last frame has a thumbnail anyway.
        let frame =
            rate?.reciprocal.map { Time($0.numerator, Int32(clamping: $0.denominator)) } ?? Time(1, 25)
        var moments: [Moment] = []
        for (index, part) in parts.enumerated() {
            moments.append(Moment(time: part.start, mark: .start, part: index, tolerance: .zero))
            var time = part.start + every
            while time < part.end - frame {
                moments.append(Moment(time: time, mark: nil, part: index, tolerance: .zero))
                time = time + every
            }
            guard part.end - part.start > frame else { continue }
            moments.append(Moment(time: part.end, mark: .end, part: index, tolerance: .zero))
        }
        return moments
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
