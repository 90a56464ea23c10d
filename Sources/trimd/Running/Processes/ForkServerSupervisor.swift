// ForkServerSupervisor: keeps one fork server running: starts it anew when it has died, or when the program or a library on disk
// is another than the one it has loaded. Workers of the server before go on. While there is none, the pool starts each worker as
// a program. It owns the server. Any thread; servers are started and buried on a queue of its own.
internal import Dispatch
internal import Glibc
internal import Platform
internal import Synchronization

/// Keeps a fork server running.
final class ForkServerSupervisor: Sendable {
    private struct State {
        var server: ForkServer?
        var isStarting = false
        /// Somebody waited in vain for the one that is being started.
        var isSlow = false
        var isClosed = false
        /// Servers in a row that have forked nothing.
        var failures = 0
        /// Whether this server has forked.
        var hasForked = false
        /// When the files on disk were compared last.
        var compared = ContinuousClock.now
        /// Called on the supervisor's queue when a server takes requests.
        var onServing: (@Sendable () -> Void)?
    }

    private let program: String
    private let arguments: [String]
    private let log: Log
    private let queue = DispatchQueue(label: "trimd.fork-server")
    /// Entered while a server is being started.
    private let start = DispatchGroup()
    private let state = Mutex(State())

    /// How often the files on disk are compared at most.
    private static let comparison = Duration.seconds(1)
    /// How long a caller waits for a server that is being started: as long as a program takes to start.
    private static let patience = DispatchTimeInterval.milliseconds(300)
    /// The longest pause before another is tried, in seconds.
    private static let longestPause = 60

    /// A supervisor without a server; `begin` starts one.
    init(program: String, arguments: [String], log: Log) {
        self.program = program
        self.arguments = arguments
        self.log = log
    }

    deinit { close() }

    /// Starts a server, unless there is one; returns at once.
    /// - Parameter onServing: called when this server, or one after it, takes requests.
    func begin(_ onServing: @escaping @Sendable () -> Void) {
        state.withLock { $0.onServing = onServing }
        begin(after: 0)
    }

    /// Ends the server.
    func close() {
        let server = state.withLock { state in
            state.isClosed = true
            return state.server.take()
        }
        server?.end()
    }

    /// Whether a server is being started.
    var isStarting: Bool { state.withLock { $0.isStarting } }

    /// The server's PID; nil: there is none.
    var pid: Int32? { state.withLock { $0.server?.pid } }

    /// The PID of the server that has loaded what is on disk now; nil: there is none just now. Waits for one that is being started.
    var currentPID: Int32? { current()?.pid }

    /// Forks a process with a control socket and a log, which the caller keeps.
    /// - Returns: its PID and the server's; nil: there is no server just now.
    func fork(control: Int32, log descriptor: Int32) -> (pid: Int32, server: Int32)? {
        guard let server = current() else { return nil }
        do throws(SystemError) {
            let pid = try server.fork(control: control, log: descriptor)
            state.withLock { state in
                state.failures = 0
                state.hasForked = true
            }
            return (pid, server.pid)
        } catch {
            lose(server, "\(error)")
            return nil
        }
    }

    /// Waits for a server that is being started, unless that takes long.
    private func awaitStart() {
        guard !state.withLock(\.isSlow) else { return }
        if start.wait(timeout: .now() + ForkServerSupervisor.patience) == .timedOut {
            state.withLock { $0.isSlow = true }
        }
    }

    /// The server that has loaded what is on disk now.
    private func current() -> ForkServer? {
        awaitStart()
        let (server, isDue) = state.withLock { state in
            let isDue = ContinuousClock.now - state.compared > ForkServerSupervisor.comparison
            if isDue { state.compared = .now }
            return (state.server, isDue)
        }
        guard let server, isDue, let file = server.changedFile else { return server }
        log.info("\(file) is another than the one that the fork server has loaded: it is started anew")
        let isOurs = drop(server)
        server.end()
        if isOurs { begin(after: 0) }
        awaitStart()
        return state.withLock { $0.server }
    }

    /// Takes a server off its duty; false if another took its place.
    private func drop(_ server: ForkServer) -> Bool {
        state.withLock { state in
            guard state.server === server else { return false }
            state.server = nil
            return true
        }
    }

    /// Buries a server that died or does not answer, and starts the next.
    private func lose(_ server: ForkServer, _ why: String) {
        let isOurs = drop(server)
        server.end()
        if isOurs { failed(why) }
    }

    /// Tries again: at once after the first failure, then later each time.
    private func failed(_ why: String) {
        let failures = state.withLock { state in
            state.failures += state.hasForked ? 0 : 1
            state.hasForked = false
            return state.isClosed ? nil : state.failures
        }
        guard let failures else { return }
        log.warning("the fork server has ended (\(why)): until the next, workers are started as programs")
        begin(after: failures < 2 ? 0 : min(1 << min(failures - 2, 10), ForkServerSupervisor.longestPause))
    }

    private func begin(after seconds: Int) {
        let isWanted = state.withLock { state in
            guard state.server == nil, !state.isStarting, !state.isClosed else { return false }
            (state.isStarting, state.isSlow) = (seconds == 0, false)
            return true
        }
        guard isWanted else { return }
        guard seconds == 0 else {
            return queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
                self?.begin(after: 0)
            }
        }
        start.enter()
        queue.async { [self] in
            let failure: SystemError?
            do throws(SystemError) {
                let server = try makeServer()
                failure = nil
                let isLate = state.withLock { state in
                    state.isStarting = false
                    guard !state.isClosed else { return true }
                    (state.server, state.hasForked, state.compared) = (server, false, .now)
                    return false
                }
                if isLate { server.end() } else { state.withLock { $0.onServing }?() }
            } catch {
                failure = error
                state.withLock { $0.isStarting = false }
            }
            start.leave()
            if let failure { failed("\(failure)") }
        }
    }

    private func makeServer() throws(SystemError) -> ForkServer {
        // Set up before any process exists: a group with processes cannot enable controllers for its branches.
        _ = Cgroups.own
        let server = try ForkServer(
            Spawn(program, arguments, log: .appending("/dev/null")))
        try server.watch(on: queue) { [weak self, weak server] in
            if let self, let server { self.lose(server, "it died") }
        }
        return server
    }
}
