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
    /// The tracks of the whole: the kind and the codec of each.
    private(set) var tracks: [(kind: AVMediaType, codec: AVCodecID)] = []
    /// Time without media before the next piece, or after the last one.
    private(set) var gap = Time.zero
    /// Pieces that were measured, by their segments: the same advertisement comes again and again.
    private var known: [[SegmentedFile.Part]: MeasuredPiece] = [:]

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

    /// Time without media passes after the last piece.
    public func end(after gap: Time) { self.gap += gap }

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
                if let demuxer, track.isTimed, track.first != nil {
                    try template.note(track, of: demuxer, as: alike[number])
                }
                template.complete(alike[number], by: track.parameters)
                continue
            }
            guard let demuxer else { continue }
            map[track.index] = tracks.count
            tracks.append((track.kind, track.codec))
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
            guard !JoinedBuilder.following.union(Decoder.reopened).contains(codec), let first,
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
}
