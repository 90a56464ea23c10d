// Puts the pieces of files that are played together on one timeline, and makes their sources. Runs on the caller's thread; reads
// nothing.
internal import CFFmpeg
internal import MediaTime

extension JoinedBuilder {
    /// Puts the pieces of several files on one timeline, and makes their sources.
    public static func join(_ files: [JoinedBuilder]) -> [JoinedSource] {
        let times = files.map { $0.measured.map(\.times) }
        let offsets = PiecePlacement.offsets(times)
        let ends = JoinedEnds(
            zip(zip(files, times), offsets).map { file, offsets in
                JoinedEnds.File(pieces: file.1, offsets: offsets, gapAtEnd: file.0.gap)
            })
        return zip(files, offsets).map { $0.joined($1, ends, isAlone: files.count == 1) }
    }

    /// - Parameter isAlone: no other file is played with it.
    private func joined(_ offsets: [Time], _ limits: JoinedEnds, isAlone: Bool) -> JoinedSource {
        let bases = JoinedTimebases.of(
            tracks.indices.map { whole in
                measured.flatMap { piece in
                    piece.piece.tracks.filter { piece.map[$0.index] == whole }.map(\.timebase)
                }
            }, offsets)
        var parameters = tracks.indices.map(self.parameters)
        func number(_ track: MeasuredTrack, _ whole: Int) -> Int {
            if let known = parameters[whole].firstIndex(where: { $0.isSame(as: track.parameters) }) {
                return known
            }
            // Those of tracks that a piece lists and does not have come last: nothing is decoded with them.
            parameters[whole].append(track.parameters)
            return parameters[whole].count - 1
        }
        for (whole, all) in parameters.enumerated() {
            if let main = all.first { template.describe(whole, by: main) }
        }
        let held = tracks.indices.map { whole in
            self.held(whole, bases[whole], offsets, limits)
        }
        var starts: [Int64?] = tracks.map { _ in nil }
        var ends: [Int64?] = tracks.map { _ in nil }
        var pieces: [JoinedSource.Piece] = []
        for (index, (piece, offset)) in zip(measured, offsets).enumerated() {
            var own: [Int: JoinedSource.PieceTrack] = [:]
            for track in piece.piece.tracks {
                guard let whole = piece.map[track.index] else { continue }
                let base = bases[whole]
                let shift = base.ticks(of: offset, rounding: .halfAwayFromZero).ticks
                var first = track.first.map { track.timebase.rescale($0, to: base) &+ shift }
                var end = track.end.map { track.timebase.rescale($0, to: base) &+ shift }
                if index == 0, let head = held[whole].first { first = head.pts &- head.lead }
                if index == measured.count - 1, let tail = held[whole].last {
                    end = tail.pts &+ tail.duration
                }
                starts[whole] = starts[whole] ?? first
                if let end { ends[whole] = max(ends[whole] ?? end, end) }
                own[track.index] = JoinedSource.PieceTrack(
                    track: whole, timebase: track.timebase, offset: shift, start: first, end: end,
                    parameters: number(track, whole), bareKey: index > 0 ? track.bareKey : nil)
            }
            pieces.append(
                JoinedSource.Piece(
                    file: piece.file.source(of: list, pool), part: piece.file.part, offset: offset,
                    tracks: own
                ))
        }
        // Where no frame is held, there is silence.
        let hasGaps = gap > .zero || measured.contains { $0.file.gap > .zero }
        let isSilent =
            isAlone && hasGaps
            && !tracks.indices.contains { tracks[$0].kind == AVMEDIA_TYPE_VIDEO && ends[$0] != nil }
        if isSilent {
            for (index, base) in bases.enumerated() where tracks[index].kind == AVMEDIA_TYPE_AUDIO {
                let stop = base.ticks(of: limits.end, rounding: .halfAwayFromZero).ticks
                ends[index] = ends[index].map { max($0, stop) }
            }
        }
        var last: Int64 = 0
        for (index, base) in bases.enumerated() {
            template.setTimes(
                of: index, base, start: starts[index], end: ends[index],
                isMoved: held[index].first != nil)
            if let end = ends[index] { last = max(last, base.rescale(end, to: .microseconds)) }
        }
        if measured.first?.file.gap ?? .zero > .zero {
            let begins = held.enumerated().compactMap { index, held in
                held.first.map { bases[index].rescale($0.pts &- $0.lead, to: .microseconds) }
            }.min()
            // Without a frame to hold, time passes before the first sample.
            let start = limits.start.converted(to: 1_000_000, rounding: .halfAwayFromZero).value
            if let begins = begins ?? (isAlone ? start : nil) { template.setStart(begins) }
        }
        template.setEnd(last)
        return JoinedSource(
            pieces: pieces,
            tracks: zip(zip(bases, held), parameters).map { base, all in
                JoinedSource.WholeTrack(
                    timebase: base.0, parameters: all,
                    tellsParameters: format?.name == JoinedSource.chain
                        || Set(all.map(\.extradata)).count > 1,
                    held: base.1)
            },
            holes: holes(offsets, limits, isAlone: isAlone), silentUntil: isSilent ? limits.end : nil,
            template: template, format: format ?? ("", ""))
    }

    /// The different parameters of a track; those that most of the film has come first.
    private func parameters(of whole: Int) -> [CodecParameters] {
        var all: [(parameters: CodecParameters, length: Time)] = []
        for piece in measured {
            for track in piece.piece.tracks where piece.map[track.index] == whole {
                guard let first = track.first, let end = track.end else { continue }
                let length = track.timebase.time(ofTicks: end) - track.timebase.time(ofTicks: first)
                if let known = all.firstIndex(where: { $0.parameters.isSame(as: track.parameters) }) {
                    all[known].length += length
                } else {
                    all.append((track.parameters, length))
                }
            }
        }
        let most = all.map(\.length).max()
        guard let main = all.firstIndex(where: { $0.length == most }) else { return [] }
        all.insert(all.remove(at: main), at: 0)
        return all.map(\.parameters)
    }

    /// The frames of a video track that are shown while the playlist has no media at its beginning and its end.
    private func held(
        _ whole: Int, _ base: Timebase, _ offsets: [Time], _ limits: JoinedEnds
    ) -> JoinedSource.Held {
        var held = JoinedSource.Held()
        guard tracks[whole].kind == AVMEDIA_TYPE_VIDEO, let first = measured.first, let last = measured.last,
            let ending = offsets.last, let beginning = offsets.first
        else { return held }
        func ticks(_ own: Int64, _ track: MeasuredTrack, _ offset: Time) -> Int64 {
            track.timebase.rescale(own, to: base) &+ base.ticks(of: offset, rounding: .halfAwayFromZero).ticks
        }
        if first.file.gap > .zero, let track = first.track(whole), let shown = track.first {
            let pts = ticks(shown, track, beginning)
            let start = base.ticks(of: limits.start, rounding: .halfAwayFromZero).ticks
            if start < pts {
                held.first = JoinedSource.HeldFirst(
                    pts: pts, dts: track.firstDecoded.map { ticks($0, track, beginning) }, lead: pts &- start)
            }
        }
        if gap > .zero, let track = last.track(whole), let shown = track.lastShown, let end = track.end {
            let (pts, old) = (ticks(shown, track, ending), ticks(end, track, ending))
            let stop = base.ticks(of: limits.end, rounding: .halfAwayFromZero).ticks
            if stop > old { held.last = JoinedSource.HeldLast(pts: pts, duration: stop &- pts) }
        }
        return held
    }
}
