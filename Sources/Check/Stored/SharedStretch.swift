// The longest stretch of a track whose samples lie in blocks that the output shares with its source: of those the index says enough.
// Pure.
internal import Libav

/// Samples of one track, one after another in decoding order, whose bytes are all shared at least in part.
struct SharedStretch: Hashable {
    /// By their number in the track.
    let samples: Range<Int>
    /// From the first one's beginning to the last one's end.
    let bytes: Range<Int64>

    /// A shorter one is read.
    static let usualLeast = 500

    /// The longest stretch after the first sample; nil: there is none worth a seek.
    /// - Parameters:
    ///   - all: all samples of the track.
    ///   - least: samples of one that is worth it.
    init?(_ all: [IndexedSample], in shared: SharedBytes, least: Int = usualLeast) {
        var (best, begin) = (0..<0, 1)
        for index in all.indices.dropFirst() {
            let isAfterLast = all[index].bytes.lowerBound >= all[index - 1].bytes.upperBound
            guard shared.overlaps(all[index].bytes) else {
                begin = index + 1
                continue
            }
            if !isAfterLast { begin = index }
            if index + 1 - begin > best.count { best = begin..<(index + 1) }
        }
        guard best.count >= least else { return nil }
        samples = best
        bytes = all[best.lowerBound].bytes.lowerBound..<all[best.upperBound - 1].bytes.upperBound
    }
}
