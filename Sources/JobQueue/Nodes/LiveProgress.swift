// LiveProgress: how far a running attempt is, as its node tells the others. Values; the queue keeps the last one of each attempt while
// that runs.
public import Media
public import MediaTime

/// How far a running attempt is.
public struct LiveProgress: Hashable, Codable, Sendable {
    /// The progress of the whole job.
    public var progress: Progress
    /// The units that are made now, by their names.
    public var making: [String]
    /// The in point, if it is known without the asset.
    public var start: Time?

    /// Progress from its parts.
    public init(_ progress: Progress, making: [String] = [], start: Time? = nil) {
        (self.progress, self.making, self.start) = (progress, making, start)
    }
}

/// The progress of one attempt.
public struct AttemptProgress: Hashable, Sendable {
    /// The job's ID.
    public var job: Int64
    /// The user whose job it is; not stored.
    public var user: UInt32
    /// The number of the attempt.
    public var attempt: Int
    /// How far it is.
    public var live: LiveProgress
    /// When its node said so, by the queue's clock; not stored by the caller.
    public var at = Moment(milliseconds: 0)

    /// Progress of an attempt.
    public init(job: Int64, user: UInt32, attempt: Int, _ live: LiveProgress) {
        (self.job, self.user, self.attempt, self.live) = (job, user, attempt, live)
    }
}
