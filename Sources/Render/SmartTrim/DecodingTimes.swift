// Computes decoding times for a whole output from presentation times alone: the i-th sample in decoding order is decoded when the
// frame shown `delay` frames earlier is. The times hold across every join between copied and encoded spans, whatever the decoding
// times of the spans were. Pure; sees each sample once and keeps as many as the delay.
internal import MediaTime

/// Assigns decoding times to samples, in decoding order.
struct DecodingTimes {
    /// A sample would be decoded later than it is shown: the reordering is deeper than `delay`.
    struct DelayTooSmall: Error {}

    /// Reorder delay, in frames.
    let delay: Int
    /// Ticks between the first frames, for the times before the first frame.
    private let step: Int64
    /// Presentation times seen and not yet used, ascending.
    private var waiting: [Int64] = []
    private var count = 0
    private var first: Int64 = 0
    /// Decoding times due before the first frame is shown.
    private(set) var last: Int64?

    /// - Parameters:
    ///   - delay: reorder delay in frames; at least the largest number of positions by which a frame moves forward.
    ///   - step: usual ticks between frames, at least 1.
    ///   - first: the earliest presentation time of the whole output.
    init(delay: Int, step: Int64, first: Int64) {
        self.delay = delay
        self.step = max(1, step)
        self.first = first
    }

    /// Returns the decoding time of the next sample.
    mutating func next(pts: Int64) throws(DelayTooSmall) -> Int64 {
        waiting.insert(pts, at: waiting.partitioningIndex { $0 > pts })
        defer { count += 1 }
        let dts: Int64
        if count < delay {
            dts = first - Int64(delay - count) * step
        } else {
            dts = waiting.removeFirst()
        }
        guard dts <= pts, last.map({ dts > $0 }) ?? true else { throw DelayTooSmall() }
        last = dts
        return dts
    }

    /// Returns the delay that a run of samples in decoding order needs.
    static func delay(of pts: some Collection<Int64>) -> Int {
        let sorted = pts.sorted()
        var delay = 0
        for (index, time) in pts.enumerated() {
            delay = max(delay, index - sorted.partitioningIndex { $0 >= time })
        }
        return delay
    }
}
