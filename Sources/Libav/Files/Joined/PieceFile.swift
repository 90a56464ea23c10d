// A run of segments of a playlist that one demuxer reads: between two discontinuities, gaps or changes of the header. A value.
public import MediaTime

/// Segments that follow one another, with the header that they need.
public struct PieceFile: Sendable {
    /// How many discontinuities come before it.
    public var part: Int
    /// The bytes that every reader of its segments needs first; nil: none.
    public var header: SegmentedFile.Part?
    /// Its segments, in order.
    public var segments: [SegmentedFile.Part]
    /// The time without media before it, as the playlist gives them.
    public var gap: Time
    /// For messages: where it is in the playlist.
    public var place: String

    /// Creates a run of segments.
    public init(
        part: Int, header: SegmentedFile.Part?, segments: [SegmentedFile.Part], gap: Time, place: String
    ) {
        (self.part, self.header, self.segments) = (part, header, segments)
        (self.gap, self.place) = (gap, place)
    }

    /// Some of its segments, or all, as a source.
    func source(_ range: Range<Int>? = nil, of list: SourceFile, _ pool: SegmentPool) -> SourceFile {
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
