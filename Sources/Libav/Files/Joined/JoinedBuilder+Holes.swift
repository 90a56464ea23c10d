// Where a joined source has nothing to show: while the playlist says so, and where pieces lack a track that others have. Pure.
internal import CFFmpeg
internal import MediaTime

extension JoinedBuilder {
    /// The times without media of the whole file, or of one of its tracks, in order.
    /// - Parameter isAlone: no other file is played with it.
    func holes(_ offsets: [Time], _ limits: JoinedEnds, isAlone: Bool) -> [JoinedSource.Hole] {
        var holes: [JoinedSource.Hole] = []
        /// The hole of each track that the last piece left open.
        var open: [Int: (start: Time, end: Time)] = [:]
        var last: Time?
        let timed = tracks.indices.filter {
            [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(tracks[$0].kind)
        }
        /// A hole that all tracks of the file have; other files may go on meanwhile.
        func add(_ start: Time, _ end: Time, at place: JoinedSource.Hole.Place) {
            guard start < end else { return }
            for track in isAlone ? [nil] : timed.map(Optional.some) {
                let isHeld = track.map { tracks[$0].kind == AVMEDIA_TYPE_VIDEO }
                holes.append(
                    JoinedSource.Hole(
                        start: start, end: end, track: track, place: place,
                        isHeld: isHeld ?? timed.contains { tracks[$0].kind == AVMEDIA_TYPE_VIDEO }))
            }
        }
        for (piece, offset) in zip(measured, offsets) {
            let times = piece.times
            let (first, end) = (times.first + offset, times.end + offset)
            if times.gap > .zero {
                add(last ?? limits.start, first, at: last == nil ? .beginning : .within)
            }
            for track in timed {
                if times.tracks[track] == nil {
                    open[track] = (open[track]?.start ?? first, end)
                } else if let hole = open.removeValue(forKey: track) {
                    holes.append(
                        JoinedSource.Hole(
                            start: hole.start, end: hole.end, track: track, place: .within, isHeld: false))
                }
            }
            last = max(last ?? end, end)
        }
        holes += open.map {
            JoinedSource.Hole(start: $1.start, end: $1.end, track: $0, place: .within, isHeld: false)
        }
        if gap > .zero, let last { add(last, limits.end, at: .end) }
        return holes.sorted { ($0.start, $0.track ?? -1) < ($1.start, $1.track ?? -1) }
    }
}
