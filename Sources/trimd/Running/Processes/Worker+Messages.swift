// The messages of a worker, on the queue of its connection: its sandbox report, its progress, its single answer. Worker output
// is untrusted: the file it reads may have compromised it.
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Media
internal import Synchronization
internal import Text
internal import Wire

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

    func startWatchdog() {
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
