// Makes joined sources: opens and measures each piece, says which of its tracks is which, and puts all on one timeline. Several files
// that are played together, as a film and its alternative audio, are placed together. Runs on the caller's thread.
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
    private let list: SourceFile
    private let pool: SegmentPool
    private let template: JoinedTemplate
    private var format: (name: String, longName: String)?
    private var measured: [Placed] = []
    /// The tracks of the whole: the kind and the codec of each.
    private var tracks: [(kind: AVMediaType, codec: AVCodecID)] = []
    /// Time without media before the next piece.
    private var gap = Time.zero
    /// Pieces that were measured, by their segments: the same advertisement comes again and again.
    private var known: [[SegmentedFile.Part]: MeasuredPiece] = [:]

    /// A piece, and which track of the whole each of its tracks is.
    private struct Placed {
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
    }

    /// Codecs whose decoders follow new initialisation data in the stream.
    private static let following: Set<AVCodecID> = [
        AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AAC, AV_CODEC_ID_MPEG4, AV_CODEC_ID_AV1,
        AV_CODEC_ID_VP9, AV_CODEC_ID_FLAC, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG1VIDEO,
    ]

    /// A builder without pieces.
    /// - Parameter list: the file that lists the segments.
    public init(_ list: SourceFile, _ pool: SegmentPool) throws(LibavError) {
        (self.list, self.pool) = (list, pool)
        template = try JoinedTemplate()
    }

    /// Measures the next piece.
    /// - Parameter length: its length as the playlist gives it.
    /// - Returns: whether anything in it is shown; if not, its time passes without media.
    public func add(_ file: PieceFile, length: Time) throws(JoinError) -> Bool {
        do throws(LibavError) {
            let segments = (file.header.map { [$0] } ?? []) + file.segments
            if let piece = known[segments] {
                try take(piece, file, nil)
            } else {
                let demuxer = try open(file)
                let piece = try MeasuredPiece(demuxer, segments: file.segments.count) { range in
                    file.source(range, of: list, pool)
                }
                guard !piece.isEmpty else {
                    gap += file.gap + length
                    return false
                }
                try take(piece, file, demuxer)
                known[segments] = piece
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
        } else if let demuxer, format?.name != demuxer.format {
            throw LibavError(
                "joining",
                cause: "it is \(demuxer.formatName), and what is before is \(format?.longName ?? "")")
        }
        var map: [Int: Int] = [:]
        var counts: [AVMediaType: Int] = [:]
        for track in piece.tracks {
            let number = counts[track.kind, default: 0]
            counts[track.kind] = number + 1
            let alike = tracks.indices.filter { tracks[$0].kind == track.kind }
            if number < alike.count {
                map[track.index] = alike[number]
                template.complete(alike[number], by: track.parameters)
                continue
            }
            guard let demuxer else { continue }
            map[track.index] = tracks.count
            tracks.append((track.kind, track.codec))
            try template.add(track.index, of: demuxer)
            if !measured.isEmpty { template.forgetStart(of: tracks.count - 1) }
        }
        var file = file
        file.gap += gap
        gap = .zero
        measured.append(Placed(file: file, piece: piece, map: map))
    }

    /// Refuses what no decoder of the track follows.
    private func check(_ file: PieceFile) throws(JoinError) {
        guard let last = measured.last else { return }
        for track in last.piece.tracks where track.isTimed {
            guard let whole = last.map[track.index] else { continue }
            let kind = track.kind == AVMEDIA_TYPE_VIDEO ? "video" : "audio"
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
            guard !JoinedBuilder.following.contains(codec), let first,
                first.parameters.extradata != track.parameters.extradata
            else { continue }
            throw JoinError(
                place: file.place,
                reason: "the parameters of its \(kind) are not those before, which its codec cannot change",
                isRefusal: true)
        }
    }

    /// Whether there is anything to show.
    public var isEmpty: Bool { measured.isEmpty }

    /// Puts the pieces of several files on one timeline, and makes their sources.
    public static func join(_ files: [JoinedBuilder]) -> [JoinedSource] {
        let offsets = PiecePlacement.offsets(files.map { $0.measured.map(\.times) })
        return zip(files, offsets).map { $0.joined($1) }
    }

    private func joined(_ offsets: [Time]) -> JoinedSource {
        let bases = JoinedTimebases.of(
            tracks.indices.map { whole in
                measured.flatMap { piece in
                    piece.piece.tracks.filter { piece.map[$0.index] == whole }.map(\.timebase)
                }
            }, offsets)
        var parameters: [[CodecParameters]] = tracks.map { _ in [] }
        func number(_ track: MeasuredTrack, _ whole: Int) -> Int {
            if let known = parameters[whole].firstIndex(where: { $0.isSame(as: track.parameters) }) {
                return known
            }
            parameters[whole].append(track.parameters)
            return parameters[whole].count - 1
        }
        // Those of tracks that a piece lists and does not have come last: nothing is decoded with them.
        for piece in measured {
            for track in piece.piece.tracks where track.first != nil {
                if let whole = piece.map[track.index] { _ = number(track, whole) }
            }
        }
        var starts: [Int64?] = tracks.map { _ in nil }
        var ends: [Int64?] = tracks.map { _ in nil }
        var pieces: [JoinedSource.Piece] = []
        for (piece, offset) in zip(measured, offsets) {
            var own: [Int: JoinedSource.PieceTrack] = [:]
            for track in piece.piece.tracks {
                guard let whole = piece.map[track.index] else { continue }
                let base = bases[whole]
                let shift = base.ticks(of: offset, rounding: .halfAwayFromZero).ticks
                let first = track.first.map { track.timebase.rescale($0, to: base) &+ shift }
                let end = track.end.map { track.timebase.rescale($0, to: base) &+ shift }
                starts[whole] = starts[whole] ?? first
                if let end { ends[whole] = max(ends[whole] ?? end, end) }
                own[track.index] = JoinedSource.PieceTrack(
                    track: whole, timebase: track.timebase, offset: shift, start: first, end: end,
                    parameters: number(track, whole))
            }
            pieces.append(JoinedSource.Piece(file: piece.file.source(of: list, pool), tracks: own))
        }
        var last: Int64 = 0
        for (index, base) in bases.enumerated() {
            template.setTimes(of: index, base, start: starts[index], end: ends[index])
            if let end = ends[index] { last = max(last, base.rescale(end, to: .microseconds)) }
        }
        template.setEnd(last)
        return JoinedSource(
            pieces: pieces,
            tracks: zip(bases, parameters).map { base, all in
                JoinedSource.WholeTrack(
                    timebase: base, parameters: all,
                    tellsParameters: Set(all.map(\.extradata)).count > 1)
            },
            holes: holes(offsets), template: template, format: format ?? ("", ""))
    }

    /// Where there is nothing of any track, by the playlist, and where pieces lack one.
    private func holes(_ offsets: [Time]) -> [JoinedSource.Hole] {
        var holes: [JoinedSource.Hole] = []
        /// The hole of each track that the last piece left open.
        var open: [Int: (start: Time, end: Time)] = [:]
        var last: Time?
        let timed = tracks.indices.filter {
            [AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO].contains(tracks[$0].kind)
        }
        for (piece, offset) in zip(measured, offsets) {
            let times = piece.times
            let (first, end) = (times.first + offset, times.end + offset)
            if let last, times.gap > .zero, last < first {
                holes.append(JoinedSource.Hole(start: last, end: first, track: nil))
            }
            for track in timed {
                if times.tracks[track] == nil {
                    open[track] = (open[track]?.start ?? first, end)
                } else if let hole = open.removeValue(forKey: track) {
                    holes.append(JoinedSource.Hole(start: hole.start, end: hole.end, track: track))
                }
            }
            last = max(last ?? end, end)
        }
        holes += open.map { JoinedSource.Hole(start: $1.start, end: $1.end, track: $0) }
        return holes.sorted { ($0.start, $0.track ?? -1) < ($1.start, $1.track ?? -1) }
    }
}
