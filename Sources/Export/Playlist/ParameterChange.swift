// Where a track of a playlist goes on with other parameters, so that one copy cannot hold both. Pure.
internal import Libav
internal import Media
internal import MediaTime

/// A track of a playlist or a chained file that goes on with other parameters, or in another link, within an export.
struct ParameterChange {
    /// When it does, in asset time.
    let time: Time
    /// The export has some of the track with the parameters of most of the film, and the rest can be encoded to follow it.
    let canBeConverted: Bool

    /// The source is a playlist, whose discontinuities these are.
    private let isListed: Bool

    /// Decoders of copied audio begin this long before a range.
    private static let lead = Time(1, 4)

    /// The first change in the ranges of an export; nil: the track has the parameters of most of the film in all of them.
    init?(of track: Track, in source: SourceFile, origin: Time, _ segments: Segments) {
        guard let (joined, number) = source.joined(of: track.index) else { return nil }
        isListed = !joined.isChain
        let lead = track.kind == .audio ? ParameterChange.lead : .zero
        for segment in segments.all {
            let from = max(.zero, segment.start - lead) + origin
            let to = segment.end.map { $0 + origin }
            let change =
                joined.change(of: number, from: from, to: to)
                ?? joined.link(of: number, from: segment.start + origin, to: to)
            guard let change else { continue }
            time = max(change - origin, segment.start)
            let runs = segments.all.flatMap { ParameterRun.of(track, in: source, origin: origin, $0) }
            canBeConverted =
                track.kind == .video && track.isBottomFieldFirst == nil && runs.contains(where: \.isMain)
                && HeadTailSetup.canEncode(track.codec)
            return
        }
        return nil
    }

    /// For users.
    var sentence: String {
        isListed
            ? "its parameters are others from \(time.clock()) on (EXT-X-DISCONTINUITY)"
            : "another link of the chained file begins at \(time.clock())"
    }
}
