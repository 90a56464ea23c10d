// The end of an attempt, written down. An attempt that has ended stays in memory until the queue has its end: where that cannot
// be written (its disk is full, its file was moved away), it is tried again, each time later, for as long as it takes. What is
// known is told meanwhile. On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension JobRun {
    /// What becomes of the job of an attempt.
    enum Event: Sendable {
        /// It has come to an end that is not written down yet; so it will be.
        case foreseen(Job)
        /// Its end is written down.
        case ended(Job)
    }

    /// How long the queue is waited for.
    struct Patience {
        /// What is tried next; nil: nothing waits.
        var next: (@Sendable () -> Void)?
        private var tries = 0
        /// How often something was to be tried, for a timer to know whether it is late.
        private(set) var count = 0

        /// The next wait: a quarter of a second, twice as long each time, ten seconds at most.
        mutating func delay() -> DispatchTimeInterval {
            defer { tries = min(tries + 1, 6) }
            return .milliseconds(min(250 << tries, 10_000))
        }

        /// Something else waits from now on.
        mutating func wait(for next: @escaping @Sendable () -> Void) -> Int {
            self.next = next
            count += 1
            return count
        }

        /// Whether the same may succeed later. An attempt that does not have its job any more stays without it.
        static func isWorthWhile(_ error: MediaError) -> Bool {
            switch error.code {
            case .jobNotFound, .invalidRequest, .jobStateNotValid, .fileAlreadyExists: false
            default: true
            }
        }
    }

    /// Writes down how the attempt ended, and tells it.
    func conclude(_ end: AttemptEnd) {
        dispatchPrecondition(condition: .onQueue(queue))
        do throws(MediaError) {
            let done = try context.store.end(job.id, attempt: job.attempts, end)
            if end == .completed {
                context.unfinished.remove(job)
                note("completed in \(JobRun.seconds(since: began)) s: \(published?.publication.name ?? "")")
            }
            if let due = done.due { note("to be tried again at \(due)") }
            finish(done)
        } catch {
            guard Patience.isWorthWhile(error) else { return abandon(error) }
            foretell(end, error)
            wait(error) { [self] in conclude(end) }
        }
    }

    /// Waits for the queue, then does `next`, on the run's queue.
    func wait(_ error: MediaError, then next: @escaping @Sendable () -> Void) {
        if patience.next == nil {
            context.log.error(
                "job \(job.id): its end cannot be written down, which is tried again until it can: \(error)",
                about: job)
        }
        let number = patience.wait(for: next)
        let isEnding = control.withLock { control in
            control.waits = true
            return control.stop == .shutdown
        }
        if isEnding { return abandon(error) }
        queue.asyncAfter(deadline: .now() + patience.delay()) { [self] in
            if patience.count == number { resume() }
        }
    }

    /// Does what waits, now.
    func resume() {
        dispatchPrecondition(condition: .onQueue(queue))
        let next = control.withLock { control in
            defer { control.waits = false }
            return control.waits ? patience.next : nil
        }
        next?()
    }

    /// Tells what is known of the job before it is written down.
    private func foretell(_ end: AttemptEnd, _ error: MediaError) {
        var known = job
        known.publication = published?.publication
        known.result = published?.result
        known = known.foreseen(end, policy: context.store.policy, now: .now)
        close()
        context.hub.foreseen(known, error)
        tell(.foreseen(known))
    }

    /// The end cannot be written down and is not waited for any longer: the row stays as it is, and the next start of the daemon
    /// decides by the files.
    private func abandon(_ error: MediaError) {
        context.log.error("job \(job.id): its end cannot be written down: \(error)", about: job)
        finish((try? context.store.job(job.id)) ?? job)
    }

    private func finish(_ job: Job) {
        close()
        context.log.info(
            "job \(job.id) is \(job.state.rawValue)" + (job.error.map { ": \($0)" } ?? ""), about: job)
        context.hub.written(job)
        tell(.ended(job))
    }
}
