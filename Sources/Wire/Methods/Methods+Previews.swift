// Parameters of the methods that show an asset without a file of the caller's: `asset.thumbnails`, `asset.waveform`,
// `asset.segment` and `asset.cues`. They return a `ThumbnailsReport`, a `WaveformReport`, a `SegmentReport` and a `CuesReport`; the
// pictures and the segment come as a descriptor beside the answer. The worker takes the same parameters. Pure values.
public import Media
public import MediaTime
public import Text

/// The parameters of `asset.thumbnails`.
public struct ThumbnailsParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The times of the frames, 1 to 64.
    public var at: [TimeSpelling]
    /// The width of the pictures in pixels, 16 to 3840, if smaller than the video's; nil: 160.
    public var width: Int?
    /// Whether the nearest preceding keyframe does, which needs less decoding.
    public var keyframes: Bool?
    /// A subtitle track that is drawn on the frames, as an export draws it; nil: none.
    public var subtitles: Int?
    /// The quality to read of a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// The most times of one call.
    public static let most = 64

    /// Creates parameters with a source and times.
    public init(path: String, at: [TimeSpelling]) {
        self.path = path
        self.at = at
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        guard 1...ThumbnailsParams.most ~= at.count else {
            throw InvalidValue(
                CodingKeys.at, "has \(at.count) times, and must have 1 to \(ThumbnailsParams.most)")
        }
        try InvalidValue.check(CodingKeys.width, width, in: 16...3840)
        try VariantChoice.check(variant, CodingKeys.variant)
    }
}

/// The parameters of `asset.waveform`.
public struct WaveformParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The start of the part; nil: the asset's.
    public var start: TimeSpelling?
    /// The end of the part; nil: the asset's.
    public var end: TimeSpelling?
    /// The number of buckets, 1 to 8192.
    public var buckets: Int
    /// The audio track; nil: the first that decodes.
    public var track: Int?
    /// The quality to read of a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// Creates parameters with a source.
    public init(path: String, buckets: Int) {
        self.path = path
        self.buckets = buckets
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.buckets, buckets, in: 1...WaveformReport.mostBuckets)
        try VariantChoice.check(variant, CodingKeys.variant)
    }
}

/// The parameters of `asset.segment`.
public struct SegmentParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The start of the part, in asset time.
    public var start: Time
    /// Its duration, more than 0 and at most 30 s; a part beyond the asset's end is shorter.
    public var duration: Time
    /// The width of the video in pixels, 160 to 1920, if smaller than the source's; nil: 640.
    public var width: Int?
    /// The audio track; nil: the first that decodes.
    public var track: Int?
    /// A subtitle track that is drawn on the frames, as an export draws it; nil: none.
    public var subtitles: Int?
    /// The quality to read of a playlist of several, as in ``VariantChoice``; nil: the highest.
    public var variant: String?

    /// The longest segment.
    public static let longest = Time(30, 1)

    /// Creates parameters with a source and a part.
    public init(path: String, start: Time, duration: Time) {
        self.path = path
        self.start = start
        self.duration = duration
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        guard start.isNumeric, start >= .zero else {
            throw InvalidValue(CodingKeys.start, "is no time of an asset")
        }
        guard duration.isNumeric, duration > .zero, duration <= SegmentParams.longest else {
            throw InvalidValue(CodingKeys.duration, "must be more than 0, and at most 30 s")
        }
        try InvalidValue.check(CodingKeys.width, width, in: 160...1920)
        try VariantChoice.check(variant, CodingKeys.variant)
    }
}

/// The parameters of `asset.cues`.
public struct CuesParams: Hashable, Codable, StrictDecodable, Sendable {
    /// The source's absolute path.
    @SpelledPath public var path: String
    /// The subtitle track; its events are text.
    public var track: Int
    /// The start of the part; nil: the asset's.
    public var start: TimeSpelling?
    /// The end of the part; nil: the asset's.
    public var end: TimeSpelling?

    /// Creates parameters with a source and a track.
    public init(path: String, track: Int) {
        self.path = path
        self.track = track
    }
}
