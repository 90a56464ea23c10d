// Where a playlist's pieces have nothing to show: words for users. Pure.
internal import Libav
internal import Media
internal import MediaTime

extension SourceFile {
    /// Warns of the times of an export in which there is nothing of a track, or of all.
    func warn(ofHolesIn segments: Segments, origin: Time, _ diagnostics: Diagnostics) {
        for hole in joined?.holes ?? [] {
            let (start, end) = (hole.start - origin, hole.end - origin)
            let matters = segments.all.contains { segment in
                start < segment.end ?? .positiveInfinity && end > segment.start
            }
            guard matters else { continue }
            diagnostics.warn(Warning(.gap, hole.words(origin), time: start, track: hole.track))
        }
    }

    /// The same of the whole source, as faults of it.
    func faults(ofHoles origin: Time) -> [Fault] {
        (joined?.holes ?? []).prefix(SourceFile.mostFaults).map { hole in
            Fault(.gap, hole.words(origin), track: hole.track)
        }
    }

    private static let mostFaults = 50

    /// The format that all parts of a joined track are converted to, wherever a range begins: the first one's; nil: it is not joined.
    func joinedFormat(of track: Track) -> AudioFormat? {
        joined(of: track.index).flatMap { _ in track.audio }
    }
}

extension JoinedSource.Hole {
    /// The track, and from when to when it is missing in asset time.
    fileprivate func words(_ origin: Time) -> String {
        let times = "from \((start - origin).clock()) to \((end - origin).clock())"
        guard track == nil else { return "the track has nothing \(times)" }
        return "the playlist has no media \(times): the frame before is held, and there is no sound"
    }
}
