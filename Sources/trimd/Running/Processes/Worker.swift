// Worker: one trim-worker process, which serves one request and ends. It owns the socketpair's end, the pidfd
// and the pipe that the process writes its output to; everything happens on the queue of its connection.
// Whoever has it hears once how it went, when the process is gone for good, so that nothing writes to its
// files any more. It believes no answer of a process that has not said that it is sealed, and ends one that
// makes no progress. It knows no job.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Synchronization
internal import Wire

/// One worker process.
final class Worker: Sendable {
    /// How a request went.
    typealias Outcome = Result<JSONValue, MediaError>

    /// What its one request is waiting for.
    struct Client: Sendable {
        var onNotification: @Sendable (_ method: String, _ params: JSONValue) -> Void = { _, _ in }
        /// Each line the process wrote by itself.
        var onOutput: @Sendable (_ line: String) -> Void = { _ in }
        /// Called once, when the process is gone.
        var then: @Sendable (Outcome) -> Void
    }

    private struct State {
        var client: Client?
        var answer: Outcome?
        var status: Int32?
        var disconnected = false
        var killed = false
        var output: [UInt8] = []
        var seal: WorkerSeal?
        var watchdog: Watchdog?
    }

    /// Which process it is.
    let identity: ProcessIdentity
    private let connection: Connection
    private let state = Mutex(State())
    private let pidfd: Descriptor
    private let output: Descriptor
    private let setup: Setup
    private let onSeal: @Sendable (WorkerSeal) -> Void
    /// Its own group of the kernel's, where systemd has delegated a tree of them.
    private let group: Cgroup?

    /// So long a worker may take to end after its answer.
    private static let lastBreath = DispatchTimeInterval.seconds(5)
    /// So long after its death an answer may still be on its way through the socket.
    private static let lastWords = DispatchTimeInterval.seconds(1)
    /// A line of output is cut after so many bytes.
    private static let longestLine = 4096

    /// Starts a process that waits for its request; `onSeal` hears how far it is sealed.
    init(
        starting program: String, _ setup: Setup = Setup(),
        onSeal: @escaping @Sendable (WorkerSeal) -> Void = { _ in }
    ) throws(SystemError) {
        self.setup = setup
        self.onSeal = onSeal
        var sockets = try UnixSocket.pair()
        var pipe = try Descriptor.pipe()
        guard let ours = sockets.takeFirst(), let theirs = sockets.takeSecond(),
            let reading = pipe.takeFirst(),
            let writing = pipe.takeSecond()
        else { throw SystemError("starting", program, code: EBADF) }
        try reading.setNonBlocking()
        // Asked for before there is a process: a group that holds one gives no controllers to its branches.
        let tree = Cgroups.own
        let pid = try Spawn.worker(
            program, setup.arguments, control: theirs.rawValue, log: writing.rawValue)
        output = reading
        do throws(SystemError) {
            pidfd = Descriptor(adopting: try SystemError.check("watching", program) { trim_pidfd_open(pid) })
            connection = try Connection(ours, label: "trimd.worker.\(pid)")
        } catch {
            Glibc.kill(pid, SIGKILL)
            Kernel.await(pid)
            throw error
        }
        group = tree?.enclose(pid)
        identity =
            ProcessTable.identity(of: pid) ?? ProcessIdentity(pid: pid, start: 0, boot: ProcessTable.boot)
        _ = consume theirs
        _ = consume writing
        do throws(SystemError) { try watch() } catch {
            kill()
            Kernel.await(pid)
            throw error
        }
    }

    /// The process is there and has no request yet.
    var isReady: Bool {
        state.withLock { $0.client == nil && $0.status == nil && !$0.killed && !$0.disconnected }
    }

    /// Gives the process its one request, with copies of descriptors that stay the caller's.
    func serve(
        _ method: WorkerMethod, _ params: some Encodable, passing descriptors: [Int32], _ client: Client
    ) {
        let gone = state.withLock { state in
            state.client = client
            return state.status != nil && state.disconnected
        }
        do {
            let message = Message.request(
                id: .int(1), method: method.rawValue, params: try JSONValue(encoding: params))
            _ = try connection.send(message, passing: descriptors)
            connection.queue.async { self.startWatchdog() }
        } catch {
            answer(.failure(MediaError(.unknown, "asking the worker to \(method.rawValue): \(error)")))
            kill()
        }
        // A process that ended before nobody would speak of again.
        if gone { connection.queue.async { self.concludeIfGone() } }
    }

    /// Ends the process and whatever it started, at once. To be called any number of times, from anywhere.
    func kill() {
        // Under the lock, since after the process was reaped its number may be another's.
        state.withLock { state in
            state.killed = true
            guard state.status == nil else { return }
            group?.kill()
            Glibc.kill(-identity.pid, SIGKILL)
            Glibc.kill(identity.pid, SIGKILL)
        }
    }

    // MARK: on the queue of the connection

    private func watch() throws(SystemError) {
        let queue = connection.queue
        // Both keep their descriptors, with this worker, open until the watches have let go of them.
        let lines = try Readiness(of: output.rawValue, on: queue) { [self] lines, _ in
            if !readOutput() { lines.cancel() }
        } cancelled: { [self] in
            _ = output.rawValue
        }
        do throws(SystemError) {
            try Readiness(of: pidfd.rawValue, on: queue) { [self] death, _ in
                if reap() { death.cancel() }
            } cancelled: { [self] in
                _ = pidfd.rawValue
                lines.cancel()
            }
        } catch {
            lines.cancel()
            throw error
        }
        connection.start(
            onMessage: { [self] _, message, _ in received(message) },
            onEnd: { [self] _, _ in
                state.withLock { $0.disconnected = true }
                concludeIfGone()
            })
    }

    private func received(_ message: Message) {
        switch message {
        case .notification(let method, let params): heard(method, params)
        case .response(_, let result): answer(believable(.success(result)))
        case .failure(_, let error): answer(believable(.failure(MediaError(error))))
        case .request: break  // a worker asks nothing
        }
    }

    private func heard(_ method: String, _ params: JSONValue) {
        switch WorkerNotification(rawValue: method) {
        case .sealed:
            guard let seal = try? params.decode(as: WorkerSeal.self) else { return }
            let isFirst = state.withLock { state in
                defer { if state.seal == nil { state.seal = seal } }
                return state.seal == nil
            }
            if isFirst { onSeal(seal) }
        case .alive: state.withLock { $0.watchdog?.isAlive() }
        case .progress, .log, nil:
            let client = state.withLock { state in
                // Words are not work.
                if method == WorkerNotification.progress.rawValue { state.watchdog?.isAlive() }
                return state.client
            }
            client?.onNotification(method, params)
        }
    }

    /// The answer, where the process has the right to give one.
    private func believable(_ outcome: Outcome) -> Outcome {
        let seal = state.withLock { $0.seal }
        if setup.policy == .bestEffort || seal?.missing.isEmpty == true { return outcome }
        if case .failure(let error) = outcome, error.code == .sandboxUnavailable { return outcome }
        kill()
        let why = seal?.missing.joined(separator: "; ") ?? "it never said that it is"
        return .failure(
            MediaError(
                .sandboxUnavailable, "the worker answered and was not sealed: \(why)",
                remedy:
                    "check the installation with `trimctl doctor`: trimd and trim-worker must be of one release"
            ))
    }

    private func startWatchdog() {
        guard state.withLock({ $0.status == nil && $0.answer == nil && $0.watchdog == nil }) else { return }
        let watchdog = Watchdog(setup.patience, on: connection.queue) { [weak self] error in
            self?.answer(.failure(error))
            self?.kill()
        }
        state.withLock { $0.watchdog = watchdog }
    }

    private func answer(_ outcome: Outcome) {
        state.withLock { $0.watchdog?.end() }
        state.withLock { if $0.answer == nil { $0.answer = outcome } }
        connection.queue.asyncAfter(deadline: .now() + Worker.lastBreath) { [weak self] in
            guard let self, self.state.withLock({ $0.status == nil }) else { return }
            self.kill()
        }
    }

    /// Reads what the process wrote; false at the end.
    private func readOutput() -> Bool {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try Kernel.read(output, 16 << 10) } catch {
            return error.code == EAGAIN
        }
        if bytes.isEmpty { return false }
        let (client, lines) = state.withLock { state in
            state.output.append(contentsOf: bytes)
            var lines = state.output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // The last part has no end yet; it waits, unless it is too long.
            let rest = lines.removeLast()
            state.output = rest.count < Worker.longestLine ? Array(rest) : []
            if rest.count >= Worker.longestLine { lines.append(rest) }
            return (
                state.client, lines.map { String(decoding: $0.prefix(Worker.longestLine), as: UTF8.self) }
            )
        }
        for line in lines where !line.isEmpty { client?.onOutput(line) }
        return true
    }

    /// The process is dead; true once its status has been taken.
    private func reap() -> Bool {
        let reaped = state.withLock { state in
            // What it may have started goes with it, before its group's number is free.
            Glibc.kill(-identity.pid, SIGKILL)
            state.status = Kernel.reap(identity.pid)
            state.watchdog?.end()
            return state.status != nil
        }
        guard reaped else { return false }
        group?.remove()
        while hasOutput(), readOutput() {}
        // All that is still to come is the end of the connection. With the answer in hand there is no need to
        // wait for it; without, it comes at once, unless something that the process left behind holds the
        // other side.
        let isAnswered = state.withLock { $0.answer != nil }
        let connection = connection
        connection.queue.asyncAfter(deadline: .now() + (isAnswered ? .nanoseconds(0) : Worker.lastWords)) {
            connection.close()
        }
        concludeIfGone()
        return true
    }

    private func hasOutput() -> Bool { trim_poll(output.rawValue, 1, 0, -1, 0) > 0 }

    /// Tells how it went, once the process is dead and all it said has been read.
    private func concludeIfGone() {
        let (client, outcome): (Client?, Outcome?) = state.withLock { state in
            guard let status = state.status, state.disconnected, let client = state.client else {
                return (nil, nil)
            }
            // Client and answer are given once.
            state.client = nil
            let outcome = state.answer ?? .failure(Worker.death(status))
            return (client, outcome)
        }
        if let client, let outcome { client.then(outcome) }
    }

    /// The error of a process that ended without an answer.
    static func death(_ status: Int32) -> MediaError {
        if trim_wifsignaled(status) == 1 {
            let signal = trim_wtermsig(status)
            let said = "the worker was ended by \(Signals.name(signal)) before it had an answer"
            switch signal {
            case SIGKILL:
                return MediaError(
                    .workerCrashed, said, remedy: "if the machine was short of memory, run fewer workers")
            case SIGSYS:
                return MediaError(
                    .sandboxViolation,
                    said
                        + ": it asked the kernel for what a sealed worker may not do; the file may be an attack"
                )
            case SIGXCPU:
                return MediaError(
                    .timeLimitReached, "the worker used all the processor time a job may have",
                    remedy: "raise limits.jobSeconds in trimd.json")
            default: return MediaError(.workerCrashed, said)
            }
        }
        return MediaError(
            .workerCrashed, "the worker ended with status \(trim_wexitstatus(status)) before it had an answer"
        )
    }
}
