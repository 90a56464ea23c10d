// WorkerPool: hands out worker processes, one request each. It keeps one spare, sealed and without a request, so that nobody waits
// for a start: that takes a few milliseconds where a fork server makes it, and twenty times as long where each is a program with
// 168 shared libraries. It owns the fork server and the spare only; its taker owns a worker. Any thread; spares are started on the
// pool's own queue.
internal import Dispatch
internal import Glibc
internal import Media
internal import Platform
internal import Synchronization
internal import Wire

/// Starts workers.
final class WorkerPool: Sendable {
    private struct State {
        var spare: Worker?
        var isStarting = false
        var isClosed = false
        var seal: WorkerSeal?
    }

    /// The worker's program.
    let program: String
    /// How workers are started.
    let setup: Worker.Setup
    private let forkServer: ForkServerSupervisor?
    private let queue = DispatchQueue(label: "trimd.pool")
    private let state = Mutex(State())
    private let log: Log

    /// A pool that has started nothing; `prepare` does.
    init(program: String, _ setup: Worker.Setup = Worker.Setup(), log: Log) {
        self.program = program
        forkServer =
            setup.forks
            ? ForkServerSupervisor(program: program, arguments: setup.serverArguments, log: log) : nil
        self.setup = setup
        self.log = log
    }

    /// A worker that waits for its request: the spare, or a new one. Prepares the next.
    func take() throws(MediaError) -> Worker {
        defer { prepare() }
        return try borrow()
    }

    /// A worker that may be given back; whoever gives it a request calls `prepare`.
    func borrow() throws(MediaError) -> Worker {
        let (spare, isClosed) = state.withLock { state in
            defer { state.spare = nil }
            return (state.spare, state.isClosed)
        }
        guard !isClosed else { throw MediaError(.operationInterrupted, "trimd is ending") }
        // One of another server has loaded other libraries than those on disk now.
        let server = forkServer?.currentPID
        if let spare, spare.isReady, spare.server == server { return spare }
        spare?.kill()
        do throws(SystemError) {
            return try start()
        } catch {
            throw MediaError(.workerCrashed, "no worker could be started: \(error)")
        }
    }

    /// Takes back a worker that was given no request.
    func giveBack(_ worker: Worker) {
        let kept = state.withLock { state in
            guard state.spare == nil, !state.isClosed, worker.isReady else { return false }
            state.spare = worker
            return true
        }
        if !kept { worker.kill() }
    }

    /// Starts the fork server if there is none, and a spare: at once, or as soon as the server that is being started forks it.
    func prepare() {
        forkServer?.begin { [weak self] in self?.keepSpare() }
        if forkServer?.isStarting != true { keepSpare() }
    }

    /// Starts a spare if there is none.
    private func keepSpare() {
        let isWanted = state.withLock { state in
            guard state.spare == nil, !state.isStarting, !state.isClosed else { return false }
            state.isStarting = true
            return true
        }
        guard isWanted else { return }
        queue.async { [self] in
            do throws(SystemError) {
                let worker = try start()
                state.withLock { $0.isStarting = false }
                giveBack(worker)
            } catch {
                state.withLock { $0.isStarting = false }
                log.error("no worker could be started: \(error)")
            }
        }
    }

    /// The last worker's sandbox report; nil before the first.
    var seal: WorkerSeal? { state.withLock { $0.seal } }

    private func start() throws(SystemError) -> Worker {
        try Worker(starting: program, setup, by: forkServer) { [self] seal in
            let isNews = state.withLock { state in
                defer { state.seal = seal }
                return state.seal != seal
            }
            guard isNews else { return }
            let abi = seal.landlock.map { "Landlock \($0)" } ?? "no Landlock"
            let filter = seal.seccomp ? "seccomp" : "no seccomp"
            if seal.missing.isEmpty { return log.info("workers are sealed: \(abi), \(filter)") }
            let missing = seal.missing.joined(separator: "; ")
            switch setup.policy {
            case .required: log.error("workers cannot be sealed and will do nothing: \(missing)")
            case .bestEffort: log.warning("workers are NOT fully sealed (\(abi), \(filter)): \(missing)")
            }
        }
    }

    /// The fork server's PID; nil: there is none.
    var forkServerPID: Int32? { forkServer?.pid }

    /// The spare's PID; nil: there is none.
    var sparePID: Int32? { state.withLock { $0.spare?.identity.pid } }

    /// Ends the fork server and the spare; no more workers are handed out.
    func close() {
        let spare = state.withLock { state in
            state.isClosed = true
            defer { state.spare = nil }
            return state.spare
        }
        forkServer?.close()
        spare?.kill()
    }
}
