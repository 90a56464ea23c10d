// What became of a still: the answer of `asset.frame`. Values only.
public import MediaTime

/// A frame of a film as a picture file.
public struct FrameReport: Hashable, Codable, Sendable {
    /// The picture's absolute path.
    @SpelledPath public var output: String
    /// The time asked for, in asset time.
    public var requested: Time
    /// The first moment of the frame that is shown then.
    public var actual: Time
    /// Its size in pixels.
    public var width: Int, height: Int
    /// The picture's size in bytes.
    public var bytes: Int64
    /// What a user should know.
    public var warnings: [Warning]

    /// A report from its parts; path and size are filled in by whoever publishes the picture.
    public init(
        requested: Time, actual: Time, width: Int, height: Int, bytes: Int64, warnings: [Warning]
    ) {
        output = ""
        self.requested = requested
        self.actual = actual
        self.width = width
        self.height = height
        self.bytes = bytes
        self.warnings = warnings
    }
}
