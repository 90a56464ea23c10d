// The answer of `asset.frame`. Values only.
public import MediaTime

/// A frame of an asset as an image file.
public struct FrameReport: Hashable, Codable, Sendable {
    /// The image's absolute path.
    @SpelledPath public var output: String
    /// The requested time, in asset time.
    public var requested: Time
    /// The presentation time of the frame, in asset time.
    public var actual: Time
    /// The frame's number, counted from 0 in the order of presentation; nil: it is not known.
    public var number: Int64?
    /// Its size in pixels.
    public var width: Int, height: Int
    /// The image's size in bytes.
    public var bytes: Int64
    /// Warnings for the user.
    public var warnings: [Warning]
    /// The preview, if requested.
    public var preview: String?

    /// Creates a report; the publisher of the image fills in path and size.
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
