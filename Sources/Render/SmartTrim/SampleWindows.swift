// Windows of stored samples that were read before, since plans for several presets and file types of one range need the same ones.
// Owned by one check, which reads one source; used on its thread. It reads nothing itself: KeyframeIndex does.
internal import Media
internal import Source

/// The windows that were read.
package final class SampleWindows {
    /// The windows of [start, end); nil: the track has samples without times.
    typealias Pair = (opening: SampleWindow, closing: SampleWindow?)?

    /// The parameters that a pair depends on besides the source.
    private struct Key: Hashable {
        let track: Int
        let start: Int64
        let end: Int64?
    }

    private var pairs: [Key: Pair] = [:]

    package init() {}

    /// The windows of [start, end) of a track; read with `index` unless they were before.
    func windows(_ index: KeyframeIndex, start: Int64, end: Int64?) throws(MediaError) -> Pair {
        let key = Key(track: index.track.index, start: start, end: end)
        if let known = pairs[key] { return known }
        let pair = try index.windows(start: start, end: end)
        pairs[key] = .some(pair)
        return pair
    }
}
