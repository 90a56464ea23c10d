// Which subtitles a preview shows, and how they come onto its frames: drawn as an export draws them, with styles, places and pictures.
// Runs on the caller's queue; decides nothing about exports.
internal import Libav
internal import Media
internal import MediaTime
internal import Render
internal import Source

/// The subtitles of a track on the frames of a preview.
struct PreviewSubtitles {
    let track: Track
    let source: SourceFile
    let origin: Time
    let diagnostics: Diagnostics

    /// How far before a part events are looked for in containers without an index of subtitles; they are rarely shown longer.
    static let lookBack = Time(30, 1)

    /// Draws on frames with the size and the colours of a plan. Frames are given with asset times, best in their order.
    /// - Parameter start: of the first frame, in asset time.
    func drawing(
        on plan: VideoPlan, colors: VideoFilterChain, from start: Time
    ) throws(MediaError) -> BurnedSubtitles? {
        var plan = plan
        plan.burned = track
        let work = VideoWork(
            plan: plan, segments: Segments(start: start, end: nil), origin: origin, source: source,
            strict: false, diagnostics: diagnostics)
        return try BurnedSubtitles(work, colors: colors, lookBack: PreviewSubtitles.lookBack)
    }
}

extension Asset {
    /// A subtitle track that can be read.
    /// - Parameters:
    ///   - kind: how the tracks that fit are called in errors.
    ///   - fits: which tracks are named as others to choose.
    func subtitles(
        _ number: Int, of source: SourceFile, named kind: String = "subtitle tracks",
        where fits: (Track) -> Bool = { _ in true }
    ) throws(MediaError) -> Track {
        guard let chosen = tracks.first(where: { $0.index == number && $0.kind == .subtitle }) else {
            let known = tracks.filter { $0.kind == .subtitle && fits($0) }.map { "\($0.index)" }
            throw MediaError(
                .noSourceTrack, "\(source.name) has no subtitle track \(number)", track: number,
                remedy: known.isEmpty
                    ? "it has no \(kind)" : "its \(kind) are \(known.joined(separator: ", "))")
        }
        guard chosen.isDecodable, !chosen.isProtected else {
            throw MediaError(
                chosen.isProtected ? .contentIsProtected : .decoderNotFound,
                "the subtitles of track \(number) cannot be decoded: \(chosen.obstacleWords)", track: number)
        }
        return chosen
    }
}
