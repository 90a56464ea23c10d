// Records the source frames of the encoded head and tail while they are decoded for encoding, so that the check of the finished
// output need not decode the source again. Filled by a lane, read when the output is complete; usable from any thread. Stores
// signatures, not pixels.
internal import Libav
internal import MediaTime
internal import Synchronization

/// The source frames around the cut points of one track.
final class HeadTailFrames: Sendable {
    /// A frame of the source.
    struct SourceFrame: Sendable {
        /// Its asset time.
        var time: Time
        /// Its presentation time in the track's ticks.
        var pts: Int64
        var signature: FrameSignature
    }
    /// Consecutive frames as recorded: all of a short span, and of a long one the first and last, since no check uses the others.
    struct Span: Sendable {
        /// Frames kept from the beginning.
        private let most: Int
        /// Frames kept from the end.
        private let beside: Int
        private var opening: [SourceFrame] = []
        private var closing: [SourceFrame] = []
        private(set) var count = 0
        /// Nothing follows the last frame.
        private(set) var reachesEnd = false
        /// Something did not decode, here or from the sync sample before on.
        var isDamaged = false

        /// Creates an empty span.
        /// - Parameters:
        ///   - most: frames of a span that is checked as a whole.
        ///   - beside: frames checked on one side of a cut point.
        init(most: Int, beside: Int) {
            (self.most, self.beside) = (max(1, most), max(1, beside))
        }

        /// Whether the next frame is one of the first, which are all kept.
        var isOpening: Bool { opening.count < most }

        /// Counts the next frame, which no check uses: it is neither one of the first nor of the last.
        mutating func skip() {
            count += 1
            closing.removeAll(keepingCapacity: true)
        }

        /// Adds the next frame.
        mutating func append(_ frame: SourceFrame) {
            count += 1
            guard opening.count >= most else { return opening.append(frame) }
            closing.append(frame)
            // Removes frames in batches.
            if closing.count >= 2 * beside { closing.removeFirst(closing.count - beside) }
        }

        /// Records whether frames follow the last one. It may be cut off where they do: then it only marks how far the frames are
        /// known.
        mutating func finish(reachesEnd: Bool) { self.reachesEnd = reachesEnd }

        /// Number of frames kept.
        var kept: Int { opening.count + closing.count }

        /// The frames that begin between two times; nil if not all of them are known.
        fileprivate func frames(from: Time, to: Time) -> [SourceFrame]? {
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

    /// Adds a complete span.
    func record(_ span: Span) { spans.withLock { $0.append(span) } }

    /// The frames that begin in a span of asset time; nil if not all of it is known.
    func frames(from: Time, to: Time) -> [SourceFrame]? {
        spans.withLock { spans in spans.lazy.compactMap { $0.frames(from: from, to: to) }.first }
    }

    /// The same, where all decoded without damage.
    func soundFrames(from: Time, to: Time) -> [SourceFrame]? {
        spans.withLock { spans in
            spans.lazy.filter { !$0.isDamaged }.compactMap { $0.frames(from: from, to: to) }.first
        }
    }
}
