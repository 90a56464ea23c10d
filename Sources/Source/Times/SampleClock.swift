// Assigns positions to decoded audio, counted in samples: this defines "exact" for audio. Pure. Containers round timestamps;
// audio within that rounding is continuous, a larger gap is a gap.
package import MediaTime

/// Assigns each run of decoded samples its position in asset time, in samples of its rate.
package struct SampleClock {
    /// Timestamp errors up to this are rounding, in seconds: real files jitter by up to 1.5 ms.
    package static let tolerance = 0.0015

    private let rate: Int
    /// In seconds.
    private let tolerance: Double
    /// Samples per tick of the timestamps, at least 1.
    private let tick: Double
    /// The next sample's position if audio is continuous, before the correction.
    private var next: Int64?
    /// Bounds of the true position from the timestamps, relative to `next`.
    private var low = -Double.infinity, high = Double.infinity
    /// How far the timestamps seen so far were from `next`.
    private var errors: [Double] = []
    private var settled = false

    /// The timestamps that tell whether the first one is stray.
    private static let mostErrors = 8, fewestErrors = 3

    /// Creates a clock for a track's sample rate and the timebase of its timestamps.
    /// - Parameter tolerance: how far timestamps may be off, in seconds.
    package init(rate: Int, timebase: Timebase, tolerance: Double = SampleClock.tolerance) {
        (self.rate, self.tolerance) = (rate, tolerance)
        tick = max(1, Double(rate) * Double(timebase.numerator) / Double(timebase.denominator))
    }

    /// Returns the position of a run of samples.
    /// - Parameters:
    ///   - time: its timestamp in asset time; nil if it has none: it follows the previous run.
    ///   - count: its number of samples.
    ///   - following: the timestamp of the next run, where known: a single stray timestamp is not a gap.
    /// - Returns: the position of its first sample. A position past the end of the previous run is a gap, one before it an
    ///   overlap.
    package mutating func position(time: Time?, count: Int, following: Time? = nil) -> Int64 {
        let exact = time.map { $0.multiplied(by: Int64(rate), over: 1) }
        let stamped = exact?.converted(to: 1, rounding: .halfAwayFromZero).value
        guard let expected = next else {
            next = (stamped ?? 0) + Int64(count)
            if let exact { narrow(by: exact.seconds - Double(stamped ?? 0)) }
            return stamped ?? 0
        }
        if let stamped, let exact {
            let off = exact.seconds - Double(expected)
            let isStray =
                following.map { !isJump(at(sample: $0) - Double(expected) - Double(count)) } ?? false
            if isJump(off), !isStray {
                // Earlier positions stay; from here on the new timestamps count.
                if !settled { (low, high, errors) = (-.infinity, .infinity, []) }
                next = stamped + Int64(count)
                return stamped
            }
            if !settled, !isJump(off) { narrow(by: off) }
        }
        next = expected + Int64(count)
        return expected + correction
    }

    /// From now on positions do not shift: the returned positions must stay continuous.
    package mutating func settle() {
        guard !settled, let next else { return }
        self.next = next + correction
        settled = true
        (low, high, errors) = (0, 0, [])
    }

    /// Whether the error exceeds rounding.
    private func isJump(_ off: Double) -> Bool {
        abs(off) > max(2, Double(rate) * tolerance) + tick / 2
    }

    private func at(sample time: Time) -> Double { time.multiplied(by: Int64(rate), over: 1).seconds }

    /// The middle of the bounds from the timestamps seen so far, where they are consistent; else that by which the first one alone is
    /// off, as where fragments or segments begin. Where timestamps change for good, the first one counts.
    private var correction: Int64 {
        guard !settled, low.isFinite else { return 0 }
        guard tick > 1, low <= high else {
            guard errors.count >= SampleClock.fewestErrors else { return 0 }
            let others = errors.dropFirst().sorted()
            let median = others[others.count / 2]
            func agree(with error: Double) -> Int { others.count { abs($0 - error) <= 1 } }
            let isStray = agree(with: errors[0]) == 0 && agree(with: median) * 2 > others.count
            return isStray ? Int64(median.rounded()) : 0
        }
        return low <= 0 && 0 <= high && high - low > tick / 2 ? 0 : Int64(((low + high) / 2).rounded())
    }

    private mutating func narrow(by off: Double) {
        low = max(low, off - tick / 2)
        high = min(high, off + tick / 2)
        if errors.count < SampleClock.mostErrors { errors.append(off) }
    }
}

/// Cuts positioned audio to a range of samples, with silence for gaps and missing audio at the start.
package struct SampleCut {
    /// How to handle a run of samples.
    package struct Step: Equatable {
        /// Samples of silence before it.
        package var silence: Int
        /// The samples to keep.
        package var keep: Range<Int>
    }
    /// The first sample of the range.
    package let start: Int64
    /// The first sample after it; nil: to the end of the track.
    package let end: Int64?
    /// The next sample wanted.
    package private(set) var next: Int64

    /// A cut to [start, end).
    package init(start: Int64, end: Int64?) {
        self.start = start
        self.end = end
        next = start
    }

    /// All samples of the range have arrived.
    package var isDone: Bool { end.map { next >= $0 } ?? false }

    /// How to handle the samples `position ..< position + count`.
    package mutating func offer(position: Int64, count: Int) -> Step {
        let stop = min(position + Int64(count), end ?? .max)
        let from = max(position, next)
        guard from < stop else {
            // The whole run is before the wanted range or after the end: then only silence up to the end remains.
            guard let end, position >= end, next < end, next > start else {
                return Step(silence: 0, keep: 0..<0)
            }
            defer { next = end }
            return Step(silence: Int(end - next), keep: 0..<0)
        }
        defer { next = stop }
        return Step(silence: Int(from - next), keep: Int(from - position)..<Int(stop - position))
    }
}
