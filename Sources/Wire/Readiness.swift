// A Dispatch source on a descriptor that can be paused and cancelled at any time without the traps of the bare one (a
// suspended source must not be released; suspensions are counted). Its owner calls it on the source's queue only, and
// keeps the descriptor open until `cancelled` has run. It reads and writes nothing.
internal import Dispatch

/// Says when a descriptor can be read or written.
final class Readiness {
    /// What to wait for.
    enum Direction {
        case reading
        case writing
    }

    private let source: any DispatchSourceProtocol
    private var running = false
    private var ended = false

    /// A paused watch. Both closures run on the queue and are let go of after `cancelled`.
    init(
        _ direction: Direction, of raw: Int32, on queue: DispatchQueue, ready: @escaping @Sendable () -> Void,
        cancelled: @escaping @Sendable () -> Void
    ) {
        switch direction {
        case .reading: source = DispatchSource.makeReadSource(fileDescriptor: raw, queue: queue)
        case .writing: source = DispatchSource.makeWriteSource(fileDescriptor: raw, queue: queue)
        }
        source.setEventHandler(handler: ready)
        source.setCancelHandler(handler: cancelled)
    }

    deinit {
        cancel()
    }

    /// Starts, or goes on.
    func resume() {
        guard !running, !ended else { return }
        running = true
        source.resume()
    }

    /// Pauses.
    func suspend() {
        guard running, !ended else { return }
        running = false
        source.suspend()
    }

    /// Ends for good; `cancelled` runs once, later.
    func cancel() {
        guard !ended else { return }
        ended = true
        source.cancel()
        if !running { source.resume() }
    }
}
