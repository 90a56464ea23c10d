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
        var folder: SourceFolder?
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
    let onSeal: @Sendable (WorkerSeal) -> Void
    /// Its control group, if systemd has delegated a tree.
    private let group: Cgroup?

    /// How long a worker may take to exit after its answer.
    static let exitTimeout = DispatchTimeInterval.seconds(5)
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
