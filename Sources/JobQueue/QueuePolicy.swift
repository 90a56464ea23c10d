// QueuePolicy: which failures are worth another attempt, after how long, and how much of the past is kept. Pure
// values; the store applies them.
internal import Media

/// What the queue does about failures and about the past.
///
/// Four sorts of failure:
/// - What heals without anybody's doing (no space, input and output) is tried again `retries` times, each time later.
/// - A worker that died may have died of its film, or have been killed from outside, by the kernel for want of memory
///   or by a person; nobody can tell. Its job is tried again until so many workers (`crashes`) have died of it.
/// - Want of memory is tried once more: the machine may have been short of it; but mostly it is the worker's own limit,
///   which the same film reaches again.
/// - Everything else would happen again, and is the end at once: bad input, and also what a film did to its worker that it
///   will do to the next: a system call that a sealed worker may not make, a standstill, more time or a larger
///   output than a job may have. To try these again would cost all of the patience again, or give an attack more
///   attempts.
public struct QueuePolicy: Hashable, Sendable {
    /// So many workers may die of a job before it is given up.
    public var crashes = 3
    /// So many attempts may end with their daemon before the job is given up.
    public var interruptions = 3
    /// So often a job is tried again after a failure that can heal (no space, no memory, input and output).
    public var retries = 3
    /// Milliseconds before the first of these; each later one waits five times as long as the one before.
    public var retryDelay: Int64 = 2000
    /// So many jobs that have ended are kept.
    public var history = 10_000
    /// So many events are kept.
    public var events = 100_000

    /// The usual policy.
    public init() {}

    /// No wait is longer, in milliseconds.
    static let longestDelay: Int64 = 3_600_000
    /// Milliseconds before the next attempt after a worker's death.
    static let crashDelay: Int64 = 500

    /// What a failure means for its job.
    enum Verdict: Hashable {
        /// Another attempt after so many milliseconds.
        case again(after: Int64)
        /// The end.
        case failed(MediaError)
    }

    /// Judges the failure of an attempt of a job that has had so many before.
    func judge(_ error: MediaError, crashes before: Int, failures: Int) -> Verdict {
        if error.code == .workerCrashed {
            guard before + 1 < crashes else {
                var last = error
                if crashes > 1 { last.message += " (for the \(crashes)th time, so the job is given up)" }
                return .failed(last)
            }
            return .again(after: QueuePolicy.crashDelay)
        }
        guard failures < furtherAttempts(after: error.code) else { return .failed(error) }
        var delay = retryDelay
        for _ in 0..<failures { delay = min(delay * 5, QueuePolicy.longestDelay) }
        return .again(after: min(delay, QueuePolicy.longestDelay))
    }

    /// So often what failed may go well later, without anybody changing the request.
    private func furtherAttempts(after code: ErrorCode) -> Int {
        switch code {
        case .diskFull, .inputOutput: retries
        case .outOfMemory: min(1, retries)
        default: 0
        }
    }

    /// Whether a worker died of its job, for the count of those.
    static func isCrash(_ code: ErrorCode) -> Bool { code == .workerCrashed || code == .sandboxViolation }
}
