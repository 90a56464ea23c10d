// Where a playlist's pieces have nothing to show: words for users. Pure.
package import Libav
package import Media
package import MediaTime

extension SourceFile {
    /// Warns of the times of an export in which there is nothing of a track, or of all.
    package func warn(ofHolesIn segments: Segments, origin: Time, _ diagnostics: Diagnostics) {
        for hole in holes {
            let (start, end) = (hole.start - origin, hole.end - origin)
            let matters = segments.all.contains { segment in
                start < segment.end ?? .positiveInfinity && end > segment.start
            }
            guard matters else { continue }
            diagnostics.warn(Warning(.gap, hole.words(origin), time: start, track: hole.track))
        }
    }

    /// The same of the whole source, as faults of it.
    package func faults(ofHoles origin: Time) -> [Fault] {
        holes.prefix(SourceFile.mostFaults).map { hole in
            Fault(.gap, hole.words(origin), track: hole.track)
        }
    }

    /// Those of all its files, in order, with the numbers of its tracks.
    private var holes: [JoinedSource.Hole] {
        var all: [JoinedSource.Hole] = []
        var first = 0
        for file in [self] + companions.map(\.file) {
            guard let joined = file.joined else { break }
            all += joined.holes.map { $0.numbered(from: first) }
            first += joined.trackCount
        }
        return all.sorted { ($0.start, $0.track ?? -1) < ($1.start, $1.track ?? -1) }
    }

    private static let mostFaults = 50

    /// Until when there is silence behind the last audio of a range, in asset time, as the playlist says; nil: a track ends with it.
    package func silentEnd(of track: Track, origin: Time) -> Time? {
        track.kind == .audio ? joined(of: track.index)?.source.silentUntil.map { $0 - origin } : nil
    }

    /// The format that all parts of a joined track are converted to, wherever a range begins: that of most of the film; nil: it is not
    /// joined.
    package func joinedFormat(of track: Track) -> AudioFormat? {
        joined(of: track.index).flatMap { _ in track.audio }
    }
}

extension JoinedSource.Hole {
    /// The track, and from when to when it is missing in asset time.
    fileprivate func words(_ origin: Time) -> String {
        let times = "from \((start - origin).clock()) to \((end - origin).clock())"
        let held = place == .beginning ? "the first frame is held" : "the frame before is held"
        guard track == nil else {
            return "the track has nothing \(times)" + (isHeld ? ": \(held)" : "")
        }
        return "the playlist has no media \(times): "
            + (isHeld ? "\(held), and there is no sound" : "silence")
    }
}
