// A piece of a joined source before it is measured: a run of segments of a playlist that one demuxer reads, between two discontinuities,
// gaps or changes of the header; or a film of its own. A value.
public import MediaTime

/// What one demuxer reads of a joined source.
public struct PieceFile: Sendable {
    /// Where its bytes are.
    enum Content: Hashable, Sendable {
        /// Segments that follow one another, with the header that every reader of them needs first; nil: none.
        case segments([SegmentedFile.Part], header: SegmentedFile.Part?)
        /// A film of its own.
        case film(JoinedSource.Film)
    }

    /// How many discontinuities come before it.
    public var part: Int
    private(set) var content: Content
    /// The time without media before it, as the playlist gives them.
    public var gap: Time
    /// For messages: where it is in the playlist.
    public var place: String

    /// Creates a run of segments.
    /// - Parameter header: the bytes that every reader of its segments needs first; nil: none.
    public init(
        part: Int, header: SegmentedFile.Part?, segments: [SegmentedFile.Part], gap: Time, place: String
    ) {
        (self.part, content) = (part, .segments(segments, header: header))
        (self.gap, self.place) = (gap, place)
    }

    /// Creates a piece that is a film of its own.
    init(part: Int, _ film: JoinedSource.Film) {
        (self.part, content) = (part, .film(film))
        (gap, place) = (.zero, film.file.name)
    }

    /// Whether it is a film of its own.
    var isFilm: Bool { if case .film = content { true } else { false } }

    /// Adds the segment that follows those of a run.
    public mutating func add(_ segment: SegmentedFile.Part) {
        guard case .segments(var segments, let header) = content else { return }
        // Nobody else holds them now: a playlist may have tens of thousands.
        content = .segments([], header: header)
        segments.append(segment)
        content = .segments(segments, header: header)
    }

    /// The bytes, in order.
    public var bytes: [SegmentedFile.Part] {
        guard case .segments(let segments, let header) = content else { return [] }
        return (header.map { [$0] } ?? []) + segments
    }

    /// All of it as a source, or some of its segments.
    func source(_ range: Range<Int>? = nil, of list: SourceFile, _ pool: SegmentPool) -> SourceFile {
        switch content {
        case .film(let film): return film.file
        case .segments(let segments, let header):
            var parts = header.map { [$0] } ?? []
            for part in range.map({ segments[$0] }) ?? segments[...] {
                if let last = parts.last, last.file == part.file, last.offset + last.length == part.offset {
                    parts[parts.count - 1].length += part.length
                } else {
                    parts.append(part)
                }
            }
            return SourceFile(
                descriptor: list.descriptor, segments: SegmentedFile(parts: parts, identity: "", pool: pool),
                name: list.name)
        }
    }
}
