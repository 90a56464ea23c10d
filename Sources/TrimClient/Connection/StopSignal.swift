// Ends or wakes the wait of a thread that talks to the daemon. A thread waits in `poll`, which a task's cancellation does not reach:
// so each such thread has a pipe of its own, its Interrupts, and this is the end of it that any task may hold. Any thread.
internal import Synchronization

/// A stop request for a thread that waits for the daemon.
final class StopSignal: Sendable {
    private struct State {
        var raiser: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Whether it has been stopped.
    var isStopped: Bool { state.withLock(\.isStopped) }

    /// Ends the wait, also one that begins later.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.raiser?()
        }
    }

    /// Ends the present wait; the thread looks what there is to do, and goes on.
    func wake() { state.withLock { $0.raiser?() } }

    /// Runs a body whose waits it ends.
    func governing<Result>(_ body: (Interrupts) throws -> Result) rethrows -> Result {
        let interrupts = Interrupts()
        state.withLock { state in
            state.raiser = interrupts.raiser
            if state.isStopped { state.raiser?() }
        }
        // The pipe's number may be another file's after its end.
        defer { state.withLock { $0.raiser = nil } }
        return try body(interrupts)
    }
}
