// QueueLoss: the data loss found when a queue was opened. A value.

/// The data loss of a queue.
struct QueueLoss: Hashable, Sendable {
    /// The path that a damaged file was moved to.
    var damaged: String?
    /// Jobs with a log that are missing from the tables, in order.
    var jobs: [Int64] = []

    /// The lost jobs in a sentence; nil if none is known.
    var words: String? {
        guard let first = jobs.first, let last = jobs.last else { return nil }
        let names = first == last ? "job \(first)" : "\(jobs.count) jobs from \(first) to \(last)"
        return
            "\(names) were accepted and are not in the queue's file any more; those that had not ended must be submitted again"
    }
}
