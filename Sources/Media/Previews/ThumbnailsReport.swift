// The answer of `asset.thumbnails`. Values only.
public import MediaTime

/// Frames of an asset as small JPEG files, one behind the other in one file.
public struct ThumbnailsReport: Hashable, Codable, Sendable {
    /// One frame.
    public struct Picture: Hashable, Codable, Sendable {
        /// The requested time, in asset time.
        public var requested: Time
        /// The presentation time of the frame, in asset time.
        public var actual: Time
        /// How long the frame is shown, as far as the file says: the next frame begins at `actual` plus this.
        public var duration: Time
        /// The frame's number, counted from 0 in the order of presentation; nil: it is not known.
        public var number: Int64?
        /// Where its JPEG file begins in the file, and its size, in bytes.
        public var offset: Int64, bytes: Int64
        /// Its size in pixels.
        public var width: Int, height: Int

        /// Creates a picture.
        public init(
            requested: Time, actual: Time, duration: Time, number: Int64?, offset: Int64, bytes: Int64,
            width: Int, height: Int
        ) {
            self.requested = requested
            self.actual = actual
            self.duration = duration
            self.number = number
            self.offset = offset
            self.bytes = bytes
            self.width = width
            self.height = height
        }
    }

    /// The frames, in the order in which they were requested.
    public var pictures: [Picture]
    /// The size of the file, in bytes.
    public var bytes: Int64
    /// Warnings for the user.
    public var warnings: [Warning]

    /// Creates a report.
    public init(pictures: [Picture], bytes: Int64, warnings: [Warning]) {
        self.pictures = pictures
        self.bytes = bytes
        self.warnings = warnings
    }
}
