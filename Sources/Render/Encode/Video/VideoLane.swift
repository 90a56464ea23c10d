// The encoding of the video track, for the muxer: a chain over the whole output.
package import Libav
package import Media
internal import MediaTime
internal import Source

/// The encoding of the video track.
package final class VideoLane: Lane {
    package let track: Track
    package let opening = LaneQueue<LaneOpening>(capacity: 1)
    /// Encoders delay packets and return several at once; this capacity keeps them from waiting for the muxer.
    package let packets = LaneQueue<Packet>(capacity: 16)
    private let chain: VideoChain

    convenience init(
        _ plan: VideoPlan, of whole: ExportPlan, source: SourceFile, strict: Bool, diagnostics: Diagnostics
    ) {
        self.init(
            VideoWork(
                plan: plan, segments: whole.segments, origin: whole.origin, source: source, strict: strict,
                diagnostics: diagnostics, subtitles: whole.subtitles,
                encodingThreads: whole.isReproducible ? 1 : nil))
    }

    /// A lane of an interval.
    package init(_ work: VideoWork) {
        track = work.track
        chain = VideoChain(work, to: packets) { [opening] format in
            _ = opening.send(VideoLane.opening(of: work.plan, work.segments, with: format))
        }
    }

    package func start() {
        chain.start { [opening] error in
            if let error { opening.end(error) } else { opening.end() }
        }
    }

    package func abandon() { chain.abandon() }

    /// The opening of an encoded video track.
    static func opening(
        of plan: VideoPlan, _ segments: Segments, with format: EncodedFormat
    ) -> LaneOpening {
        var result = TrackResult(
            index: 0, source: plan.track.index, kind: .video, codec: plan.settings.codec, way: .encode,
            actual: TimeSpan(start: segments.start, end: segments.end ?? segments.start))
        (result.width, result.height) = (plan.width, plan.height)
        if plan.isTwoPass { result.passes = 2 }
        return LaneOpening(
            coding: .encoded(format), timebase: plan.timebase, track: plan.track, result: result)
    }
}
