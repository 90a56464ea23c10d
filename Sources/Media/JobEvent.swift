// One event of a job: the JSON of `events.since`. A value.

/// One event of a job.
public struct JobEvent: Hashable, Codable, Sendable {
    /// The event kinds: the statuses, and removal.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        case waiting, held, exporting, completed, failed, cancelled, removed

        /// The event of entering a status.
        public init(_ status: JobStatus) {
            switch status {
            case .waiting: self = .waiting
            case .held: self = .held
            case .exporting: self = .exporting
            case .completed: self = .completed
            case .failed: self = .failed
            case .cancelled: self = .cancelled
            }
        }
    }

    /// Its ID, which increases from event to event; there may be gaps.
    public var id: Int64
    /// The job ID.
    public var job: Int64
    /// The kind of event.
    public var event: Kind
    /// Its time.
    public var at: Moment
    /// The job's owner.
    public var user: UInt32
    /// The error code, if there was an error; for a job queued again, the error of its last attempt.
    public var code: ErrorCode?

    /// Creates an event.
    public init(id: Int64, job: Int64, event: Kind, at: Moment, user: UInt32, code: ErrorCode? = nil) {
        self.id = id
        self.job = job
        self.event = event
        self.at = at
        self.user = user
        self.code = code
    }
}
