// A segment of a media playlist. A value.
public import MediaTime

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
