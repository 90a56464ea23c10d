// The parameters and results of queue calls, other than jobs. Values.
public import Media

/// Whose jobs a read covers.
public enum Viewer: Hashable, Sendable {
    /// Root and the daemon's own user: all users' jobs.
    case all
    /// Only those of one user.
    case user(UInt32)
}

/// Which jobs a list has.
public struct JobFilter: Hashable, Sendable {
    /// Only jobs with one of these statuses; nil: any.
    public var statuses: Set<JobStatus>?
    /// Only this user's; nil: any that the viewer sees.
    public var user: UInt32?
    /// Only those accepted at this moment or later; nil: any.
    public var since: Moment?

    /// A filter that every job matches.
    public init() {}

    /// Whether a job matches.
    public func matches(_ job: Job) -> Bool {
        (statuses?.contains(job.state.status) ?? true) && (user ?? job.user) == job.user
            && (since ?? job.created) <= job.created
    }

    /// The states with the statuses; nil: any.
    var states: [JobState]? {
        statuses.map { statuses in JobState.allCases.filter { statuses.contains($0.status) } }
    }
}

/// An accepted job.
public struct JobSubmission: Hashable, Sendable {
    /// The job.
    public var job: Job
    /// False if it was accepted before with the same key.
    public var isNew: Bool
}

/// Whether a job can start, and when the next one that waits after a failure can.
public struct JobAvailability: Hashable, Sendable {
    /// One can start now.
    public var isReady: Bool
    /// Milliseconds until another can.
    public var delay: Int64?
}

/// Totals over jobs of one kind.
public struct JobTotal: Hashable, Sendable {
    /// `completed`, `failed`, `cancelled`; `crashed`: workers that died; `retried`: further attempts.
    public var event: String
    /// The preset's ID.
    public var preset: String
    /// The render mode.
    public var render: String
    /// The error code; empty if there was no error.
    public var code: String
    /// The number of jobs.
    public var jobs: Int64
    /// Milliseconds of media in the outputs.
    public var media: Int64
    /// Milliseconds between start and end.
    public var work: Int64
    /// Bytes of the outputs.
    public var bytes: Int64

    /// Totals from their parts.
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
