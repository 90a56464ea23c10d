// What a user asks for and what they get: a request, its result, and progress in between. Values only.
public import MediaTime

/// The ways to render.
public enum RenderMode: String, Hashable, Codable, Sendable, CaseIterable {
    case auto, copy, smart, encode
}

/// How cut points are moved before anything else.
public enum Snap: String, Hashable, Codable, Sendable, CaseIterable {
    /// Both points to the nearest frame boundary.
    case frame
}

/// Where the output goes.
public struct OutputTarget: Hashable, Codable, Sendable {
    /// The absolute path of the folder.
    public var folder: String
    /// The file's name with its extension; nil: one is made from `stem` and the file type, and numbered if taken.
    public var name: String?
    /// The name without extension to start from where `name` is nil.
    public var stem: String
    /// Where `name` is nil: the number behind the stem that the queue gave when it accepted the job; nil: none.
    public var number: Int?
    /// An existing file may be replaced.
    public var overwrite: Bool
    /// What the folder was when it was shown for another user's job; nil for the daemon's own user. While it is not the
    /// same any more, nothing is written.
    public var place: String?

    /// A target from its parts.
    public init(folder: String, name: String?, stem: String, overwrite: Bool = false) {
        self.folder = folder
        self.name = name
        self.stem = stem
        self.overwrite = overwrite
    }

    /// The path as far as it is known: the named file, or the first one that would be tried for `fileType`.
    public func path(fileType: String) -> String {
        (folder == "/" ? "/" : folder + "/") + (name ?? "\(OutputTarget.numbered(stem, number)).\(fileType)")
    }

    /// A stem with its number: `stem`, `stem-2`, `stem-3` and so on.
    public static func numbered(_ stem: String, _ number: Int?) -> String {
        guard let number, number > 1 else { return stem }
        return "\(stem)-\(number)"
    }
}

/// One export as a user asks for it.
public struct ExportRequest: Hashable, Codable, Sendable {
    /// The absolute path of the source.
    public var input: String
    /// Where the output goes.
    public var output: OutputTarget
    /// The in point; nil: the asset's beginning.
    public var start: TimeSpelling?
    /// The out point (exclusive), a time of the source; nil: the asset's end.
    public var end: TimeSpelling?
    /// How long, instead of `end`.
    public var duration: TimeSpelling?
    /// The preset, resolved.
    public var preset: Preset
    /// The way to render.
    public var render: RenderMode
    /// Cut points are moved first.
    public var snap: Snap?
    /// What would be a warning is an error.
    public var strict: Bool
    /// The same request with the same key is the same job.
    public var key: String?
    /// Ranges that are joined in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges that are left out of what lies between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// Seconds by which each cut point may move back, so that nothing needs to be encoded; nil: none.
    public var toleranceBefore: Time?
    /// Seconds by which each cut point may move on.
    public var toleranceAfter: Time?
    /// Where copied samples would lie hidden in the file, the export fails.
    public var noHidden: Bool?
    /// Choices beyond the preset.
    public var options: RenderOptions?
    /// What is asked of chapters; nil: those of the range.
    public var chapters: ChapterRequest?
    /// What is asked of metadata; nil: the source's is carried over.
    public var metadata: MetadataRequest?

    /// A request; what is not given takes its default.
    public init(
        input: String, output: OutputTarget, start: TimeSpelling? = nil, end: TimeSpelling? = nil,
        duration: TimeSpelling? = nil, preset: Preset, render: RenderMode = .auto, snap: Snap? = nil,
        strict: Bool = false, key: String? = nil, options: RenderOptions? = nil
    ) {
        self.input = input
        self.output = output
        self.start = start
        self.end = end
        self.duration = duration
        self.preset = preset
        self.render = render
        self.snap = snap
        self.strict = strict
        self.key = key
        self.options = options
    }
}

/// A range as scripts read it: two times, the end exclusive.
public struct TimeSpan: Hashable, Codable, Sendable {
    /// The first time in it.
    public var start: Time
    /// The first time after it.
    public var end: Time

    /// A span from its two ends.
    public init(start: Time, end: Time) {
        self.start = start
        self.end = end
    }
}

/// How encoded ends are joined to what is copied.
public enum JoinScheme: String, Hashable, Codable, Sendable {
    /// They have the same parameter sets or header.
    case match
    /// They have sets of their own, with ids that nobody else uses.
    case ids
    /// Each sync sample brings its own header.
    case inBand
}

/// What became of one output track.
public struct TrackResult: Hashable, Codable, Sendable {
    /// Its index in the output.
    public var index: Int
    /// The index of the source track it was made from.
    public var source: Int
    /// What it holds.
    public var kind: TrackKind
    /// Its codec in the output.
    public var codec: String
    /// How it was made.
    public var way: RenderMode
    /// What of the source it holds, in asset time.
    public var actual: TimeSpan
    /// Asset time of the first sample from which a player can begin.
    public var firstSyncSample: Time?
    /// Frames (video) or packets (audio) taken over as stored.
    public var framesCopied: Int64
    /// Frames (video) or packets (audio) encoded.
    public var framesEncoded: Int64
    /// Frames (video) or packets (audio) that are in the file and not shown: the edit list hides them.
    public var framesHidden: Int64?
    /// The parts of the source it holds, where there is more than one, in order.
    public var ranges: [TimeSpan]?
    /// Bytes taken over as stored.
    public var bytesCopied: Int64?
    /// Why it was made this way and not a cheaper one, where there is something to say.
    public var reason: String?
    /// How encoded ends were joined to what is copied.
    public var scheme: JoinScheme?
    /// Seconds from the asked in point to the sample the track begins with (audio between two samples).
    public var remainder: Time?
    /// When its last picture begins, from the output's 0, where the container does not say how long that one is shown.
    public var lastPicture: Time?
    /// Size of the pictures, for video.
    public var width: Int?, height: Int?
    /// Samples a second, for audio.
    public var sampleRate: Int?
    /// Channels, for audio.
    public var channels: Int?
    /// How often it was encoded, where that is more than once (two passes).
    public var passes: Int?

    /// How long it is, as a sum of its parts.
    public var length: Time {
        (ranges ?? [actual]).reduce(.zero) { $0 + ($1.end - $1.start) }
    }

    /// A track result; the rest is filled in by whoever made the track.
    public init(index: Int, source: Int, kind: TrackKind, codec: String, way: RenderMode, actual: TimeSpan) {
        self.index = index
        self.source = source
        self.kind = kind
        self.codec = codec
        self.way = way
        self.actual = actual
        framesCopied = 0
        framesEncoded = 0
    }
}

/// Something of the source that the output does not have, and why.
public struct DroppedItem: Hashable, Codable, Sendable {
    /// What it was, such as `track 2 (subtitle, mov_text, eng)`.
    public var what: String
    /// Why it is not in the output.
    public var reason: String
    /// The source track, where it was one.
    public var track: Int?

    /// A dropped item from its parts.
    public init(what: String, reason: String, track: Int? = nil) {
        self.what = what
        self.reason = reason
        self.track = track
    }
}

/// What an export made.
public struct ExportResult: Hashable, Codable, Sendable {
    /// The way it was rendered.
    public var render: RenderMode
    /// The output's file type (extension).
    public var fileType: String
    /// The range asked for, in asset time, as it was understood.
    public var requested: TimeSpan
    /// The range the output holds, in asset time.
    public var actual: TimeSpan
    /// The output's tracks.
    public var tracks: [TrackResult]
    /// The output's size in bytes.
    public var bytes: Int64
    /// What a user should know.
    public var warnings: [Warning]
    /// What of the source is not in the output.
    public var dropped: [DroppedItem]

    /// A result from its parts.
    public init(
        render: RenderMode, fileType: String, requested: TimeSpan, actual: TimeSpan, tracks: [TrackResult],
        bytes: Int64, warnings: [Warning], dropped: [DroppedItem]
    ) {
        self.render = render
        self.fileType = fileType
        self.requested = requested
        self.actual = actual
        self.tracks = tracks
        self.bytes = bytes
        self.warnings = warnings
        self.dropped = dropped
    }
}

/// What an export is doing.
public enum ExportPhase: String, Hashable, Codable, Sendable, CaseIterable {
    case preparing, exporting, finishing, verifying
}

/// How far an export is.
public struct Progress: Hashable, Codable, Sendable {
    /// From 0 to 1 over the range asked for; 1 only when completed.
    public var fraction: Double
    /// What is being done.
    public var phase: ExportPhase
    /// Seconds of media a second.
    public var speed: Double?
    /// Seconds until done, estimated.
    public var remaining: Double?
    /// The source time reached.
    public var time: Time?

    /// Progress from its parts.
    public init(
        fraction: Double, phase: ExportPhase, speed: Double? = nil, remaining: Double? = nil,
        time: Time? = nil
    ) {
        self.fraction = fraction
        self.phase = phase
        self.speed = speed
        self.remaining = remaining
        self.time = time
    }
}
