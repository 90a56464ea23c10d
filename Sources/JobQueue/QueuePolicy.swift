// QueuePolicy: which failures are retried, after which delay, and how many finished jobs are kept. Pure values; the store
// applies them.
public import Media

/// The policy on failed and finished jobs.
///
/// The kinds of failure:
/// - A transient failure (no space, I/O error, a disk that has become read-only, libraries replaced meanwhile) is retried
///   `retries` times, with growing delays: the output could be written when the job was accepted.
/// - A worker that died may have crashed on its file, or have been killed from outside, by the kernel's OOM killer or by a
///   person; the cause cannot be determined. Its job is retried until `crashes` workers have died.
/// - An out-of-memory failure is retried once: the machine may have been short of memory; but mostly it is the worker's own
///   limit, which the same file reaches again.
/// - The settings may name other failures as transient.
/// - Every other failure is permanent and ends the job at once: bad input, and everything that would recur with the same file:
///   a system call that a sealed worker may not make, a hang, a time limit, an output limit. A retry would cost the full
///   timeout again, or give an attack more attempts.
public struct QueuePolicy: Hashable, Sendable {
    /// How many workers may die on a job before it fails.
    public var crashes = 3
    /// How many attempts may end with their daemon before the job fails.
    public var interruptions = 3
    /// The transient failures.
    public var retried: Set<ErrorCode> = [
        .diskFull, .inputOutput, .notWritable, .operationInterrupted, .outOfMemory,
    ]
    /// How often a job is retried after a transient failure (no space, no memory, I/O error).
    public var retries = 3
    /// Milliseconds before the first retry; each later delay is five times the one before.
    public var retryDelay: Int64 = 2000
    /// The number of finished jobs that are kept.
    public var history = 10_000
    /// The number of events that are kept.
    public var events = 100_000

    /// The default policy.
    public init() {}

    /// The longest delay, in milliseconds.
    static let longestDelay: Int64 = 3_600_000
    /// Milliseconds before the next attempt after a worker's death.
    static let crashDelay: Int64 = 500

    /// The consequence of a failure for its job.
    enum Decision: Hashable {
        /// Another attempt after this many milliseconds.
        case again(after: Int64)
        /// The job has failed.
        case failed(MediaError)
    }

    /// Classifies the failure of an attempt, given the job's earlier failures.
    func decide(_ error: MediaError, crashes before: Int, failures: Int) -> Decision {
        if error.code == .workerCrashed {
            guard before + 1 < crashes else {
                var last = error
                if crashes > 1 { last.message += " (\(crashes) times, so the job is given up)" }
                return .failed(last)
            }
            return .again(after: QueuePolicy.crashDelay)
        }
        guard failures < furtherAttempts(after: error.code) else { return .failed(error) }
        var delay = retryDelay
        for _ in 0..<failures { delay = min(delay * 5, QueuePolicy.longestDelay) }
        return .again(after: min(delay, QueuePolicy.longestDelay))
    }

    /// How often a failure with this code is retried, with an unchanged request.
    private func furtherAttempts(after code: ErrorCode) -> Int {
        guard retried.contains(code) else { return 0 }
        return code == .outOfMemory ? min(1, retries) : retries
    }

    /// Whether a worker died on its job, for the crash totals.
    static func isCrash(_ code: ErrorCode) -> Bool { code == .workerCrashed || code == .sandboxViolation }
}
