// The bytes of a media playlist: where each segment lies, with the header that it needs, one behind the other. Each file is looked at
// once: whether it is there, how long it is, and that it is not a playlist itself.
internal import Libav
internal import Media
internal import MediaTime
internal import Playlists
internal import Text

/// Segments of a playlist that one demuxer reads.
struct PlaylistPiece {
    /// Where they lie.
    private(set) var file: PieceFile
    /// They themselves.
    private(set) var segments: [PlaylistSegment]

    /// Adds the segment that follows.
    mutating func add(_ segment: PlaylistSegment, _ bytes: SegmentedFile.Part) {
        file.add(bytes)
        segments.append(segment)
    }

    /// Their duration, as the playlist gives it.
    var length: Time { segments.reduce(.zero) { $0 + $1.duration } }
}

/// The parts of the files that a media playlist lists.
struct PlaylistParts {
    /// They as one file.
    let file: SegmentedFile
    /// The runs of segments between discontinuities, gaps and changes of the header.
    let pieces: [PlaylistPiece]
    /// The time without media after the last of them, as the playlist gives it.
    let gapAtEnd: Time
    /// Opens the files.
    let pool: SegmentPool

    /// They are not read as one file.
    var isDivided: Bool {
        pieces.count > 1 || gapAtEnd > .zero || pieces.contains { $0.file.gap > .zero }
    }

    init(
        _ playlist: MediaPlaylist, named name: String, _ files: PlaylistFiles, mostOpen: Int
    ) throws(MediaError) {
        let first = PlaylistParts.firstUses(of: playlist, files)
        try files.measure { number, result throws(MediaError) in
            let use = first[number].map { "\(name), line \($0.line): \($0.what)" } ?? name
            do throws(MediaError) {
                let opened = try result.get()
                let head = SourceFile(
                    descriptor: opened.descriptor, size: opened.size, name: files.names[number]
                ).bytes(at: 0, count: PlaylistSignature.length)
                guard !PlaylistSignature.isAtStart(of: head) else {
                    throw MediaError(.playlist, "it is a playlist, and a segment is expected")
                }
            } catch {
                throw MediaError(
                    error.code, "\(use): \(error.message)", time: first[number]?.segment.start,
                    remedy: error.remedy ?? PlaylistParts.remedy(of: error.code))
            }
        }
        let pool = SegmentPool(fileCount: files.names.count, mostOpen: mostOpen) { files.open($0) }
        (pieces, gapAtEnd) = try PlaylistParts.pieces(playlist, named: name, files)
        var parts: [SegmentedFile.Part] = []
        for part in pieces.flatMap(\.file.bytes) {
            if let last = parts.last, last.file == part.file, last.offset + last.length == part.offset {
                parts[parts.count - 1].length += part.length
            } else {
                parts.append(part)
            }
        }
        let (total, isTooLarge) = parts.reduce((Int64(0), false)) { sum, part in
            let (next, overflow) = sum.0.addingReportingOverflow(part.length)
            return (next, sum.1 || overflow)
        }
        guard !isTooLarge, total <= PlaylistParts.mostBytes else {
            throw MediaError(.limitReached, "\(name): its segments together are larger than any film")
        }
        file = SegmentedFile(parts: parts, identity: files.identity, pool: pool)
        self.pool = pool
    }

    /// The runs of segments that follow one another without a discontinuity, a gap or another header, and the gap after the last.
    private static func pieces(
        _ playlist: MediaPlaylist, named name: String, _ files: PlaylistFiles
    ) throws(MediaError) -> (pieces: [PlaylistPiece], gapAtEnd: Time) {
        var pieces: [PlaylistPiece] = []
        var map: PlaylistResource?
        var gap = Time.zero
        for segment in playlist.segments {
            guard !segment.isGap else {
                gap += segment.duration
                continue
            }
            let own = try part(segment.media, files, name, segment)
            let isSameMap = segment.map?.isSame(as: map) ?? (map == nil)
            if let last = pieces.last, last.file.part == segment.part, isSameMap, gap == .zero {
                pieces[pieces.count - 1].add(segment, own)
            } else {
                let header = try segment.map.map { map throws(MediaError) in
                    try part(map, files, name, segment)
                }
                pieces.append(
                    PlaylistPiece(
                        file: PieceFile(
                            part: segment.part, header: header, segments: [own], gap: gap,
                            place: "\(name), line \(segment.media.line)"),
                        segments: [segment]))
            }
            (map, gap) = (segment.map, .zero)
        }
        guard !pieces.isEmpty else {
            throw MediaError(.playlist, "\(name): all its segments are missing (EXT-X-GAP)")
        }
        return (pieces, gap)
    }

    /// A petabyte: byte ranges may name the same bytes again and again.
    private static let mostBytes: Int64 = 1 << 50

    private static func remedy(of code: ErrorCode) -> String? {
        code == .fileNotFound ? "put the file there, or remove the segment from the playlist" : nil
    }

    /// Of each file, by number, the first segment that needs it.
    private static func firstUses(
        of playlist: MediaPlaylist, _ files: PlaylistFiles
    ) -> [Int: (segment: PlaylistSegment, line: Int, what: String)] {
        var first: [Int: (segment: PlaylistSegment, line: Int, what: String)] = [:]
        for segment in playlist.segments where !segment.isGap {
            let times = "from \(segment.start.clock()) to \(segment.end.clock())"
            if let map = segment.map {
                let number = files.number(of: map.name)
                if first[number] == nil {
                    first[number] = (segment, map.line, "the header \(map.name) of what follows")
                }
            }
            let number = files.number(of: segment.media.name)
            if first[number] == nil {
                first[number] = (segment, segment.media.line, "the segment \(segment.media.name), \(times)")
            }
        }
        return first
    }

    /// The bytes of a resource; throws if its file is shorter.
    private static func part(
        _ resource: PlaylistResource, _ files: PlaylistFiles, _ name: String, _ segment: PlaylistSegment
    ) throws(MediaError) -> SegmentedFile.Part {
        let number = files.number(of: resource.name)
        let size = files.measure(of: number)?.size ?? 0
        let range = resource.range ?? 0..<size
        guard range.upperBound <= size, !range.isEmpty else {
            let why =
                size == 0
                ? "is empty"
                : "has \(size) bytes, and the segment is the bytes \(range.lowerBound) to \(range.upperBound - 1)"
            throw MediaError(
                .fileFailedToParse, "\(name), line \(resource.line): \(resource.name) \(why)",
                time: segment.start, remedy: "the playlist or the file is not complete")
        }
        return SegmentedFile.Part(
            file: number, offset: range.lowerBound, length: range.upperBound - range.lowerBound)
    }
}
