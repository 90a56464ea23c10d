// Chooses timescales in which nothing is rounded. Pure integer arithmetic.
package import MediaTime

/// Choices of timescales.
package enum Timescale {
    /// Timescale of an output's video track in which every source time relative to its in point, and every out point, is an
    /// integer. Where that exceeds 31 bits, the last points are dropped first.
    /// - Parameter origin: the container's time of asset time 0, which may be a time of another track.
    package static func video(source: Timebase, _ segments: Segments, origin: Time = .zero) -> Timebase {
        let points = segments.all.flatMap { [$0.start + origin, $0.end.map { $0 + origin }] }
            .compactMap(\.self).filter(\.isNumeric)
        var scale = points.reduce(Int64(source.denominator)) { common($0, Int64($1.reduced.timescale)) ?? $0 }
        // Very coarse ticks are legal, but some players handle them badly; a multiple is as exact.
        // At another speed, a time is divided by it.
        let speed = segments.speed
        if let finer = product(scale, speed.numerator) { scale = finer }
        while scale < 10_000 { scale *= 2 }
        return Timebase(perSecond: Int(scale)) ?? source
    }

    /// The product, where it fits a timescale.
    private static func product(_ a: Int64, _ b: Int64) -> Int64? {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow || product > Int64(Time.maximumTimescale) ? nil : product
    }

    /// A timebase in which the frames of a constant rate are integers, and those of the source where that also fits; and ticks
    /// per frame.
    package static func grid(_ rate: Ratio, in source: Timebase) -> (timebase: Timebase, period: Int64) {
        let numerator = rate.numerator
        var scale = common(Int64(source.denominator), numerator) ?? numerator
        while scale < 10_000 { scale *= 2 }
        let timebase = Timebase(perSecond: Int(scale)) ?? source
        return (timebase, max(1, scale / numerator * rate.denominator))
    }

    /// Timescale of the movie in which every track's ticks are integers; where that exceeds 31 bits, those of as many tracks as
    /// fit, in order.
    package static func movie(tracks: [Int64]) -> Int32 {
        let scale = tracks.reduce(Int64(1)) { common($0, $1) ?? $0 }
        return Int32(clamping: scale == 1 ? 90_000 : scale)
    }

    /// The least common multiple, where it fits a timescale.
    package static func common(_ a: Int64, _ b: Int64) -> Int64? {
        guard a > 0, b > 0 else { return nil }
        var (x, y) = (a, b)
        while y != 0 { (x, y) = (y, x % y) }
        let (product, overflow) = (a / x).multipliedReportingOverflow(by: b)
        return overflow || product > Int64(Time.maximumTimescale) ? nil : product
    }
}
