// The polarity of a track's sound, all along: one bit a sample, so that hours fit into a few megabytes. Two files with the same sound have
// it in common, whatever codec and loudness. Pure.
internal import Glibc

/// The polarity of the sound of a track, its channels mixed, at the rate of `ChannelLevels`.
struct SoundTrace {
    /// Samples that are compared together: a quarter of a second.
    static let span = ChannelLevels.rate / 4

    private var words: [UInt64] = []
    /// The mean of the sound so far, which is no sound.
    private var mean: Float = 0
    /// Samples over which it is taken: a twentieth of a second.
    private static let memory = Float(ChannelLevels.rate / 20)

    /// Adds samples of each channel that begin at a position.
    mutating func add(_ samples: [[Float]], at position: Int) {
        guard let first = samples.first else { return }
        for index in first.indices where position + index >= 0 {
            var sum: Float = 0
            for channel in samples where channel[index].isFinite { sum += channel[index] }
            mean += (sum - mean) / SoundTrace.memory
            guard sum > mean else { continue }
            let place = position + index
            while words.count <= place / 64 { words.append(0) }
            words[place / 64] |= 1 << UInt64(place % 64)
        }
    }

    /// 64 bits from a position on.
    private func word(at position: Int) -> UInt64 {
        let (index, shift) = (position >> 6, UInt64(position & 63))
        func part(_ index: Int) -> UInt64 { words.indices.contains(index) ? words[index] : 0 }
        return shift == 0 ? part(index) : part(index) >> shift | part(index + 1) << (64 - shift)
    }

    /// The part of a span's samples that have the polarity of another trace's, which lie so many samples later: half of those of other sound.
    private func agreement(with other: SoundTrace, at span: Int, later lag: Int) -> Double {
        let (first, count) = (span * SoundTrace.span, SoundTrace.span / 64)
        var equal = 0
        for index in 0..<count {
            equal +=
                (~(word(at: first + 64 * index) ^ other.word(at: first + 64 * index + lag))).nonzeroBitCount
        }
        return Double(equal) / Double(64 * count)
    }

    // MARK: Comparison

    /// Lags that are searched, in samples, for the whole and then for each span: 25 ms, and 1 ms.
    private static let farthest = 200, near = 8
    /// The middle agreement from which on the codec keeps enough to say what is other sound: Opus at 6 kbit/s has 0.6.
    private static let certain = 0.75
    /// Other sound agrees by chance, and at the best of several lags: less than this part of the usual excess over a half.
    private static let excess = 0.45
    /// So many spans in a row are no accident of a codec.
    private static let fewest = 2

    /// The first spans in a row whose sound is not that of the source, as samples; nil: there are none, or no statement can be made.
    /// - Parameter spans: those in which both sound.
    func other(than source: SoundTrace, among spans: [Int]) -> Range<Int>? {
        guard spans.count >= 4 * SoundTrace.fewest else { return nil }
        let sampled = stride(from: 0, to: spans.count, by: max(1, spans.count / 32)).map { spans[$0] }
        let farthest = SoundTrace.farthest
        let lags = (-farthest...farthest).map { lag in
            (lag, sampled.reduce(0) { $0 + agreement(with: source, at: $1, later: lag) })
        }
        guard var lag = lags.max(by: { $0.1 < $1.1 })?.0 else { return nil }
        let best = spans.map { span in
            for reach in [SoundTrace.near, farthest] {
                let found = ((lag - reach)...(lag + reach)).map {
                    (agreement(with: source, at: span, later: $0), $0)
                }
                guard let most = found.max(by: { $0.0 < $1.0 }) else { continue }
                // Where the source's times drift, what was cut goes on: each span is looked for beside the one before.
                if most.0 >= SoundTrace.certain { lag = most.1 }
                if most.0 >= SoundTrace.certain || reach == farthest { return most.0 }
            }
            return 0
        }
        let usual = best.sorted()[best.count / 2]
        guard usual >= SoundTrace.certain else { return nil }
        let least = 0.5 + (usual - 0.5) * SoundTrace.excess
        var first: Int?
        for (index, span) in spans.enumerated() {
            let isOther = best[index] < least
            let follows = index > 0 && spans[index - 1] == span - 1
            if let begin = first, !isOther || !follows {
                let end = spans[index - 1] + 1
                if end - begin >= SoundTrace.fewest { return begin * SoundTrace.span..<end * SoundTrace.span }
                first = nil
            }
            if isOther, first == nil { first = span }
        }
        guard let begin = first, let end = spans.last.map({ $0 + 1 }), end - begin >= SoundTrace.fewest else {
            return nil
        }
        return begin * SoundTrace.span..<end * SoundTrace.span
    }
}
