// Records the source frames of the encoded head and tail while they are decoded for encoding, so that the check of the finished
// output need not decode the source again. Filled by a lane, read when the output is complete; usable from any thread. Stores
// signatures, not pixels.
package import Libav
internal import Media
package import MediaTime
internal import Synchronization

/// The source frames around the cut points of one track.
package final class HeadTailFrames: Sendable {
    /// A frame of the source.
    package struct SourceFrame: Sendable {
        /// Its asset time.
        package var time: Time
        /// Its presentation time in the track's ticks.
        package var pts: Int64
        package var signature: FrameSignature

        package init(time: Time, pts: Int64, signature: FrameSignature) {
            (self.time, self.pts, self.signature) = (time, pts, signature)
        }
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

    /// Frames checked on either side of a join.
    package static let beside = 4
    /// Parts with at most this many frames are checked as a whole: it takes about a second and finds damage too.
    package static let fewFrames = 600
    /// Maximum number of frames checked in one encoded head or tail.
    static let mostAtOneEnd = fewFrames + 2 * (beside + 2)

    private let spans = Mutex<[Span]>([])

    /// Number of frames checked on one side of a cut point.
    static func beside(delay: Int) -> Int { delay + 2 * (beside + 2) }

    /// Ticks of slightly more frames than are checked before a join.
    static func margin(_ track: Track) -> Int64 {
        let rate = max(1, track.video?.frameRate?.value ?? 25)
        return Int64(
            Double(beside + 2) / rate * Double(track.timebase.denominator) / Double(track.timebase.numerator))
    }

    /// Adds a complete span.
    func record(_ span: Span) { spans.withLock { $0.append(span) } }

    /// The frames that begin in a span of asset time; nil if not all of it is known.
    package func frames(from: Time, to: Time) -> [SourceFrame]? {
        spans.withLock { spans in spans.lazy.compactMap { $0.frames(from: from, to: to) }.first }
    }

    /// The same, where all decoded without damage.
    package func soundFrames(from: Time, to: Time) -> [SourceFrame]? {
        spans.withLock { spans in
            spans.lazy.filter { !$0.isDamaged }.compactMap { $0.frames(from: from, to: to) }.first
        }
    }
}
