// What became of a contact sheet: the answer of `asset.sheet`. Values only.
public import MediaTime

/// A contact sheet of a film.
public struct SheetReport: Hashable, Codable, Sendable {
    /// One thumbnail.
    public struct Tile: Hashable, Codable, Sendable {
        /// What a thumbnail stands for.
        public enum Mark: String, Hashable, Codable, Sendable {
            /// The first frame of a part.
            case start = "in"
            /// The last frame of a part.
            case end = "out"
        }
        /// The time it was to show, in asset time.
        public var requested: Time
        /// The first moment of the frame it shows.
        public var actual: Time
        /// Whether it is the first or last frame of a part; nil: a frame between.
        public var mark: Mark?

        /// A tile from its parts.
        public init(requested: Time, actual: Time, mark: Mark?) {
            self.requested = requested
            self.actual = actual
            self.mark = mark
        }
    }
    /// The picture's absolute path.
    @SpelledPath public var output: String
    /// The parts of the source that are shown, in order, in asset time.
    public var ranges: [TimeSpan]
    /// The thumbnails, row by row.
    public var tiles: [Tile]
    /// Thumbnails in a row.
    public var columns: Int
    /// Its size in pixels.
    public var width: Int, height: Int
    /// There is a waveform of the sound beneath.
    public var hasWaveform: Bool
    /// Frames that were decoded for it.
    public var framesDecoded: Int64
    /// The picture's size in bytes.
    public var bytes: Int64
    /// What a user should know.
    public var warnings: [Warning]

    /// A report from its parts; path and size are filled in by whoever publishes the picture.
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
