// QueueLoss: what a queue was found to have lost when it was opened. A value.

/// What a queue has lost.
struct QueueLoss: Hashable, Sendable {
    /// Where a damaged file was moved.
    var damaged: String?
    /// Jobs that have a log and are not in the tables, in order.
    var jobs: [Int64] = []

    /// The jobs in a sentence; nil where none is known.
    var words: String? {
        guard let first = jobs.first, let last = jobs.last else { return nil }
        let names = first == last ? "job \(first)" : "\(jobs.count) jobs from \(first) to \(last)"
        return
            "\(names) were accepted and are not in the queue's file any more; those that had not ended must be submitted again"
    }
}
