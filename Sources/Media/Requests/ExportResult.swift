// The result of an export: each track of the output, what was left out, and the progress. Values only.
public import MediaTime

/// A time range in JSON: start and exclusive end.
public struct TimeSpan: Hashable, Codable, Sendable {
    /// The first time in it.
    public var start: Time
    /// The first time after it.
    public var end: Time

    /// Creates a span.
    public init(start: Time, end: Time) {
        self.start = start
        self.end = end
    }
}

/// Bytes of an output that are blocks of the source: the file system lets both files have them.
public struct ClonedRange: Hashable, Codable, Sendable {
    /// Where they begin in the output.
    public var output: Int64
    /// Where they begin in the source.
    public var source: Int64
    /// Their number.
    public var length: Int64

    /// Creates a range.
    public init(output: Int64, source: Int64, length: Int64) {
        (self.output, self.source, self.length) = (output, source, length)
    }
}

/// How encoded head and tail are joined to copied samples.
public enum JoinScheme: String, Hashable, Codable, Sendable {
    /// They share parameter sets or a header.
    case match
    /// They have their own parameter sets, with unused IDs.
    case ids
    /// Each sync sample carries its own header.
    case inBand
}

/// The result for one output track.
public struct TrackResult: Hashable, Codable, Sendable {
    /// Its index in the output.
    public var index: Int
    /// The index of its source track.
    public var source: Int
    /// Its media type.
    public var kind: TrackKind
    /// Its codec in the output.
    public var codec: String
    /// Its render mode.
    public var way: RenderMode
    /// The requested range, in asset time; nil: from a daemon that does not say.
    public var requested: TimeSpan?
    /// The range of the source it holds, in asset time.
    public var actual: TimeSpan
    /// Asset time of the first sync sample.
    public var firstSyncSample: Time?
    /// Frames (video) or packets (audio) that were copied.
    public var framesCopied: Int64
    /// Frames (video) or packets (audio) that were encoded.
    public var framesEncoded: Int64
    /// Frames (video) or packets (audio) hidden by the edit list.
    public var framesHidden: Int64?
    /// The source ranges it holds, if more than one, in order.
    public var ranges: [TimeSpan]?
    /// Bytes that were copied.
    public var bytesCopied: Int64?
    /// Why no cheaper render mode was used, if there is a reason.
    public var reason: String?
    /// How encoded head and tail were joined to copied samples.
    public var scheme: JoinScheme?
    /// Seconds from the requested in point to the track's first sample (audio between two samples).
    public var remainder: Time?
    /// The start of its last frame, from the output's 0, if the container does not store that frame's duration.
    public var lastPicture: Time?
    /// Frame size, for video.
    public var width: Int?, height: Int?
    /// Sample rate in Hz, for audio.
    public var sampleRate: Int?
    /// Number of channels, for audio.
    public var channels: Int?
    /// Number of encoding passes, if more than one.
    public var passes: Int?

    /// How much faster than the source it plays; nil: as fast.
    public var speed: Ratio?

    /// Its duration in the output: the sum of its ranges, at its speed.
    public var length: Time {
        let length = (ranges ?? [actual]).reduce(.zero) { $0 + ($1.end - $1.start) }
        guard let speed else { return length }
        return length.multiplied(by: speed.denominator, over: speed.numerator)
    }

    /// Creates a track result; the renderer of the track fills in the rest.
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

/// An item of the source that the output lacks, and why.
public struct DroppedItem: Hashable, Codable, Sendable {
    /// The item, such as `track 2 (subtitle, mov_text, eng)`.
    public var what: String
    /// Why the output lacks it.
    public var reason: String
    /// The source track, if it is one.
    public var track: Int?

    /// Creates a dropped item.
    public init(what: String, reason: String, track: Int? = nil) {
        self.what = what
        self.reason = reason
        self.track = track
    }
}

/// The result of an export.
public struct ExportResult: Hashable, Codable, Sendable {
    /// The render mode.
    public var render: RenderMode
    /// The output's file type (extension).
    public var fileType: String
    /// The requested range, resolved to asset time.
    public var requested: TimeSpan
    /// The range the output holds, in asset time.
    public var actual: TimeSpan
    /// The output's tracks.
    public var tracks: [TrackResult]
    /// The output's size in bytes.
    public var bytes: Int64
    /// Warnings for the user.
    public var warnings: [Warning]
    /// Items of the source that the output lacks.
    public var dropped: [DroppedItem]
    /// Advice for the user although nothing is lost; nil: nothing.
    public var notes: [Warning]?
    /// The ID of the request's fallback preset, where that was used; nil: the request's preset was.
    public var preset: String?
    /// The ranges that the daemon is to clone from the source, in the order of the output; nil: none, or it is done.
    public var clones: [ClonedRange]?
    /// Bytes that the output shares with the source on the disk; nil: none.
    public var bytesCloned: Int64?

    /// Creates a result; notes are told apart from warnings by their codes.
    public init(
        render: RenderMode, fileType: String, requested: TimeSpan, actual: TimeSpan, tracks: [TrackResult],
        bytes: Int64, warnings: [Warning], dropped: [DroppedItem]
    ) {
        self.render = render
        self.fileType = fileType
        self.requested = requested
        self.actual = actual
        self.tracks = tracks.map { track in
            var track = track
            track.requested = requested
            return track
        }
        self.bytes = bytes
        self.warnings = warnings.withoutNotes
        notes = warnings.notes
        self.dropped = dropped
    }
}

/// The phases of an export.
public enum ExportPhase: String, Hashable, Codable, Sendable, CaseIterable {
    case preparing, exporting, finishing, verifying
}

/// The progress of an export.
public struct Progress: Hashable, Codable, Sendable {
    /// From 0 to 1 over the requested range; 1 only when completed.
    public var fraction: Double
    /// The current phase.
    public var phase: ExportPhase
    /// Seconds of media per second.
    public var speed: Double?
    /// Estimated seconds until done.
    public var remaining: Double?
    /// The source time reached.
    public var time: Time?

    /// Creates a progress value.
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
