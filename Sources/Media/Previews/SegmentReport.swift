// The answer of `asset.segment`. Values only.

/// A part of an asset's preview, as a fragmented MP4 file.
public struct SegmentReport: Hashable, Codable, Sendable {
    /// The video.
    public struct Video: Hashable, Codable, Sendable {
        /// The source track.
        public var track: Int
        /// Its size in pixels.
        public var width: Int, height: Int
        /// The number of frames.
        public var frames: Int64

        /// Creates a description.
        public init(track: Int, width: Int, height: Int, frames: Int64) {
            self.track = track
            self.width = width
            self.height = height
            self.frames = frames
        }
    }

    /// The audio.
    public struct Audio: Hashable, Codable, Sendable {
        /// The source track.
        public var track: Int
        /// Samples per second.
        public var sampleRate: Int
        /// The first sample, counted from asset time 0: the first one after the previous segment's last.
        public var first: Int64
        /// The number of samples.
        public var samples: Int64

        /// Creates a description.
        public init(track: Int, sampleRate: Int, first: Int64, samples: Int64) {
            self.track = track
            self.sampleRate = sampleRate
            self.first = first
            self.samples = samples
        }
    }

    /// The part, in asset time: the file's own times are the same.
    public var range: TimeSpan
    /// The type with its codecs, as Media Source Extensions take it.
    public var mime: String
    /// The video; nil: the asset has none.
    public var video: Video?
    /// The audio; nil: the asset has none.
    public var audio: Audio?
    /// It ends where the asset ends.
    public var last: Bool
    /// The size of the file, in bytes.
    public var bytes: Int64
    /// Warnings for the user.
    public var warnings: [Warning]

    /// Creates a report.
    public init(
        range: TimeSpan, mime: String, video: Video?, audio: Audio?, last: Bool, bytes: Int64,
        warnings: [Warning]
    ) {
        self.range = range
        self.mime = mime
        self.video = video
        self.audio = audio
        self.last = last
        self.bytes = bytes
        self.warnings = warnings
    }
}
