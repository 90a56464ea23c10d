// Decoding times for a whole output, made from presentation times alone: the i-th sample in decoding order is decoded
// when the picture shown `delay` pictures earlier is. They hold across every seam between copied and encoded spans,
// whatever the spans' own decoding times were. Pure; sees each sample once, and keeps as many as the delay.
internal import MediaTime

/// Gives samples their decoding times, in the order in which they are decoded.
struct DecodingTimes {
    /// A sample is decoded later than it is shown: more pictures are out of order than `delay` says.
    struct DelayTooSmall: Error {}

    /// Pictures that are held back.
    let delay: Int
    /// Ticks between the first pictures, for the times before the first picture.
    private let step: Int64
    /// Presentation times seen and not yet used, ascending.
    private var waiting: [Int64] = []
    private var count = 0
    private var first: Int64 = 0
    /// Decoding times that are due before the first picture's own.
    private(set) var last: Int64?

    /// - Parameters:
    ///   - delay: pictures held back; at least the largest number of places by which a picture moves forwards.
    ///   - step: usual ticks between pictures, at least 1.
    ///   - first: the earliest presentation time of the whole output.
    init(delay: Int, step: Int64, first: Int64) {
        self.delay = delay
        self.step = max(1, step)
        self.first = first
    }

    /// The decoding time of the next sample.
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

    /// The delay that a run of samples in decoding order needs.
    static func delay(of pts: some Collection<Int64>) -> Int {
        let sorted = pts.sorted()
        var delay = 0
        for (index, time) in pts.enumerated() {
            delay = max(delay, index - sorted.partitioningIndex { $0 >= time })
        }
        return delay
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies a condition that all after it satisfy too.
    func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
