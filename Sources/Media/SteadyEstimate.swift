// SteadyEstimate: passes an estimate of the time left on once it is steady: at the beginning of an export the speed says little, and a
// time that jumps between a minute and an hour is worse than none. Pure: whoever asks gives the time.

/// An estimate of the time left that is shown once it is steady.
public struct SteadyEstimate: Hashable, Sendable {
    private struct Sample: Hashable {
        var at: Double
        /// When it says that all is done.
        var end: Double
    }

    private var samples: [Sample] = []
    private var isSteady = false

    /// Seconds for which the estimates have to agree, and the most of them that are kept.
    private static let time = 3.0, mostSamples = 64
    /// How far the ends that they foresee may lie apart: so many seconds, or this share of the time left.
    private static let tolerance = (seconds: 2.0, share: 0.25)

    /// Creates an estimate without a value.
    public init() {}

    /// Takes an estimate, in seconds; nil: there is none.
    /// - Parameter now: seconds of a monotonic clock.
    /// - Returns: the seconds left; nil until the estimates of some seconds have agreed.
    public mutating func take(_ remaining: Double?, at now: Double) -> Double? {
        guard let remaining, remaining.isFinite, remaining >= 0 else { return nil }
        guard !isSteady else { return remaining }
        // One that disagrees with those before it begins anew.
        let allowed = max(SteadyEstimate.tolerance.seconds, remaining * SteadyEstimate.tolerance.share)
        let end = now + remaining
        if let last = samples.lastIndex(where: { abs($0.end - end) > allowed }) {
            samples.removeFirst(last + 1)
        }
        if samples.count >= SteadyEstimate.mostSamples { samples.remove(at: 1) }
        samples.append(Sample(at: now, end: end))
        isSteady = samples.count > 2 && now - (samples.first?.at ?? now) >= SteadyEstimate.time
        return isSteady ? remaining : nil
    }
}
