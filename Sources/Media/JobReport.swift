// A job as its owner sees it: the JSON that scripts rely on. The daemon builds it from its database; clients read it.
internal import MediaTime

/// The statuses that users see, named as in AVAssetExportSession, and `held`.
public enum JobStatus: String, Hashable, Codable, Sendable, CaseIterable {
    case waiting, exporting, completed, failed, cancelled, held

    /// Whether the status changes only if the user acts.
    public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// A point in time, to the millisecond; written as ISO 8601 in UTC.
public struct Moment: Hashable, Comparable, Codable, Sendable {
    /// Milliseconds since 1970 in UTC.
    public var milliseconds: Int64

    /// Creates a moment from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Earlier is less.
    public static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }
}

/// A job as its owner sees it.
public struct JobReport: Hashable, Codable, Sendable {
    /// Its ID, counted from 1.
    public var id: Int64
    /// Its status.
    public var status: JobStatus
    /// The preset's id.
    public var preset: String
    /// The render mode, actual or requested.
    public var render: RenderMode
    /// The source's path; of several, that of the first.
    @SpelledPath public var input: String
    /// How many sources are played one after the other, where they are several.
    public var sourceCount: Int?
    /// The output's path; the intended path until the job is completed.
    @SpelledPath public var output: String
    /// The requested range; in asset time once the worker knows the asset.
    public var requested: TimeSpan?
    /// The range of the source that the output holds.
    public var actual: TimeSpan?
    /// The output's tracks.
    public var tracks: [TrackResult]
    /// The output's size.
    public var bytes: Int64?
    /// Bytes of it that it shares with the source on the disk; nil: none.
    public var bytesCloned: Int64?
    /// From 0 to 1; 1 only when completed.
    public var progress: Double
    /// The current phase, while exporting.
    public var phase: ExportPhase?
    /// Seconds of media per second, while exporting.
    public var speed: Double?
    /// Estimated seconds until done, while exporting.
    public var remaining: Double?
    /// Warnings for the user.
    public var warnings: [Warning]
    /// Advice for the user although nothing is lost; nil: from a daemon that does not say.
    public var notes: [Warning]?
    /// Items of the source that the output lacks.
    public var dropped: [DroppedItem]
    /// Why it failed or was cancelled; while it waits, why it will be tried again.
    public var error: MediaError?
    /// When it was accepted.
    public var created: Moment
    /// When it was last started.
    public var started: Moment?
    /// When it ended.
    public var ended: Moment?
    /// How often it was started.
    public var attempts: Int
    /// From 0 to 100; the highest of a user's waiting jobs starts first.
    public var priority: Int
    /// The time of the next attempt, while it waits after a transient failure.
    public var retry: Moment?
    /// The job's owner.
    public var user: UInt32
    /// The cover art to add to the output. To retry the job, the client must show it again, with the input and the output
    /// folder.
    @SpelledPathIfAny public var artwork: String? = nil
    /// The file of subtitles that are drawn on the frames. To retry the job, the client must show it again too, after the artwork.
    @SpelledPathIfAny public var subtitles: String? = nil
    /// Whether it waits because the daemon drains and starts no job.
    public var draining: Bool?
    /// It runs only after these jobs have completed.
    public var after: [Int64]?
    /// It was not to start before this moment.
    public var notBefore: Moment?
    /// Tags that the node needs to have that does it.
    public var needs: [String]?
    /// The needs that no node has that starts jobs: it waits for one.
    public var unmet: [String]?
    /// Whether it is exporting and was held: its worker is stopped where it is until it is released.
    public var paused: Bool?

    /// How many units it is made in, how many are made, and how many of those an earlier attempt had made.
    public var units: UnitCounts?

    /// Whether it failed before anything was made: the request does not fit the source, or is not allowed.
    public var wasRefused: Bool {
        guard status == .failed, progress == 0, let error else { return false }
        return [2, 3, 7].contains(error.code.exitCode)
    }

    /// The default priority.
    public static let usualPriority = 50

    /// Creates a waiting job; the rest is set later.
    public init(
        id: Int64, status: JobStatus, preset: String, render: RenderMode, input: String, output: String,
        created: Moment, user: UInt32
    ) {
        self.id = id
        self.status = status
        self.preset = preset
        self.render = render
        self.input = input
        self.output = output
        self.created = created
        self.user = user
        tracks = []
        progress = 0
        (warnings, notes) = ([], [])
        dropped = []
        attempts = 0
        priority = JobReport.usualPriority
    }
}
