// The answer of `asset.sheet`. Values only.
public import MediaTime

/// A contact sheet of an asset.
public struct SheetReport: Hashable, Codable, Sendable {
    /// One thumbnail.
    public struct Tile: Hashable, Codable, Sendable {
        /// The role of a thumbnail.
        public enum Mark: String, Hashable, Codable, Sendable {
            /// The first frame of a range.
            case start = "in"
            /// The last frame of a range.
            case end = "out"
        }
        /// The requested time, in asset time.
        public var requested: Time
        /// The presentation time of its frame, in asset time.
        public var actual: Time
        /// Whether it is the first or last frame of a range; nil: a frame between them.
        public var mark: Mark?

        /// Creates a tile.
        public init(requested: Time, actual: Time, mark: Mark?) {
            self.requested = requested
            self.actual = actual
            self.mark = mark
        }
    }
    /// The image's absolute path.
    @SpelledPath public var output: String
    /// The source ranges shown, in order, in asset time.
    public var ranges: [TimeSpan]
    /// The thumbnails, row by row; none of audio alone.
    public var tiles: [Tile]
    /// Thumbnails per row; 1 where there are none.
    public var columns: Int
    /// Its size in pixels.
    public var width: Int, height: Int
    /// Whether it includes an audio waveform.
    public var hasWaveform: Bool
    /// The audio's highest sample in the ranges, in dBFS, at most a little above 0; nil if there is none, or it is silent.
    public var peak: Double?
    /// Number of decoded frames.
    public var framesDecoded: Int64
    /// The image's size in bytes.
    public var bytes: Int64
    /// Warnings for the user.
    public var warnings: [Warning]
    /// The preview, if requested.
    public var preview: String?

    /// Creates a report; the publisher of the image fills in path and size.
    public init(
        ranges: [TimeSpan], tiles: [Tile], columns: Int, width: Int, height: Int, hasWaveform: Bool,
        framesDecoded: Int64, bytes: Int64, warnings: [Warning]
    ) {
        output = ""
        self.ranges = ranges
        self.tiles = tiles
        self.columns = columns
        self.width = width
        self.height = height
        self.hasWaveform = hasWaveform
        self.framesDecoded = framesDecoded
        self.bytes = bytes
        self.warnings = warnings
    }
}
