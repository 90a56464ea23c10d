// A job as its owner sees it: the JSON that scripts rely on. Made by the daemon from its database; read by clients.
internal import MediaTime

/// The statuses users see, as AVAssetExportSession names them, and `held`.
public enum JobStatus: String, Hashable, Codable, Sendable, CaseIterable {
    case waiting, exporting, completed, failed, cancelled, held

    /// Nothing more will happen to it by itself.
    public var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

/// A moment of the calendar, to the millisecond; written as ISO 8601 in UTC.
public struct Moment: Hashable, Comparable, Codable, Sendable {
    /// Milliseconds since 1970 in UTC.
    public var milliseconds: Int64

    /// A moment by its milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Earlier is less.
    public static func < (a: Moment, b: Moment) -> Bool { a.milliseconds < b.milliseconds }
}

/// A job as its owner sees it.
public struct JobReport: Hashable, Codable, Sendable {
    /// Its number, counted from 1.
    public var id: Int64
    /// Where it is in its life.
    public var status: JobStatus
    /// The preset's id.
    public var preset: String
    /// The way it was rendered, or is asked to be.
    public var render: RenderMode
    /// The source's path.
    @SpelledPath public var input: String
    /// The output's path; until completed, the one intended.
    @SpelledPath public var output: String
    /// The range asked for; in asset time once the worker knows the asset.
    public var requested: TimeSpan?
    /// The range the output holds.
    public var actual: TimeSpan?
    /// The output's tracks.
    public var tracks: [TrackResult]
    /// The output's size.
    public var bytes: Int64?
    /// From 0 to 1; 1 only when completed.
    public var progress: Double
    /// What is being done, while exporting.
    public var phase: ExportPhase?
    /// Seconds of media a second, while exporting.
    public var speed: Double?
    /// Seconds until done, estimated, while exporting.
    public var remaining: Double?
    /// What a user should know.
    public var warnings: [Warning]
    /// What of the source is not in the output.
    public var dropped: [DroppedItem]
    /// Why it failed or was cancelled; while it waits, why it is to be tried again.
    public var error: MediaError?
    /// When it was accepted.
    public var created: Moment
    /// When it was last started.
    public var started: Moment?
    /// When it ended.
    public var ended: Moment?
    /// How often it was started.
    public var attempts: Int
    /// From 0 to 100; of its user's jobs that wait, the highest is started first.
    public var priority: Int
    /// When it is tried again, while it waits after a failure that can heal.
    public var retry: Moment?
    /// The user it belongs to.
    public var user: UInt32
    /// The picture that is to be put into the output: with the input and the output's folder, what is to be shown again
    /// where the job is tried again.
    @SpelledPathIfAny public var artwork: String? = nil
    /// It waits, and no job is started: the daemon drains.
    public var draining: Bool?

    /// The priority of a job that names none.
    public static let usualPriority = 50

    /// A job that waits; the rest follows.
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
        warnings = []
        dropped = []
        attempts = 0
        priority = JobReport.usualPriority
    }
}
