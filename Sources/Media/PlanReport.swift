// The plan of an export, for `--dry-run`: the answer of `job.plan`. Values only.
public import MediaTime

/// A span of a track with one render mode.
public struct PlannedSpan: Hashable, Codable, Sendable {
    /// `copy` (samples as stored) or `encode`.
    public var way: RenderMode
    /// Asset time from the first sample of the span to the first after it.
    public var range: TimeSpan
    /// The number of frames; nil: unknown before they are read.
    public var frames: Int64?

    /// Creates a span.
    public init(way: RenderMode, range: TimeSpan, frames: Int64? = nil) {
        self.way = way
        self.range = range
        self.frames = frames
    }
}

/// The subtitles that are drawn on the frames of a track.
public struct PlannedSubtitles: Hashable, Codable, Sendable {
    /// The index of the track that they are of; nil: they are of a file.
    public var track: Int?
    /// The path of the file that they are of.
    @SpelledPathIfAny public var file: String? = nil
    /// FFmpeg's name of their codec.
    public var codec: String
    /// How many of the file are shown in the range; nil: unknown before they are read.
    public var events: Int?

    /// Subtitles from their parts, as far as they are known.
    public init(codec: String, track: Int? = nil, file: String? = nil, events: Int? = nil) {
        (self.codec, self.track, self.events) = (codec, track, events)
        self.file = file
    }
}

/// The plan for one track.
public struct PlannedTrack: Hashable, Codable, Sendable {
    /// The index of the source track.
    public var source: Int
    /// Its media type.
    public var kind: TrackKind
    /// Its codec in the output.
    public var codec: String
    /// Its render mode.
    public var way: RenderMode
    /// Why no cheaper render mode is used, if there is a reason.
    public var reason: String?
    /// The output's frame size, for video.
    public var width: Int?, height: Int?
    /// The output's frames per second, nominal if it varies, for video.
    public var frameRate: Ratio?
    /// The output's sample rate in Hz, for audio.
    public var sampleRate: Int?
    /// The output's channels, for audio.
    public var channels: Int?
    /// Number of encoding passes, if more than one.
    public var passes: Int?
    /// Its spans in output order, unless it is encoded as a whole (video).
    public var spans: [PlannedSpan]?
    /// The subtitles that are drawn on its frames, if there are any.
    public var burned: PlannedSubtitles?

    /// Creates a track; the rest is set as it becomes known.
    public init(source: Int, kind: TrackKind, codec: String, way: RenderMode) {
        self.source = source
        self.kind = kind
        self.codec = codec
        self.way = way
    }
}

/// The plan of an export.
public struct PlanReport: Hashable, Codable, Sendable {
    /// The source's path; of several, that of the first.
    @SpelledPath public var input: String
    /// The sources, where they are several that are played one after the other.
    @SpelledSources public var sources: [SourcePart]? = nil
    /// The output's path; numbered if no name was given and the path exists.
    @SpelledPath public var output: String
    /// The output's file type (extension).
    public var fileType: String
    /// The preset, resolved.
    public var preset: Preset
    /// The render mode.
    public var render: RenderMode
    /// The requested range, in asset time.
    public var requested: TimeSpan
    /// The source ranges the output would hold, in order, in asset time.
    public var ranges: [TimeSpan]
    /// The duration of the output.
    public var length: Time
    /// The output's video and audio tracks.
    public var tracks: [PlannedTrack]
    /// The estimated size of the output.
    public var estimatedBytes: SizeBand?
    /// The intervals of the output whose video is encoded each by itself, in output time; nil: it is encoded as one.
    public var chunks: [TimeSpan]?
    /// Why the video is encoded as one, where that follows from the options and the encoder.
    public var undivided: String?
    /// Warnings for the user.
    public var warnings: [Warning]
    /// Advice for the user although nothing is lost; nil: from a daemon that does not say.
    public var notes: [Warning]?
    /// Items of the source that the output would lack.
    public var dropped: [DroppedItem]

    /// Creates a plan; notes are told apart from warnings by their codes.
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
        self.warnings = warnings.withoutNotes
        notes = warnings.notes
        self.dropped = dropped
    }
}
