// What a queue of jobs is asked with, and what it answers beside jobs. Values.

/// Whose jobs a question is about.
public enum Viewer: Hashable, Sendable {
    /// Root and the daemon's own user: everybody's.
    case all
    /// Only those of one user.
    case user(UInt32)
}

/// A job that was accepted.
public struct JobSubmission: Hashable, Sendable {
    /// The job.
    public var job: Job
    /// False where the same key had it accepted before.
    public var isNew: Bool
}

/// Whether a job can be begun, and when the next one can that waits after a failure.
public struct JobAvailability: Hashable, Sendable {
    /// One can be begun now.
    public var isReady: Bool
    /// Milliseconds until another can.
    public var delay: Int64?
}

/// A sum over jobs of one kind.
public struct JobTotal: Hashable, Sendable {
    /// `completed`, `failed`, `cancelled`; `crashed`: workers that died; `retried`: further attempts.
    public var event: String
    /// The preset's id.
    public var preset: String
    /// The way to render.
    public var render: String
    /// Why; empty where nothing went wrong.
    public var code: String
    /// How many.
    public var jobs: Int64
    /// Milliseconds of media in the outputs.
    public var media: Int64
    /// Milliseconds between begin and end.
    public var work: Int64
    /// Bytes of the outputs.
    public var bytes: Int64

    /// A sum from its parts.
    public init(
        event: String, preset: String, render: String, code: String, jobs: Int64, media: Int64,
        work: Int64,
        bytes: Int64
    ) {
        self.event = event
        self.preset = preset
        self.render = render
        self.code = code
        self.jobs = jobs
        self.media = media
        self.work = work
        self.bytes = bytes
    }
}
