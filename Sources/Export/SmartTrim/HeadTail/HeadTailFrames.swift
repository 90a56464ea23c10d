// What the source shows at the encoded ends, written down while they are decoded to be encoded, so that looking at the
// finished output need not decode the source there once more. Filled by a lane, read when the output is complete; any
// thread. It keeps what tells pictures apart, not the pictures.
internal import Libav
internal import MediaTime
internal import Synchronization

/// The pictures of the source around the cut points of one track.
final class HeadTailFrames: Sendable {
    /// A picture of the source.
    struct Picture: Sendable {
        /// Its asset time.
        var time: Time
        /// Its presentation time in the track's ticks.
        var pts: Int64
        var signature: FrameSignature
    }
    /// Pictures that follow each other without a gap, as they are written down: all of a short span, of a long one those at
    /// its two ends, since nobody looks at the others.
    struct Span: Sendable {
        /// So many from its beginning are kept.
        private let most: Int
        /// So many from its end are kept.
        private let beside: Int
        private var opening: [Picture] = []
        private var closing: [Picture] = []
        private(set) var count = 0
        /// Nothing follows the last one.
        private(set) var reachesEnd = false

        /// An empty span.
        /// - Parameters:
        ///   - most: pictures of a span that is looked at as a whole.
        ///   - beside: pictures that are looked at on one side of a cut point.
        init(most: Int, beside: Int) {
            (self.most, self.beside) = (max(1, most), max(1, beside))
        }

        /// Adds the next picture.
        mutating func append(_ picture: Picture) {
            count += 1
            guard opening.count >= most else { return opening.append(picture) }
            closing.append(picture)
            // What is let go is let go many at a time.
            if closing.count >= 2 * beside { closing.removeFirst(closing.count - beside) }
        }

        /// Says whether pictures follow the last one, which may be cut off where they do: then it only says how far they are
        /// known.
        mutating func finish(reachesEnd: Bool) { self.reachesEnd = reachesEnd }

        /// Pictures that are kept.
        var kept: Int { opening.count + closing.count }

        /// The pictures that begin between two times; nil where not all of them are known.
        fileprivate func pictures(from: Time, to: Time) -> [Picture]? {
            let runs = opening.count + closing.count == count ? [opening + closing] : [opening, closing]
            for (index, run) in runs.enumerated() {
                guard let first = run.first, let last = run.last, first.time <= from else { continue }
                let isKnown = to <= last.time || (reachesEnd && index == runs.count - 1)
                if isKnown { return run.filter { $0.time >= from && $0.time < to } }
            }
            return nil
        }
    }

    private let spans = Mutex<[Span]>([])

    /// Takes a span that is complete.
    func record(_ span: Span) { spans.withLock { $0.append(span) } }

    /// The pictures that begin in a span of asset time; nil where it does not know all of it.
    func pictures(from: Time, to: Time) -> [Picture]? {
        spans.withLock { spans in spans.lazy.compactMap { $0.pictures(from: from, to: to) }.first }
    }
}
