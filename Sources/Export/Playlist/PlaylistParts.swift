// The bytes of a media playlist: where each segment lies, with the header that it needs, one behind the other. Each file is looked at
// once: whether it is there, how long it is, and that it is not a playlist itself.
internal import Libav
internal import Media
internal import MediaTime
internal import Playlists

/// The parts of the files that a media playlist lists.
struct PlaylistParts {
    /// They as one file.
    let file: SegmentedFile

    init(
        _ playlist: MediaPlaylist, named name: String, _ files: PlaylistFiles, mostOpen: Int
    ) throws(MediaError) {
        try PlaylistParts.check(playlist, name)
        let first = PlaylistParts.firstUses(of: playlist, files)
        try files.measure { number, result throws(MediaError) in
            let use = first[number].map { "\(name), line \($0.line): \($0.what)" } ?? name
            do throws(MediaError) {
                let opened = try result.get()
                let head = SourceFile(
                    descriptor: opened.descriptor, size: opened.size, name: files.names[number].path
                ).bytes(at: 0, count: Playlist.headLength)
                guard !Playlist.isPlaylist(head) else {
                    throw MediaError(.playlist, "it is a playlist, and a segment is expected")
                }
            } catch {
                throw MediaError(
                    error.code, "\(use): \(error.message)", time: first[number]?.segment.start,
                    remedy: error.remedy ?? PlaylistParts.remedy(of: error.code))
            }
        }
        var parts: [SegmentedFile.Part] = []
        var map: PlaylistResource?
        for segment in playlist.segments {
            if let own = segment.map, !own.isSame(as: map) {
                parts.append(try PlaylistParts.part(own, files, name, segment))
                map = own
            }
            let part = try PlaylistParts.part(segment.media, files, name, segment)
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
        file = SegmentedFile(
            parts: parts, fileCount: files.names.count, identity: files.identity, mostOpen: mostOpen
        ) {
            files.open($0)
        }
    }

    /// A petabyte: byte ranges may name the same bytes again and again.
    private static let mostBytes: Int64 = 1 << 50

    private static func remedy(of code: ErrorCode) -> String? {
        code == .fileNotFound ? "put the file there, or remove the segment from the playlist" : nil
    }

    /// Throws for what is not supported.
    private static func check(_ playlist: MediaPlaylist, _ name: String) throws(MediaError) {
        func refusal(_ segment: PlaylistSegment, _ why: String, _ remedy: String) -> MediaError {
            MediaError(
                .playlist, "\(name), line \(segment.media.line): at \(segment.start.clock()) \(why)",
                time: segment.start, remedy: remedy)
        }
        if let segment = playlist.segments.first(where: { $0.isGap }) {
            throw refusal(segment, "a segment is missing (EXT-X-GAP)", "export the parts before and after it")
        }
        if let segment = playlist.segments.first(where: { $0.part > 0 }) {
            throw refusal(
                segment, "another film begins (EXT-X-DISCONTINUITY)",
                "split the playlist there, and export each part")
        }
        let maps = playlist.segments.map(\.map)
        for (index, segment) in playlist.segments.enumerated().dropFirst()
        where !(segment.map?.isSame(as: maps[index - 1]) ?? (maps[index - 1] == nil)) {
            throw refusal(
                segment, "another header begins (EXT-X-MAP)", "split the playlist there, and export each part"
            )
        }
    }

    /// Of each file, by number, the first segment that needs it.
    private static func firstUses(
        of playlist: MediaPlaylist, _ files: PlaylistFiles
    ) -> [Int: (segment: PlaylistSegment, line: Int, what: String)] {
        var first: [Int: (segment: PlaylistSegment, line: Int, what: String)] = [:]
        for segment in playlist.segments {
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
