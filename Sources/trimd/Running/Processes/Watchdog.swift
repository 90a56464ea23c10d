// Watchdog: detects a worker that hangs (no progress for too long) or takes too long. It counts timer ticks instead of clock
// time, so that a suspended machine or a stopped trimd expires no worker. Runs on the queue of the worker's connection; the
// worker's owner ends the process.
internal import Dispatch
internal import Media
internal import Synchronization

/// Watches one worker.
///
/// `@unchecked Sendable`: accessed under the lock of its worker, or on the queue.
final class Watchdog: @unchecked Sendable {
    /// Timeouts in seconds.
    struct Patience: Hashable, Sendable {
        /// Without progress.
        var stall: Int
        /// In total.
        var total: Int
    }

    /// The worker is stopped where it is: its time stands still. Any thread.
    let isPaused = Atomic(false)
    private let timer: any DispatchSourceTimer
    private var silence = 0
    private var age = 0

    /// Starts; `expired` is called once, on a timeout.
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

    /// The worker has made progress.
    func isAlive() { silence = 0 }

    /// Stops watching.
    func end() { timer.cancel() }

    /// One second has passed.
    private func tick(_ patience: Patience) -> MediaError? {
        if isPaused.load(ordering: .relaxed) { return nil }
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
