// What became of a job, as one of a row of events: the JSON of `events.since`. A value.

/// One thing that became of a job.
public struct JobEvent: Hashable, Codable, Sendable {
    /// What can become of a job: the statuses, and its removal.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        case waiting, held, exporting, completed, failed, cancelled, removed

        /// The event of a job's having a status.
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

    /// Its number, which grows from event to event; there may be gaps.
    public var id: Int64
    /// The job.
    public var job: Int64
    /// What became of it.
    public var event: Kind
    /// When.
    public var at: Moment
    /// The user the job belongs to.
    public var user: UInt32
    /// Why, where something went wrong; of a job that waits again, what ended its last attempt.
    public var code: ErrorCode?

    /// An event from its parts.
    public init(id: Int64, job: Int64, event: Kind, at: Moment, user: UInt32, code: ErrorCode? = nil) {
        self.id = id
        self.job = job
        self.event = event
        self.at = at
        self.user = user
        self.code = code
    }
}
