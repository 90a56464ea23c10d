// Measures the pieces of one file that is joined: opens each, and says which of its tracks is which track of the whole. Runs on the
// caller's thread. It places nothing: `JoinedBuilder+Joining` does.
internal import CFFmpeg
public import MediaTime

/// Why pieces cannot be joined.
public struct JoinError: Error, Hashable, Sendable {
    /// The piece, as its maker placed it.
    public let place: String
    /// The reason.
    public let reason: String
    /// It is not supported, and not damaged.
    public let isRefusal: Bool
}

/// The pieces of one file, measured one after the other.
public final class JoinedBuilder {
    let list: SourceFile
    let pool: SegmentPool
    let template: JoinedTemplate
    private(set) var format: (name: String, longName: String)?
    private(set) var measured: [Placed] = []
    /// The tracks of the whole: the kind, the codec and the language of each, and whether it is the picture of a cover.
    private(set) var tracks: [(kind: AVMediaType, codec: AVCodecID, language: String?, isPicture: Bool)] = []
    /// Time without media before the next piece, or after the last one.
    private(set) var gap = Time.zero
    /// Pieces that were measured, by what they are: the same advertisement comes again and again.
    private var known: [PieceFile.Content: MeasuredPiece] = [:]

    /// A piece, and which track of the whole each of its tracks is.
    struct Placed {
        var file: PieceFile
        var piece: MeasuredPiece
        var map: [Int: Int]

        var times: PieceTimes {
            var tracks: [Int: (first: Time, end: Time)] = [:]
            for track in piece.tracks where track.isTimed {
                guard let whole = map[track.index], let first = track.first, let end = track.end else {
                    continue
                }
                tracks[whole] = (track.timebase.time(ofTicks: first), track.timebase.time(ofTicks: end))
            }
            return PieceTimes(part: file.part, tracks: tracks, wrap: piece.wrap, gap: file.gap)
        }

        /// The track of the piece that is a track of the whole.
        func track(_ whole: Int) -> MeasuredTrack? { piece.tracks.first { map[$0.index] == whole } }
    }

    /// A builder without pieces.
    /// - Parameter list: the file that lists the segments.
    public init(_ list: SourceFile, _ pool: SegmentPool) throws(LibavError) {
        (self.list, self.pool) = (list, pool)
        template = try JoinedTemplate()
    }

    /// Time without media passes after the last piece.
    public func end(after gap: Time) { self.gap += gap }

    /// Measures the next piece.
    /// - Parameter length: its length as the playlist gives it.
    /// - Returns: whether anything in it is shown; if not, its time passes without media.
    public func add(_ file: PieceFile, length: Time) throws(JoinError) -> Bool {
        let opened: Demuxer?
        do throws(LibavError) { opened = known[file.content] == nil ? try open(file) : nil } catch {
            throw JoinError(place: file.place, reason: "\(error)", isRefusal: false)
        }
        if let opened, let format, format.name != opened.format, !file.isFilm {
            throw JoinError(
                place: file.place,
                reason: "it is \(opened.formatName), and what is before is \(format.longName)",
                isRefusal: true)
        }
        do throws(LibavError) {
            if let piece = known[file.content] {
                try take(piece, file, nil)
            } else if let opened {
                let piece =
                    switch file.content {
                    case .segments(let segments, _):
                        try MeasuredPiece(opened, segments: segments.count) {
                            file.source($0, of: list, pool)
                        }
                    case .film(let film): try MeasuredPiece(opened, ends: film.ends)
                    }
                guard !piece.isEmpty else {
                    gap += file.gap + length
                    return false
                }
                try take(piece, file, opened)
                known[file.content] = piece
            }
        } catch {
            throw JoinError(place: file.place, reason: "\(error)", isRefusal: false)
        }
        try check(file)
        return true
    }

    private func open(_ file: PieceFile) throws(LibavError) -> Demuxer {
        do throws(OpenFailure) { return try Demuxer(file.source(of: list, pool)) } catch {
            throw error.asError("opening it")
        }
    }

    /// - Parameter demuxer: of the piece; nil: one that is the same was taken before.
    private func take(
        _ piece: MeasuredPiece, _ file: PieceFile, _ demuxer: Demuxer?
    ) throws(LibavError) {
        if let demuxer, measured.isEmpty {
            template.describe(demuxer)
            format = (demuxer.format, demuxer.formatName)
        }
        var map = matches(of: piece, isFilm: file.isFilm)
        for track in piece.tracks {
            if let whole = map[track.index] {
                if let demuxer, track.isTimed, track.first != nil {
                    try template.note(track, of: demuxer, as: whole)
                }
                template.complete(whole, by: track.parameters)
                continue
            }
            guard let demuxer else { continue }
            map[track.index] = tracks.count
            tracks.append((track.kind, track.codec, track.language, track.isPicture))
            try template.add(track.index, of: demuxer)
            if track.isTimed, track.first != nil {
                try template.note(track, of: demuxer, as: tracks.count - 1)
            }
            if !measured.isEmpty { template.forgetStart(of: tracks.count - 1) }
        }
        var file = file
        file.gap += gap
        gap = .zero
        measured.append(Placed(file: file, piece: piece, map: map))
    }

    /// The tracks of the whole that the tracks of a piece are: of a film of its own those of the same language, then the others in their order.
    private func matches(of piece: MeasuredPiece, isFilm: Bool) -> [Int: Int] {
        var map: [Int: Int] = [:]
        var free = Array(tracks.indices)
        func match(_ track: MeasuredTrack, _ fits: (Int) -> Bool) {
            guard map[track.index] == nil,
                let place = free.firstIndex(where: { whole in
                    // Subtitles of another kind are another track, and so is a cover beside video.
                    let other = tracks[whole]
                    let isAlike = !isFilm || track.kind != AVMEDIA_TYPE_SUBTITLE || other.codec == track.codec
                    return other.kind == track.kind && other.isPicture == track.isPicture && isAlike
                        && fits(whole)
                })
            else { return }
            map[track.index] = free.remove(at: place)
        }
        for track in piece.tracks where isFilm && track.language != nil {
            match(track) { tracks[$0].language == track.language }
        }
        for track in piece.tracks { match(track) { _ in true } }
        return map
    }

    /// Refuses what no decoder of the track follows. Of films of their own each is decoded as it is.
    private func check(_ file: PieceFile) throws(JoinError) {
        guard let last = measured.last, !file.isFilm else { return }
        for track in last.piece.tracks where track.isTimed || track.kind == AVMEDIA_TYPE_SUBTITLE {
            guard let whole = last.map[track.index] else { continue }
            let kind =
                switch track.kind {
                case AVMEDIA_TYPE_VIDEO: "video"
                case AVMEDIA_TYPE_AUDIO: "audio"
                default: "text"
                }
            let codec = tracks[whole].codec
            guard codec == track.codec else {
                let names = [track.codec, codec].map { unsafe text(avcodec_get_name($0)) ?? "unknown" }
                throw JoinError(
                    place: file.place, reason: "its \(kind) is \(names[0]), and that before is \(names[1])",
                    isRefusal: true)
            }
            let first = measured.lazy.compactMap { before in
                before.piece.tracks.first { before.map[$0.index] == whole }
            }.first
            guard track.isTimed, !CodecParameters.following.union(Decoder.reopened).contains(codec),
                let first, first.parameters.extradata != track.parameters.extradata
            else { continue }
            throw JoinError(
                place: file.place,
                reason: "the parameters of its \(kind) are not those before, which its codec cannot change",
                isRefusal: true)
        }
    }

    /// Whether there is anything to show.
    public var isEmpty: Bool { measured.isEmpty }
}

// Where a joined source has nothing to show: while the playlist says so, and where pieces lack a track that others have. Pure.
extension JoinedBuilder {
    /// The times without media of the whole file, or of one of its tracks, in order.
    /// - Parameter isAlone: no other file is played with it.
    func holes(_ offsets: [Time], _ limits: JoinedEnds, isAlone: Bool) -> [JoinedSource.Hole] {
        var holes: [JoinedSource.Hole] = []
        /// The hole of each track that the last piece left open.
        var open: [Int: (start: Time, end: Time)] = [:]
        var last: Time?
        // Pictures of covers have no times.
        let timed = tracks.indices.filter { track in
            [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(tracks[track].kind)
                && measured.contains { $0.times.tracks[track] != nil }
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

// Puts the pieces of files that are played together on one timeline, and makes their sources. Runs on the caller's thread; reads
// nothing.
extension JoinedBuilder {
    /// Puts the pieces of several files on one timeline, and makes their sources.
    public static func join(_ files: [JoinedBuilder]) -> [JoinedSource] {
        let times = files.map { $0.measured.map(\.times) }
        let offsets = PiecePlacement.offsets(times)
        let ends = JoinedEnds(
            zip(zip(files, times), offsets).map { file, offsets in
                JoinedEnds.File(pieces: file.1, offsets: offsets, gapAtEnd: file.0.gap)
            })
        return zip(files, offsets).map {
            $0.joined(Placement(offsets: $1, limits: ends, isAlone: files.count == 1))
        }
    }

    /// Makes the source of pieces that are films of their own, one after the other. What the first piece that has a track says of it holds for
    /// all of the track.
    func join(_ films: [FilmPlace]) -> JoinedSource {
        let offsets = films.map { $0.begin - $0.start }
        let file = JoinedEnds.File(pieces: measured.map(\.times), offsets: offsets, gapAtEnd: .zero)
        return joined(
            Placement(
                offsets: offsets, limits: JoinedEnds([file]), isAlone: true, films: films)
        )
    }

    /// Where a film of its own is.
    struct FilmPlace {
        /// When it begins by its own timestamps.
        var start: Time
        /// When it begins and ends in the whole. Its first frame is shown from its beginning on.
        var begin: Time, end: Time
        /// Its chapters by its own timestamps.
        var chapters: [ContainerChapter]

        /// More than a tick of any container.
        private static let slack = Time(2, 1000)

        /// They in the whole.
        var placedChapters: [ContainerChapter] {
            chapters.map { own in
                let last = own.end - start + begin
                // Seams are moved to ticks.
                return ContainerChapter(
                    start: min(own.start - start + begin, end),
                    end: end - last < FilmPlace.slack ? end : last,
                    title: own.title)
            }
        }
    }

    /// Where the pieces of a file are on the timeline.
    private struct Placement {
        /// Added to the times of each.
        var offsets: [Time]
        /// The first moment and the end of all files.
        var limits: JoinedEnds
        /// No other file is played with it.
        var isAlone: Bool
        /// Films of their own; nil: the pieces are parts of one film.
        var films: [FilmPlace]?

        /// The ticks that are added to the times of a piece. Of a film they move nothing before its beginning, whatever is rounded.
        func shift(_ index: Int, _ base: Timebase) -> Int64 {
            guard let film = films?[index] else {
                return base.ticks(of: offsets[index], rounding: .halfAwayFromZero).ticks
            }
            return base.ticks(of: film.begin, rounding: .halfAwayFromZero).ticks
                &- base.ticks(of: film.start, rounding: .towardNegativeInfinity).ticks
        }

        /// Moves the seams to ticks of the video: they are ticks of it but where a timescale would be too large for all of them, and a frame
        /// that begins with its film must not begin before it.
        mutating func moveSeams(to base: Timebase) {
            guard var films else { return }
            for index in films.indices.dropFirst() {
                let tick = base.ticks(of: films[index].begin, rounding: .halfAwayFromZero).ticks
                films[index].begin = base.time(ofTicks: tick)
                films[index - 1].end = films[index].begin
            }
            self.films = films
        }

        /// The films, for whoever reads the whole.
        var said: JoinedSource.Films? {
            films.map {
                JoinedSource.Films(
                    seams: $0.dropFirst().map(\.begin), end: $0.last?.end ?? .zero,
                    chapters: $0.flatMap(\.placedChapters))
            }
        }
    }

    private func joined(_ whole: Placement) -> JoinedSource {
        var placement = whole
        let (offsets, limits, isAlone) = (placement.offsets, placement.limits, placement.isAlone)
        let bases = JoinedTimebases.of(
            tracks.indices.map { whole in
                measured.flatMap { piece in
                    piece.piece.tracks.filter { piece.map[$0.index] == whole }.map(\.timebase)
                }
            }, offsets)
        if let video = tracks.firstIndex(where: { $0.kind == AVMEDIA_TYPE_VIDEO }) {
            placement.moveSeams(to: bases[video])
        }
        var parameters = tracks.indices.map { self.parameters($0, placement) }
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
        var moved: Set<Int> = []
        var starts: [Int64?] = tracks.map { _ in nil }
        var ends: [Int64?] = tracks.map { _ in nil }
        var pieces: [JoinedSource.Piece] = []
        for (index, (piece, offset)) in zip(measured, offsets).enumerated() {
            var own: [Int: JoinedSource.PieceTrack] = [:]
            for track in piece.piece.tracks {
                guard let whole = piece.map[track.index] else { continue }
                let base = bases[whole]
                let shift = placement.shift(index, base)
                var first = track.first.map { track.timebase.rescale($0, to: base) &+ shift }
                var end = track.end.map { track.timebase.rescale($0, to: base) &+ shift }
                let held = self.held(whole, in: index, base, placement)
                if let head = held.first {
                    first = head.pts &- head.lead
                    if index == 0 { moved.insert(whole) }
                }
                if let tail = held.last { end = tail.pts &+ tail.duration }
                // Behind its end is what encoders add.
                let limit = placement.films.map {
                    base.ticks(of: $0[index].end, rounding: .halfAwayFromZero).ticks
                }
                end = end.map { min($0, limit ?? $0) }
                starts[whole] = starts[whole] ?? first
                if let end { ends[whole] = max(ends[whole] ?? end, end) }
                own[track.index] = JoinedSource.PieceTrack(
                    track: whole, timebase: track.timebase, offset: shift, start: first, end: end,
                    parameters: number(track, whole), bareKey: index > 0 ? track.bareKey : nil,
                    held: held)
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
                isMoved: moved.contains(index))
            if let end = ends[index] { last = max(last, base.rescale(end, to: .microseconds)) }
        }
        if measured.first?.file.gap ?? .zero > .zero {
            let begins = pieces.first?.tracks.values.compactMap { own in
                own.held.first.map { bases[own.track].rescale($0.pts &- $0.lead, to: .microseconds) }
            }.min()
            // Without a frame to hold, time passes before the first sample.
            let start = limits.start.converted(to: 1_000_000, rounding: .halfAwayFromZero).value
            if let begins = begins ?? (isAlone ? start : nil) { template.setStart(begins) }
        }
        if let end = placement.films?.last?.end {
            last = end.converted(to: 1_000_000, rounding: .halfAwayFromZero).value
        }
        template.setEnd(last)
        return JoinedSource(
            pieces: pieces,
            tracks: zip(bases, parameters).map { base, all in
                JoinedSource.WholeTrack(
                    timebase: base, parameters: all,
                    tellsParameters: format?.name == JoinedSource.chain
                        || Set(all.map(\.extradata)).count > 1)
            },
            holes: holes(offsets, limits, isAlone: isAlone), silentUntil: isSilent ? limits.end : nil,
            films: placement.said, template: template, format: format ?? ("", ""))
    }

    /// The different parameters of a track. Those come first that describe it: what most of a film has, or the first of several films.
    private func parameters(_ whole: Int, _ placement: Placement) -> [CodecParameters] {
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
        guard placement.films == nil, let main = all.firstIndex(where: { $0.length == most }) else {
            return all.map(\.parameters)
        }
        all.insert(all.remove(at: main), at: 0)
        return all.map(\.parameters)
    }

    /// The frames of a video track that are shown longer than the media of a piece say: while the playlist has no media at its beginning and
    /// its end, and from where a film of its own begins on.
    private func held(
        _ whole: Int, in index: Int, _ base: Timebase, _ placement: Placement
    ) -> JoinedSource.Held {
        var held = JoinedSource.Held()
        let piece = measured[index]
        guard tracks[whole].kind == AVMEDIA_TYPE_VIDEO, let track = piece.track(whole) else { return held }
        let shift = placement.shift(index, base)
        func ticks(_ own: Int64) -> Int64 { track.timebase.rescale(own, to: base) &+ shift }
        let begin =
            index == 0
            ? (piece.file.gap > .zero ? placement.limits.start : nil) : placement.films?[index].begin
        if let begin, let shown = track.first {
            let pts = ticks(shown)
            let start = base.ticks(of: begin, rounding: .halfAwayFromZero).ticks
            if start < pts {
                held.first = JoinedSource.HeldFirst(
                    pts: pts, dts: track.firstDecoded.map(ticks), lead: pts &- start)
            }
        }
        if index == measured.count - 1, gap > .zero, let shown = track.lastShown, let end = track.end {
            let (pts, old) = (ticks(shown), ticks(end))
            let stop = base.ticks(of: placement.limits.end, rounding: .halfAwayFromZero).ticks
            if stop > old { held.last = JoinedSource.HeldLast(pts: pts, duration: stop &- pts) }
        }
        return held
    }
}
