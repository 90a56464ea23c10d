// The parts of a range between the changes of a track's parameters, or of the media that its edit list shows: those that can be copied,
// and those that must be converted.
internal import Libav
internal import Media
internal import MediaTime
internal import Source

/// A part of a range with one set of parameters.
struct ParameterRun: Hashable {
    /// The part, at its place in the output.
    var segment: Segment
    /// It has the parameters of the track, which are those of most of the film.
    var isMain: Bool

    /// Where a run begins, in asset time, and where the one before it ends if that is earlier.
    private struct Change {
        var start: Time
        var isMain: Bool
        var endBefore: Time?
    }

    /// The runs of a part of a source, in order; the whole part, where nothing changes.
    static func of(_ track: Track, in source: SourceFile, origin: Time, _ segment: Segment) -> [ParameterRun]
    {
        let changes: [Change]
        if let (joined, number) = source.joined(of: track.index) {
            changes = joined.changes(of: number).map { Change(start: $0.start - origin, isMain: $0.isMain) }
        } else {
            // Where parts of an edit list meet, samples are decoded that are not shown. Between them the last frame is held.
            let seams = source.editSeams(of: track.index).map { end, start in
                let (end, start) = (track.timebase.time(ofTicks: end), track.timebase.time(ofTicks: start))
                return Change(start: start - origin, isMain: true, endBefore: end - origin)
            }
            guard !seams.isEmpty else { return [ParameterRun(segment: segment, isMain: true)] }
            changes =
                [Change(start: segment.start, isMain: true)] + seams.filter { $0.start > segment.start }
        }
        var runs: [ParameterRun] = []
        for (index, change) in changes.enumerated() {
            let next = index + 1 < changes.count ? changes[index + 1] : nil
            let from = index == 0 ? segment.start : max(change.start, segment.start)
            var to = [next?.start, segment.end].compactMap(\.self).min()
            if let next, to == next.start, let end = next.endBefore, end > from { to = min(end, next.start) }
            if let to, to <= from { continue }
            if let end = segment.end, end <= from { continue }
            var part = segment
            (part.start, part.end, part.at) = (from, to, segment.output(from))
            runs.append(ParameterRun(segment: part, isMain: change.isMain))
        }
        return runs.isEmpty ? [ParameterRun(segment: segment, isMain: true)] : runs
    }
}
