// Where a track of a playlist, a chained file or an edit list goes on with other parameters or packets, so that one copy cannot hold both.
package import Libav
package import Media
package import MediaTime
package import Source

/// A track of a playlist or a chained file that goes on with other parameters, or in another link, within an export.
package struct ParameterChange {
    /// When it does, in asset time.
    package let time: Time
    /// The export has some of the track with the parameters of most of the film, and the rest can be encoded to follow it.
    let canBeConverted: Bool

    package let cause: Cause

    /// Why its parameters change.
    package enum Cause { case discontinuity, link, editList }

    /// Decoders of copied audio begin this long before a range.
    private static let lead = Time(1, 4)

    /// The first change in the ranges of an export; nil: the track has the parameters of most of the film in all of them.
    package init?(of track: Track, in source: SourceFile, origin: Time, _ segments: Segments) {
        guard let (joined, number) = source.joined(of: track.index) else {
            guard track.kind == .audio,
                let seam = ParameterChange.seam(of: track, in: source, origin, segments)
            else { return nil }
            (time, canBeConverted, cause) = (seam, false, .editList)
            return
        }
        cause = joined.isChain ? .link : .discontinuity
        let lead = track.kind == .audio ? ParameterChange.lead : .zero
        for segment in segments.all {
            let from = max(.zero, segment.start - lead) + origin
            let to = segment.end.map { $0 + origin }
            let link = joined.link(of: number, from: segment.start + origin, to: to)
            let change =
                (joined.isChain ? link : nil) ?? joined.change(of: number, from: from, to: to) ?? link
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

    /// The first place in the ranges of an export where parts of an edit list meet inside packets of audio, or just before a range, so that
    /// other packets precede it than those that its decoder needs; nil: there is none.
    private static func seam(
        of track: Track, in source: SourceFile, _ origin: Time, _ segments: Segments
    ) -> Time? {
        for (end, start) in source.editSeams(of: track.index) {
            let (end, start) = (
                track.timebase.time(ofTicks: end) - origin, track.timebase.time(ofTicks: start) - origin
            )
            for segment in segments.all
            where segment.start < start + lead && segment.end.map({ $0 > end }) ?? true
                && !(segment.start >= end && segment.end.map({ $0 <= start }) ?? false)
            {
                return max(segment.start, end)
            }
        }
        return nil
    }

    /// For users.
    package var sentence: String {
        switch cause {
        case .discontinuity: "its parameters are others from \(time.clock()) on"
        case .link: "another link of the chained file begins at \(time.clock())"
        case .editList: "another part of the edit list begins at \(time.clock())"
        }
    }
}
