// What the source shows at the encoded ends, written down while they are decoded to be encoded, so that looking at the
// finished output need not decode the source there once more. Filled by a lane, read when the output is complete; any
// thread. It keeps what tells pictures apart, not the pictures.
internal import Libav
internal import MediaTime
internal import Synchronization

/// The pictures of the source around the cut points of one track.
final class EdgeWitness: Sendable {
    /// A picture of the source.
    struct Picture: Sendable {
        /// Its asset time.
        var time: Time
        /// Its presentation time in the track's ticks.
        var pts: Int64
        var signature: FrameSignature
    }
    /// Pictures that follow each other without a gap.
    private struct Span {
        var pictures: [Picture]
        /// Nothing follows the last one.
        var reachesEnd: Bool
    }

    private let spans = Mutex<[Span]>([])

    /// Takes pictures that follow each other. The last one may be cut off where `reachesEnd` is false: it only says how
    /// far they are known.
    func record(_ pictures: [Picture], reachesEnd: Bool) {
        spans.withLock { $0.append(Span(pictures: pictures, reachesEnd: reachesEnd)) }
    }

    /// The pictures that begin in a span of asset time; nil where it does not know all of it.
    func pictures(from: Time, to: Time) -> [Picture]? {
        spans.withLock { spans in
            let known = spans.first { span in
                guard let first = span.pictures.first, let last = span.pictures.last else { return false }
                return first.time <= from && (span.reachesEnd || to <= last.time)
            }
            return known?.pictures.filter { $0.time >= from && $0.time < to }
        }
    }
}
