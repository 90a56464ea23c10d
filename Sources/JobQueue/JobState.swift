// JobState: the fine states of a job and the one table of what may follow what. Pure values; the store
// applies them, nothing else decides about them.
public import Media

/// Where a job is, finer than what users see.
public enum JobState: String, Hashable, Sendable, CaseIterable {
    /// Accepted, and not begun.
    case waiting
    /// Not to be begun until released.
    case held
    /// A worker has it.
    case running
    /// The output is whole and verified, and about to get its name.
    case publishing
    /// The output has its name and is on the disk.
    case completed
    /// It ended without an output.
    case failed
    /// Its user no longer wants it.
    case cancelled

    /// What may follow each state. Everything that is not here is refused.
    public static let transitions: [JobState: Set<JobState>] = [
        .waiting: [.held, .running, .cancelled],
        .held: [.waiting, .cancelled],
        // Back to waiting where the daemon ended and not the job, or where the failure can heal.
        .running: [.publishing, .failed, .cancelled, .waiting],
        // Too late to cancel: the name may be there already. Back to waiting where a crash lost the file, or the
        // name could not be given just now.
        .publishing: [.completed, .failed, .waiting],
        .completed: [],
        // Tried again because its user asks for it.
        .failed: [.waiting],
        .cancelled: [.waiting],
    ]

    /// Whether a job may go from this state to another.
    public func mayBecome(_ next: JobState) -> Bool { JobState.transitions[self]?.contains(next) ?? false }

    /// The states from which a job may come to this one.
    var predecessors: [JobState] { JobState.allCases.filter { $0.mayBecome(self) } }

    /// Nothing more will happen to it by itself.
    public var isFinal: Bool { status.isFinal }

    /// What users see.
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
