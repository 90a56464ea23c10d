// WorkerPool: gives out worker processes, one request each, and keeps one started ahead, since a program with
// 168 shared libraries takes its time to start. It owns the spare only; a worker that was given out is its
// taker's. Any thread; new spares are started on the pool's own queue.
internal import Dispatch
internal import Glibc
internal import Media
internal import Synchronization
internal import Wire

/// Where workers come from.
final class WorkerPool: Sendable {
    private struct State {
        var spare: Worker?
        var isStarting = false
        var isClosed = false
    }

    /// The program each worker runs.
    let program: String
    private let queue = DispatchQueue(label: "trimd.pool")
    private let state = Mutex(State())
    private let log: Log

    /// A pool without a spare; `prepare` makes one.
    init(program: String, log: Log) {
        self.program = program
        self.log = log
    }

    /// A worker that waits for its request: the spare, or a new one. The next spare is started behind it.
    func take() throws(MediaError) -> Worker {
        let (spare, isClosed) = state.withLock { state in
            defer { state.spare = nil }
            return (state.spare, state.isClosed)
        }
        guard !isClosed else { throw MediaError(.operationInterrupted, "trimd is ending") }
        defer { prepare() }
        if let spare, spare.isReady { return spare }
        spare?.kill()
        do throws(SystemError) {
            return try Worker(starting: program)
        } catch {
            throw MediaError(.workerCrashed, "no worker could be started: \(error)")
        }
    }

    /// Takes a worker back that was given no request.
    func giveBack(_ worker: Worker) {
        let kept = state.withLock { state in
            guard state.spare == nil, !state.isClosed, worker.isReady else { return false }
            state.spare = worker
            return true
        }
        if !kept { worker.kill() }
    }

    /// Starts a spare, if there is none.
    func prepare() {
        let isWanted = state.withLock { state in
            guard state.spare == nil, !state.isStarting, !state.isClosed else { return false }
            state.isStarting = true
            return true
        }
        guard isWanted else { return }
        queue.async { [self] in
            do throws(SystemError) {
                let worker = try Worker(starting: program)
                state.withLock { $0.isStarting = false }
                giveBack(worker)
            } catch {
                state.withLock { $0.isStarting = false }
                log.error("no worker could be started: \(error)")
            }
        }
    }

    /// Ends the spare; no more workers are given out.
    func close() {
        let spare = state.withLock { state in
            state.isClosed = true
            defer { state.spare = nil }
            return state.spare
        }
        spare?.kill()
    }
}
