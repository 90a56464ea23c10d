// One export of a batch, from its line to its end. Values only.
internal import Media
internal import Wire

/// What becomes of an export of a batch.
enum BatchOutcome: String, Hashable, Codable, Sendable {
    /// It is to be done, or being done.
    case waiting
    case completed
    case failed
    case cancelled
    /// Its output was there, and `--clash skip` was given.
    case skipped
    /// Its line is wrong: nothing was begun.
    case refused
    /// The batch ended before it.
    case notStarted
}

/// One export of a batch.
struct BatchItem: Sendable {
    /// Its place in the list, counted from 1.
    let index: Int
    /// The line it begins on.
    let line: Int
    /// Its name in the list.
    var label: String?
    /// What is asked of the daemon; its output is set when all names are known.
    var request: SubmitParams
    /// The preset's id.
    var preset: String
    /// The output's type.
    var fileType = ""
    /// How long the part is, in seconds, as far as that is known before.
    var length: Double?
    /// What becomes of it.
    var outcome = BatchOutcome.waiting
    /// Its job, as it was last told.
    var job: JobReport?
    /// An earlier run had completed it.
    var isReused = false
    /// A job of an earlier run that ended, and is taken off the record before this one is submitted.
    var stale: Int64?
    /// Why it was not done, where no job says it.
    var error: MediaError?
    /// What a user should know before.
    var warnings: [String] = []
    /// What would be done, under `--dry-run`.
    var way: RenderMode?
    var estimatedBytes: SizeBand?

    /// The path of its output, as far as it is known.
    var output: String { job?.output ?? request.output ?? "" }

    /// What is wrong with it.
    var failure: MediaError? { error ?? (outcome == .completed ? nil : job?.error) }

    /// What trimctl would end with for it alone.
    var exitCode: Int32 {
        switch outcome {
        case .completed, .skipped, .waiting: 0
        case .failed, .refused: max(failure?.code.exitCode ?? 1, 1)
        case .cancelled, .notStarted: 4
        }
    }
}

/// Something wrong with a line.
struct BatchFault: Error, Hashable, Sendable {
    /// The line, counted from 1; 0: the list as a whole.
    var line: Int
    var error: MediaError
}
