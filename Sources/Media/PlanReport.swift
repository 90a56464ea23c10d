// What an export would do, as `--dry-run` tells it: the answer of `job.plan`. Values only.
public import MediaTime

/// A stretch of a track of which all goes one way.
public struct PlannedSpan: Hashable, Codable, Sendable {
    /// `copy` (samples as stored) or `encode`.
    public var way: RenderMode
    /// Asset time from the first sample of the stretch to the first after it.
    public var range: TimeSpan
    /// How many frames; nil: they are not counted before they are read.
    public var frames: Int64?

    /// A span from its parts.
    public init(way: RenderMode, range: TimeSpan, frames: Int64? = nil) {
        self.way = way
        self.range = range
        self.frames = frames
    }
}

/// What would become of one track.
public struct PlannedTrack: Hashable, Codable, Sendable {
    /// The index of the source track.
    public var source: Int
    /// What it holds.
    public var kind: TrackKind
    /// Its codec in the output.
    public var codec: String
    /// How it would be made.
    public var way: RenderMode
    /// Why not in a cheaper way, where there is something to say.
    public var reason: String?
    /// Size of the output's pictures, for video.
    public var width: Int?, height: Int?
    /// Frames a second of the output, nominal where it varies, for video.
    public var frameRate: Ratio?
    /// Samples a second of the output, for audio.
    public var sampleRate: Int?
    /// Channels of the output, for audio.
    public var channels: Int?
    /// How often it would be encoded, where that is more than once (two passes).
    public var passes: Int?
    /// Its stretches in the order of the output, where it is not encoded as a whole (video).
    public var spans: [PlannedSpan]?

    /// A track; the rest is set as it is known.
    public init(source: Int, kind: TrackKind, codec: String, way: RenderMode) {
        self.source = source
        self.kind = kind
        self.codec = codec
        self.way = way
    }
}

/// What an export would do.
public struct PlanReport: Hashable, Codable, Sendable {
    /// The source's path.
    @SpelledPath public var input: String
    /// The output's path; numbered where no name was given and this one is taken.
    @SpelledPath public var output: String
    /// The output's file type (extension).
    public var fileType: String
    /// The preset, resolved.
    public var preset: Preset
    /// The way it would be rendered.
    public var render: RenderMode
    /// The range asked for, in asset time.
    public var requested: TimeSpan
    /// The parts of the source that the output would hold, in order, in asset time.
    public var ranges: [TimeSpan]
    /// How long the output would be.
    public var length: Time
    /// The output's video and audio tracks.
    public var tracks: [PlannedTrack]
    /// How large the output would be.
    public var estimatedBytes: SizeBand?
    /// What a user should know.
    public var warnings: [Warning]
    /// What of the source would not be in the output.
    public var dropped: [DroppedItem]

    /// A plan from its parts.
    public init(
        input: String, output: String, fileType: String, preset: Preset, render: RenderMode,
        requested: TimeSpan, ranges: [TimeSpan], length: Time, tracks: [PlannedTrack],
        estimatedBytes: SizeBand?, warnings: [Warning], dropped: [DroppedItem]
    ) {
        self.input = input
        self.output = output
        self.fileType = fileType
        self.preset = preset
        self.render = render
        self.requested = requested
        self.ranges = ranges
        self.length = length
        self.tracks = tracks
        self.estimatedBytes = estimatedBytes
        self.warnings = warnings
        self.dropped = dropped
    }
}
