// A media playlist: the segments of one stream, in order, as values. Nothing here opens a file.
public import MediaTime

/// A file that a playlist refers to, or a part of one.
public struct PlaylistResource: Hashable, Sendable {
    /// The file.
    public var name: RelativeName
    /// The bytes of it; nil: all.
    public var range: Range<Int64>?
    /// The line that names it.
    public var line: Int

    /// Creates a reference to a file.
    public init(name: RelativeName, range: Range<Int64>? = nil, line: Int) {
        self.name = name
        self.range = range
        self.line = line
    }

    /// Whether both are the same bytes, wherever they are named.
    public func isSame(as other: PlaylistResource?) -> Bool { name == other?.name && range == other?.range }
}

/// One segment of a media playlist.
public struct PlaylistSegment: Hashable, Sendable {
    /// Its media.
    public var media: PlaylistResource
    /// The header that its media need (EXT-X-MAP); nil: they need none.
    public var map: PlaylistResource?
    /// Where it begins, counted from the playlist's beginning, by the durations that the playlist gives.
    public var start: Time
    /// Its duration, as the playlist gives it.
    public var duration: Time
    /// The part it belongs to: how many discontinuities come before it.
    public var part: Int
    /// Whether its media are missing on purpose (EXT-X-GAP).
    public var isGap: Bool
    /// The date of its first moment, as it is written; nil: not given.
    public var date: String?

    /// Where it ends, by the durations that the playlist gives.
    public var end: Time { start + duration }

    /// Its name and times, for messages.
    public var described: String { "\(media.name), from \(start.clock()) to \(end.clock())" }
}

/// A media playlist that has ended.
public struct MediaPlaylist: Hashable, Sendable {
    /// The segments, at least one.
    public var segments: [PlaylistSegment]
    /// The parts that it marks as no part of the program, in the order of time.
    public var interstitials: [PlaylistInterstitial] = []
    /// Why a mark of an interstitial cannot be read, or placed.
    public var problems: [PlaylistError] = []

    /// The files that it names, each once, in the order in which they are named first.
    public var names: [RelativeName] {
        var seen: Set<RelativeName> = []
        return segments.lazy.filter { !$0.isGap }.flatMap {
            [$0.map?.name, $0.media.name].compactMap(\.self)
        }
        .filter { seen.insert($0).inserted }
    }

    /// The same, as seen from a folder above the playlist's.
    public func beneath(_ folder: String?) -> MediaPlaylist {
        var list = self
        for index in list.segments.indices {
            list.segments[index].media.name = segments[index].media.name.beneath(folder)
            list.segments[index].map?.name =
                segments[index].map?.name.beneath(folder) ?? segments[index].media.name
        }
        return list
    }

    /// The duration, as the playlist gives it.
    public var duration: Time { segments.last?.end ?? .zero }

    /// How many parts there are between discontinuities.
    public var partCount: Int { Set(segments.map(\.part)).count }
}
