// Where decoded sound lies, counted in samples: the meaning of "exact" for sound. Pure. Containers round timestamps;
// sound that follows within that rounding is continuous, a larger gap is a gap.
internal import MediaTime

/// Gives each run of decoded samples its place in asset time, in samples of its rate.
struct SampleClock {
    /// Timestamps that are off by no more than this are rounding: real files jitter by up to 1.5 ms.
    private static let tolerance = 0.0015

    private let rate: Int
    /// Samples that one tick of the timestamps covers, at least 1.
    private let tick: Double
    /// The next sample's place if sound is continuous, before the correction.
    private var next: Int64?
    /// What the timestamps allow the true place to be, relative to `next`'s counting.
    private var low = -Double.infinity, high = Double.infinity
    private var settled = false

    /// A clock for a track's sample rate and the time base of its timestamps.
    init(rate: Int, timebase: Timebase) {
        self.rate = rate
        tick = max(1, Double(rate) * Double(timebase.numerator) / Double(timebase.denominator))
    }

    /// The place of a run of samples.
    /// - Parameters:
    ///   - time: its timestamp in asset time; nil where it has none: it follows the one before.
    ///   - count: its samples.
    ///   - following: the timestamp of the run after it, where known: a single stray timestamp is no gap.
    /// - Returns: the place of its first sample. A place beyond the end of the run before is a gap, one before it an
    ///   overlap.
    mutating func place(time: Time?, count: Int, following: Time? = nil) -> Int64 {
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
                // What was given out stands; from here on the new timestamps count.
                if !settled { (low, high) = (-.infinity, .infinity) }
                next = stamped + Int64(count)
                return stamped
            }
            if !settled, !isJump(off) { narrow(by: off) }
        }
        next = expected + Int64(count)
        return expected + correction
    }

    /// From now on places do not shift any more: what was given out must stay continuous.
    mutating func settle() {
        guard !settled, let next else { return }
        self.next = next + correction
        settled = true
        (low, high) = (0, 0)
    }

    /// Off by more than rounding explains.
    private func isJump(_ off: Double) -> Bool {
        abs(off) > max(2, Double(rate) * SampleClock.tolerance) + tick / 2
    }

    private func at(sample time: Time) -> Double { time.multiplied(by: Int64(rate), over: 1).seconds }

    /// The middle of what the timestamps seen so far allow, where they agree with one another.
    private var correction: Int64 {
        guard !settled, tick > 1, low <= high, low.isFinite else { return 0 }
        return low <= 0 && 0 <= high && high - low > tick / 2 ? 0 : Int64(((low + high) / 2).rounded())
    }

    private mutating func narrow(by off: Double) {
        low = max(low, off - tick / 2)
        high = min(high, off + tick / 2)
    }
}

/// Cuts placed sound to a range of samples, with silence for what is missing before and between.
struct SampleCut {
    /// What to do with a run of samples.
    struct Step: Equatable {
        /// Samples of silence before it.
        var silence: Int
        /// The part of it that is kept.
        var keep: Range<Int>
    }
    /// The first sample of the range.
    let start: Int64
    /// The first sample after it; nil: to the end of the track.
    let end: Int64?
    /// The next sample that is wanted.
    private(set) var next: Int64

    /// A cut to [start, end).
    init(start: Int64, end: Int64?) {
        self.start = start
        self.end = end
        next = start
    }

    /// All samples of the range have come.
    var isDone: Bool { end.map { next >= $0 } ?? false }

    /// What to do with the samples `place ..< place + count`.
    mutating func offer(place: Int64, count: Int) -> Step {
        let stop = min(place + Int64(count), end ?? .max)
        let from = max(place, next)
        guard from < stop else {
            // All of it lies before what is wanted, or after the end: then only the silence up to the end is left.
            guard let end, place >= end, next < end, next > start else {
                return Step(silence: 0, keep: 0..<0)
            }
            defer { next = end }
            return Step(silence: Int(end - next), keep: 0..<0)
        }
        defer { next = stop }
        return Step(silence: Int(from - next), keep: Int(from - place)..<Int(stop - place))
    }
}
