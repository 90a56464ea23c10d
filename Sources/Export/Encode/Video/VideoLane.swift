// The encoding of the video track, for the muxer: a chain over the whole output.
internal import Libav
internal import Media
internal import MediaTime

/// The encoding of the video track.
final class VideoLane: Lane {
    let track: Track
    let opening = LaneQueue<LaneOpening>(capacity: 1)
    /// Encoders delay packets and return several at once; this capacity keeps them from waiting for the muxer.
    let packets = LaneQueue<Packet>(capacity: 16)
    private let chain: VideoChain

    init(_ plan: VideoPlan, of whole: ExportPlan, source: SourceFile, strict: Bool, diagnostics: Diagnostics)
    {
        track = plan.track
        let work = VideoWork(
            plan: plan, segments: whole.segments, origin: whole.origin, source: source, strict: strict,
            diagnostics: diagnostics)
        chain = VideoChain(work, to: packets) { [opening] encoder in
            _ = opening.send(VideoLane.opening(of: work, with: encoder))
        }
    }

    func start() {
        chain.start { [opening] error in
            if let error { opening.end(error) } else { opening.end() }
        }
    }

    func abandon() { chain.abandon() }

    private static func opening(of work: VideoWork, with encoder: Encoder) -> LaneOpening {
        let plan = work.plan
        var result = TrackResult(
            index: 0, source: work.track.index, kind: .video, codec: plan.settings.codec, way: .encode,
            actual: TimeSpan(
                start: work.segments.start, end: work.segments.end ?? work.segments.start))
        (result.width, result.height) = (plan.width, plan.height)
        if plan.pass != nil { result.passes = 2 }
        return LaneOpening(
            coding: .encoder(encoder), timebase: plan.timebase, track: work.track, result: result)
    }
}
