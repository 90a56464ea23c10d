// JobState: the detailed states of a job and the only table of transitions. Pure values; the store applies them.
public import Media

/// The state of a job, in more detail than users see.
public enum JobState: String, Hashable, Sendable, CaseIterable {
    /// Accepted, and not started.
    case waiting
    /// Not to be started until released.
    case held
    /// Assigned to a worker.
    case running
    /// The output is complete and verified, and is being published.
    case publishing
    /// The output is published and on the disk.
    case completed
    /// Ended without an output.
    case failed
    /// Cancelled by its user.
    case cancelled

    /// The allowed successors of each state; all other transitions are refused.
    public static let transitions: [JobState: Set<JobState>] = [
        // Failed without an attempt if a job that it was to run after did not complete.
        .waiting: [.held, .running, .cancelled, .failed],
        .held: [.waiting, .cancelled, .failed],
        // Back to waiting if the daemon stopped, or after a transient failure; held if it was paused.
        .running: [.publishing, .failed, .cancelled, .waiting, .held],
        // Too late to cancel: the output may have its name already. Back to waiting if a crash lost the file, or publishing
        // failed transiently.
        .publishing: [.completed, .failed, .waiting],
        .completed: [],
        // Retried by its user.
        .failed: [.waiting],
        .cancelled: [.waiting],
    ]

    /// Whether a job may go from this state to another.
    public func mayBecome(_ next: JobState) -> Bool { JobState.transitions[self]?.contains(next) ?? false }

    /// The states from which a job may reach this one.
    var predecessors: [JobState] { JobState.allCases.filter { $0.mayBecome(self) } }

    /// The states of a job that has an attempt.
    public static let begun: [JobState] = [.running, .publishing]

    /// No further change happens without a user.
    public var isFinal: Bool { status.isFinal }

    /// The status that users see.
    public var status: JobStatus {
        switch self {
        case .waiting: .waiting
        case .held: .held
        case .running, .publishing: .exporting
        case .completed: .completed
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
