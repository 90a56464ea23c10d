// Worker: one trim-worker process, which serves one request and exits. It owns the socketpair's end, the pidfd and the pipe of
// the process's output; everything runs on the queue of its connection. It reports the outcome once: when the process is gone,
// so that nothing writes to its files any more, or when it cannot be killed; of a request that writes to none, it passes the answer on
// at once, since the end of a process with so many libraries takes some milliseconds. It rejects the answer of a process that has not
// reported its sandbox, and kills one that makes no progress. It knows no job.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

/// One worker process.
final class Worker: Sendable {
    /// The outcome of a request.
    typealias Outcome = Result<JSONValue, MediaError>

    /// The callbacks of its one request.
    struct Client: Sendable {
        /// Receives progress and log lines; nil: they are dropped.
        var inbox: WorkerInbox?
        /// Opens the files that its source names; nil: none.
        var files: SourceFiles?
        /// Called once, with the answer, before `then`: the process may still run. For requests without a file that it writes to.
        var onAnswer: (@Sendable (Outcome) -> Void)?
        /// Called when a process that was given up has gone after all.
        var onGone: @Sendable () -> Void = {}
        /// Called once, when the process is gone; or with a failure when it is given up because it waits for a disk in the
        /// kernel and cannot be killed (`isStuck`).
        var then: @Sendable (Outcome) -> Void
    }

    struct State {
        var client: Client?
        var answer: Outcome?
        var status: Int32?
        /// The most memory that the process had resident, in bytes; 0: unknown.
        var peak: Int64 = 0
        var disconnected = false
        var killed = false
        var isStuck = false
        /// The process is stopped where it is.
        var isPaused = false
        var output: [UInt8] = []
        /// The bytes of its output read in this interval.
        var outputBytes = 0
        var seal: WorkerSeal?
        var watchdog: Watchdog?
        /// Files of a playlist are being opened for it.
        var isOpening = false
    }

    /// The process's identity.
    let identity: ProcessIdentity
    /// The PID of the fork server that forked it; nil: it was started as a program.
    let server: Int32?
    let connection: Connection
    let state = Mutex(State())
    private let pidfd: Descriptor
    private let output: Descriptor
    let setup: Setup
    private let onSeal: @Sendable (WorkerSeal) -> Void
    /// Its control group, if systemd has delegated a tree.
    private let group: Cgroup?

    /// How long a worker may take to exit after its answer.
    private static let exitTimeout = DispatchTimeInterval.seconds(5)
    /// How long an answer may still arrive through the socket after the worker's death.
    private static let drainTimeout = DispatchTimeInterval.seconds(1)
    /// How long a killed process takes to go, unless it waits in the kernel.
    private static let killTime = DispatchTimeInterval.seconds(10)
    /// The most processes that are given up; beyond, the owner waits for their end, so that they do not pile up.
    private static let mostStuck = 16
    private static let stuck = Atomic(0)
    /// How many bytes of the process's output are read per interval; then it waits.
    private static let outputRate = 64 << 10
    private static let outputInterval = DispatchTimeInterval.milliseconds(100)

    /// Starts a process that waits for its request, by the server where one can, otherwise as a program; `onSeal` receives its
    /// sandbox report.
    init(
        starting program: String, _ setup: Setup = Setup(), by server: ForkServerSupervisor? = nil,
        onSeal: @escaping @Sendable (WorkerSeal) -> Void = { _ in }
    ) throws(SystemError) {
        self.setup = setup
        self.onSeal = onSeal
        var sockets = try Descriptor.socketPair()
        var pipe = try Descriptor.pipe()
        guard let ours = sockets.takeFirst(), let theirs = sockets.takeSecond(),
            let reading = pipe.takeFirst(),
            let writing = pipe.takeSecond()
        else { throw SystemError("starting", program, code: EBADF) }
        try reading.setNonBlocking()
        // Set up before any process exists: a group with processes cannot enable controllers for its branches.
        let tree = Cgroups.own
        let pid: pid_t
        if let forked = server?.fork(control: theirs.rawValue, log: writing.rawValue) {
            (pid, self.server) = forked
        } else {
            self.server = nil
            var spawn = Spawn(program, setup.arguments, log: .descriptor(writing.rawValue))
            spawn.control = theirs.rawValue
            pid = try spawn.start()
        }
        output = reading
        do throws(SystemError) {
            pidfd = Descriptor(adopting: try SystemError.check("watching", program) { trim_pidfd_open(pid) })
            connection = try Connection(ours, label: "trimd.worker.\(pid)", limits: Worker.connectionLimits)
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

    /// Whether the process runs and has no request yet.
    var isReady: Bool {
        state.withLock { $0.client == nil && $0.status == nil && !$0.killed && !$0.disconnected }
    }

    /// Sends the process its one request, with duplicates of descriptors that the caller keeps.
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
            answer(.failure(MediaError("asking the worker to \(method.rawValue)", error)))
            kill()
        }
        // The process ended before; nothing else would report it.
        if gone { connection.queue.async { self.concludeIfGone() } }
    }

    /// Kills the process and every process it started, at once. May be called repeatedly, from any thread.
    func kill() {
        // Under the lock: once the process is reaped, its PID may be reused.
        let isFirst = state.withLock { state in
            defer { state.killed = true }
            guard state.status == nil else { return false }
            group?.kill()
            Glibc.kill(-identity.pid, SIGKILL)
            Glibc.kill(identity.pid, SIGKILL)
            return !state.killed
        }
        guard isFirst else { return }
        connection.queue.asyncAfter(deadline: .now() + Worker.killTime) { [weak self] in self?.giveUp() }
    }

    /// The process was given up: it cannot be killed, and may still write to its files.
    var isStuck: Bool { state.withLock(\.isStuck) }

    /// Reports that the killed process does not go.
    private func giveUp() {
        let (client, outcome): (Client?, Outcome) = state.withLock { state in
            // Not the file's fault, as a worker's that makes no progress may be: it is tried again.
            let silent = MediaError(
                .inputOutput, "the worker was ended and does not go: a disk or server does not answer",
                remedy: "see to the disk that the file lies on, then try again")
            guard state.status == nil, !state.isStuck, let client = state.client,
                Worker.stuck.load(ordering: .relaxed) < Worker.mostStuck
            else { return (nil, .failure(silent)) }
            Worker.stuck.add(1, ordering: .relaxed)
            state.isStuck = true
            if case .failure(let error)? = state.answer { return (client, .failure(error)) }
            return (client, .failure(silent))
        }
        client?.then(outcome)
    }

    // MARK: on the queue of the connection

    private func watch() throws(SystemError) {
        let queue = connection.queue
        // Both sources keep this worker, and with it the descriptors, alive until they are cancelled.
        let lines = try Readiness(of: output.rawValue, on: queue) { [self] lines, _ in
            if !readOutput() { return lines.cancel() }
            slowDown(lines)
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

    /// Pauses a process that writes too much.
    private func slowDown(_ lines: Readiness) {
        let isTooMuch = state.withLock { $0.outputBytes >= Worker.outputRate }
        guard isTooMuch else { return }
        lines.suspend(.reading)
        connection.queue.asyncAfter(deadline: .now() + Worker.outputInterval) { [self] in
            state.withLock { $0.outputBytes = 0 }
            lines.resume(.reading)
        }
    }

    /// Reads the process's output; false at the end.
    private func readOutput() -> Bool {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try Kernel.read(output, 16 << 10) } catch {
            return error.code == EAGAIN
        }
        if bytes.isEmpty { return false }
        let (client, lines) = state.withLock { state in
            state.outputBytes += bytes.count
            state.output.append(contentsOf: bytes)
            var lines = state.output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // The last line is incomplete and is kept, unless it is too long.
            let rest = lines.removeLast()
            state.output = rest.count < WorkerInbox.longestLine ? Array(rest) : []
            if rest.count >= WorkerInbox.longestLine { lines.append(rest) }
            return (state.client, lines.map { String(decoding: $0, as: UTF8.self) })
        }
        for line in lines where !line.isEmpty { client?.inbox?.take("worker: " + line) }
        return true
    }

    /// Reaps the dead process; true once its status is known.
    private func reap() -> Bool {
        let reaped = state.withLock { state in
            // Kills its process group too, before the group ID can be reused.
            Glibc.kill(-identity.pid, SIGKILL)
            let end = Kernel.reapMeasured(identity.pid)
            (state.status, state.peak) = (end?.status, end?.peak ?? 0)
            state.watchdog?.end()
            return state.status != nil
        }
        guard reaped else { return false }
        group?.remove()
        // Reads only what is left in the pipe, not what another process keeps writing to it.
        for _ in 0..<8 where hasOutput() && readOutput() {}
        // Only the end of the connection is still to come. With an answer there is no need to wait for it; without one, it
        // comes at once unless a leftover process holds the other end.
        let isAnswered = state.withLock { $0.answer != nil }
        let connection = connection
        connection.queue.asyncAfter(deadline: .now() + (isAnswered ? .nanoseconds(0) : Worker.drainTimeout)) {
            connection.close()
        }
        concludeIfGone()
        return true
    }

    private func hasOutput() -> Bool { trim_poll(output.rawValue, 1, 0, -1, 0) > 0 }

    /// Reports the outcome, once the process is dead and all its output is read.
    private func concludeIfGone() {
        let (client, outcome): (Client?, Outcome?) = state.withLock { state in
            guard let status = state.status, state.disconnected, let client = state.client else {
                return (nil, nil)
            }
            // Client and answer are used once.
            state.client = nil
            return (client, state.isStuck ? nil : state.answer ?? .failure(Worker.death(status)))
        }
        guard let client else { return }
        if let outcome { return client.then(outcome) }
        Worker.stuck.subtract(1, ordering: .relaxed)
        client.onGone()
    }
}

// Further files for a worker, the most that it may write, and what it took of the machine. Any thread.
extension Worker {
    /// Passes duplicates of further files of its request.
    func pass(_ descriptors: [Int32]) throws(MediaError) {
        let message = Message.notification(method: DaemonNotification.files.rawValue, params: .empty)
        do throws(SystemError) {
            _ = try connection.send(message, passing: descriptors)
        } catch { throw MediaError(.limitReached, "passing files to a worker: \(error)") }
    }

    /// Opens files of a playlist, as it asks. A worker that is not sealed as required gets none.
    func open(_ request: SegmentRequest) {
        let isSealed = setup.policy == .bestEffort || state.withLock { $0.seal?.missing.isEmpty == true }
        let isTooEarly = state.withLock { state in
            defer { state.isOpening = true }
            return state.isOpening || state.answer != nil
        }
        guard (1...SegmentRequest.most).contains(request.names.count), isSealed, !isTooEarly else {
            return nonsense("a request of \(request.names.count) files")
        }
        guard let files = state.withLock({ $0.client?.files }) else {
            let why = MediaError(.playlist, "a playlist is not taken here")
            return give(request.names.map { _ in .failure(why) })
        }
        files.open(request.names) { [weak self] answers in self?.give(answers) }
    }

    private func give(_ answers: [SourceFiles.Answer]) {
        state.withLock { $0.isOpening = false }
        // It asks for what its source does not name: it does not serve its request any more.
        for case .failure(let error) in answers where error.code == .sandboxViolation {
            answer(.failure(error))
            return kill()
        }
        var files: [OpenedFile] = []
        let reply = SegmentAnswer(
            files: answers.map { answer in
                switch answer {
                case .success(let file):
                    files.append(file)
                    return SegmentAnswer.File(identity: file.identity.version)
                case .failure(let error): return SegmentAnswer.File(error: error)
                }
            })
        do {
            let message = try Message.notification(
                method: DaemonNotification.segments.rawValue, params: JSONValue(encoding: reply))
            _ = try connection.send(message, passing: files.map(\.descriptor))
        } catch {
            answer(.failure(MediaError("passing files to a worker", error)))
            kill()
        }
        withExtendedLifetime(files) {}
    }

    /// Limits the size of the files that the process writes from now on; a larger write fails with EFBIG.
    func limitOutput(to bytes: Int64) throws(SystemError) {
        let pid = identity.pid
        try SystemError.check("limiting the output of", "worker \(pid)") {
            trim_limit_file_size(pid, UInt64(clamping: bytes))
        }
    }

    /// Whether it has taken all that was sent to it, or has gone.
    var hasTakenAll: Bool { !connection.hasUnsent }

    /// The most memory that the process had resident, in bytes; 0 before it has gone.
    var peakMemory: Int64 { state.withLock { $0.peak } }
}

// The messages of a worker, on the queue of its connection: its sandbox report, its progress, its single answer. Worker output
// is untrusted: the file it reads may have compromised it.
extension Worker {
    func received(_ message: Message) {
        switch message {
        case .notification(let method, let params): notified(method, params)
        case .response(.int(1), let result): answer(believable(.success(result)))
        case .failure(.int(1), let error): answer(believable(.failure(Worker.cut(MediaError(error)))))
        case .response, .failure: nonsense("an answer to nothing")
        // A worker may send no requests.
        case .request(_, let method, _): nonsense("the request '\(method.prefix(64))'")
        }
    }

    private func notified(_ method: String, _ params: JSONValue) {
        guard let known = WorkerNotification(rawValue: method) else {
            return nonsense("the notification '\(method.prefix(64))'")
        }
        guard WorkerAccess.of(known).time == .always || state.withLock({ $0.client != nil }) else {
            return nonsense("\(method) before it had a request")
        }
        do throws(WireError) {
            switch known {
            case .sealed: sealed(try params.decode(as: WorkerSeal.self))
            case .alive: state.withLock { $0.watchdog?.isAlive() }
            case .progress:
                let progress = try params.decode(as: Progress.self)
                // A hung worker can repeat the same progress forever.
                guard state.withLock({ $0.client })?.inbox?.take(progress) == true else { return }
                state.withLock { $0.watchdog?.isAlive() }
            case .planned: state.withLock { $0.client }?.inbox?.take(try params.decode(as: WorkerPlan.self))
            case .segments: open(try params.decode(as: SegmentRequest.self))
            case .log: state.withLock { $0.client }?.inbox?.take(try params.decode(as: WorkerLog.self).line)
            }
        } catch { nonsense("\(method): \(error)") }
    }

    private func sealed(_ seal: WorkerSeal) {
        let isFirst = state.withLock { state in
            defer { if state.seal == nil { state.seal = seal } }
            return state.seal == nil
        }
        if isFirst { onSeal(seal) }
    }

    /// An error with its texts cut to a readable length.
    private static func cut(_ error: MediaError) -> MediaError {
        var error = error
        error.message = WorkerInbox.cut(error.message)
        error.remedy = error.remedy.map(WorkerInbox.cut)
        return error
    }

    /// Ends a worker that violates the protocol: it is another program, or broken.
    func nonsense(_ what: String) {
        answer(
            .failure(MediaError(.workerCrashed, "the worker was ended: it said what makes no sense: \(what)"))
        )
        kill()
    }

    /// The answer, if the process was sealed as required.
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
        state.withLock { state in
            watchdog.isPaused.store(state.isPaused, ordering: .relaxed)
            state.watchdog = watchdog
        }
    }

    func answer(_ outcome: Outcome) {
        let (isFirst, onAnswer) = state.withLock { state in
            state.watchdog?.end()
            defer { if state.answer == nil { state.answer = outcome } }
            return (state.answer == nil, state.client?.onAnswer)
        }
        guard isFirst else { return }
        onAnswer?(outcome)
        // No further message is expected.
        connection.pause()
        connection.queue.asyncAfter(deadline: .now() + Worker.exitTimeout) { [weak self] in
            guard let self, self.state.withLock({ $0.status == nil }) else { return }
            self.kill()
        }
    }

    /// The error for a process that ended without an answer.
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

// The pause of a worker: its processes are stopped where they are, and its timeouts stand still. Any thread.
extension Worker {
    /// Stops the process and its group, or lets them go on. A stopped process is killed as any other; it is stopped also before
    /// it has its request.
    func pause(_ isOn: Bool) {
        // Under the lock: once the process is reaped, its PID may be reused.
        state.withLock { state in
            guard state.status == nil, !state.killed else { return }
            state.isPaused = isOn
            state.watchdog?.isPaused.store(isOn, ordering: .relaxed)
            Glibc.kill(-identity.pid, isOn ? SIGSTOP : SIGCONT)
        }
    }
}

// How a worker is started, its timeouts, and the limits of its connection. Values only.
extension Worker {
    /// How a worker is started.
    struct Setup: Hashable, Sendable {
        /// Whether the answer of an unsealed worker counts.
        var policy = SandboxPolicy.required
        /// Whether workers are forked from a server that has loaded their libraries.
        var forks = false
        /// Whether that server does what workers would each do at their beginning: 40 ms at its start, for 5 ms of each.
        var preparesForks = true
        /// The files of the fonts that text subtitles are drawn in.
        var fonts: [String] = []
        /// The resource limits of its job.
        var limits = Limits()

        /// The arguments of the process.
        var arguments: [String] {
            var words = ["--sandbox", policy.rawValue, "--seconds", "\(limits.jobSeconds)"]
            if let memory = limits.memoryMiB { words += ["--memory", "\(memory)"] }
            if let output = limits.outputMiB { words += ["--output", "\(output)"] }
            for font in fonts { words += ["--font", font] }
            return words
        }

        /// The arguments of the fork server.
        var serverArguments: [String] {
            ["--fork-server"] + (preparesForks ? [] : ["--unprepared"]) + arguments
        }

        /// Its timeouts.
        var patience: Watchdog.Patience {
            Watchdog.Patience(stall: limits.stallSeconds, total: limits.jobSeconds)
        }
    }

    /// Limits of the connection: no descriptors, and only the message rate that a legitimate worker needs. The excess waits in
    /// the socket and blocks the process.
    static var connectionLimits: Connection.Limits {
        var limits = Connection.Limits()
        limits.descriptors = 0
        (limits.messageRate, limits.byteRate) = (200, 4 << 20)
        (limits.sentLine, limits.outbox) = (LineFramer.joinLimit, 4 * LineFramer.joinLimit)
        return limits
    }
}
