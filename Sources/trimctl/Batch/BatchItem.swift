// One export of a batch, from its line to its outcome. Values only.
internal import Media
internal import Wire

/// The outcome of an export of a batch.
enum BatchOutcome: String, Hashable, Codable, Sendable {
    /// Pending or running.
    case waiting
    case completed
    case failed
    case cancelled
    /// Its output exists, and `--clash skip` was given.
    case skipped
    /// Its line is invalid: it was not started.
    case refused
    /// The batch ended before it started.
    case notStarted
}

/// One export of a batch.
struct BatchItem: Sendable {
    /// Its position in the list, counted from 1.
    let index: Int
    /// The line it begins on.
    let line: Int
    /// Its name in the list.
    var label: String?
    /// The request to the daemon; its output is set once all names are known.
    var request: SubmitParams
    /// The preset's id.
    var preset: String
    /// The output's file type.
    var fileType = ""
    /// The duration of the part in seconds, if known in advance.
    var length: Double?
    /// Its outcome.
    var outcome = BatchOutcome.waiting
    /// Its job, as last reported.
    var job: JobReport?
    /// Completed by an earlier run.
    var isReused = false
    /// Its key in the record of its shard.
    var shardKey: String?
    /// The record of its shard about an earlier run, if no job has one.
    var recorded: BatchReport.Export?
    /// An ended job of an earlier run, removed before this one is submitted.
    var stale: Int64?
    /// Why it was not done, where no job has the error.
    var error: MediaError?
    /// Warnings to show in advance.
    var warnings: [String] = []
    /// The render mode, with `--dry-run`.
    var way: RenderMode?
    var estimatedBytes: SizeBand?

    /// The path of its output, as far as known.
    var output: String { job?.output ?? recorded?.output ?? request.output ?? "" }

    /// Whether an earlier run has done or begun it.
    var isKnown: Bool { job != nil || recorded != nil }

    /// Its error.
    var failure: MediaError? { error ?? (outcome == .completed ? nil : job?.error) }

    /// A later run has it to do, since this one was interrupted.
    var isLeft: Bool { outcome == .cancelled || outcome == .notStarted }

    /// trimctl's exit code for this export only.
    var exitCode: Int32 {
        switch outcome {
        case .completed, .skipped, .waiting: 0
        case .failed, .refused: max(failure?.code.exitCode ?? 1, 1)
        case .cancelled, .notStarted: 4
        }
    }
}

/// A fault of a line.
struct BatchFault: Error, Hashable, Sendable {
    /// The line, counted from 1; 0: the whole list.
    var line: Int
    var error: MediaError
}
