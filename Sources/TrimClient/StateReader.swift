// One who reads the states of an export: which of them are told, and how often. A value; the run keeps it.

/// A reader of an export's states.
struct StateReader {
    /// The least time between two reports of progress.
    let interval: Duration
    let continuation: AsyncStream<ExportSession.State>.Continuation
    /// The state told last, and when.
    private var last: ExportSession.State?
    private var told: ContinuousClock.Instant?

    /// Creates a reader, who has been told nothing.
    init(interval: Duration, continuation: AsyncStream<ExportSession.State>.Continuation) {
        (self.interval, self.continuation) = (interval, continuation)
    }

    /// Tells a state, unless it is one of progress that comes too soon.
    mutating func tell(_ state: ExportSession.State) {
        guard state != last else { return }
        let now = ContinuousClock.now
        if case .exporting(let progress) = state, case .exporting(let before) = last,
            progress.phase == before.phase, let told, now - told < interval
        {
            return
        }
        (last, told) = (state, now)
        continuation.yield(state)
    }
}
