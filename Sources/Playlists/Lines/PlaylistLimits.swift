// The bounds of a playlist that is read: far above every real one, so that a hostile one costs little time and memory.

/// The bounds of a playlist.
public enum PlaylistLimits {
    /// Bytes of a playlist.
    public static let bytes = 8 << 20
    /// Bytes of one line.
    public static let line = 16 << 10
    /// Segments of a media playlist: a day and a half of segments of six seconds.
    public static let segments = 20_000
    /// Files of a list of files.
    public static let files = 1000
    /// Variants and renditions of a multivariant playlist, each.
    public static let variants = 256
    /// Attributes of one tag.
    public static let attributes = 64
    /// Marked ranges of time, by dates and by cues, each.
    public static let ranges = 2048
    /// Bytes of the name of a file.
    public static let name = 1024
    /// Seconds of one segment, and of all together.
    public static let seconds: Int64 = 10_000_000
}
