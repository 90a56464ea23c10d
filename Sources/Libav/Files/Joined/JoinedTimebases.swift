// The ticks in which the tracks of a joined source count. Pure.
internal import MediaTime

/// Chooses the ticks of tracks.
enum JoinedTimebases {
    /// Seconds per tick of each track: its own where all its times are whole numbers of them, and finer where pieces differ.
    static func of(_ own: [[Timebase]], _ offsets: [Time]) -> [Timebase] {
        own.map { bases in
            guard let first = bases.first else { return .microseconds }
            guard !bases.contains(where: { $0.numerator != 1 }) else { return first }
            var scale = Int64(1)
            for base in Set(bases) {
                scale = common(scale, Int64(base.denominator)) ?? Int64(first.denominator)
            }
            for offset in offsets { scale = common(scale, smallest(offset)) ?? scale }
            return Timebase(perSecond: Int(scale)) ?? first
        }
    }

    /// The timescale of a time in lowest terms.
    private static func smallest(_ time: Time) -> Int64 {
        let scale = Int64(time.timescale)
        return scale / max(1, divisor(abs(time.value), scale))
    }

    /// The smallest common multiple, if a timescale can be as large.
    private static func common(_ a: Int64, _ b: Int64) -> Int64? {
        let (product, isTooLarge) = (a / max(1, divisor(a, b))).multipliedReportingOverflow(by: b)
        return isTooLarge || product > mostTicks ? nil : product
    }

    /// A timescale above this leaves too little room for long films.
    private static let mostTicks: Int64 = 100_000_000

    private static func divisor(_ a: Int64, _ b: Int64) -> Int64 { b == 0 ? a : divisor(b, a % b) }
}
