// Watchdog: tells that a worker hangs (no sign of work for too long) or takes too long. It counts its own seconds
// and not the clock's: where the machine slept or trimd itself was stopped, nobody is blamed for it. Lives on the
// queue of the worker's connection; it ends no process, whoever made it does.
internal import Dispatch
internal import Media

/// The watch over one worker.
///
/// `@unchecked Sendable`: touched under the lock of its worker, or on the queue.
final class Watchdog: @unchecked Sendable {
    /// How long it waits, in seconds.
    struct Patience: Hashable, Sendable {
        /// For a sign of work.
        var stall: Int
        /// In all.
        var total: Int
    }

    private let timer: any DispatchSourceTimer
    private var silence = 0
    private var age = 0

    /// Begins; `expired` hears once that patience is at its end.
    init(
        _ patience: Patience, on queue: DispatchQueue, expired: @escaping @Sendable (MediaError) -> Void
    ) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            guard let self, let error = self.tick(patience) else { return }
            self.end()
            expired(error)
        }
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        timer.activate()
    }

    deinit { timer.cancel() }

    /// The worker has done something.
    func isAlive() { silence = 0 }

    /// No more watching.
    func end() { timer.cancel() }

    /// A second has gone by.
    private func tick(_ patience: Patience) -> MediaError? {
        silence += 1
        age += 1
        if age >= patience.total {
            return MediaError(
                .timeLimitReached, "the worker was ended: the job took more than \(patience.total) s",
                remedy: "raise limits.jobSeconds in trimd.json")
        }
        if silence >= patience.stall {
            return MediaError(
                .workerStalled, "the worker was ended: it made no progress for \(patience.stall) s",
                remedy: "if the source lies on a slow disk, raise limits.stallSeconds in trimd.json")
        }
        return nil
    }
}
