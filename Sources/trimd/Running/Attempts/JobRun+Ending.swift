// Stores the end of an attempt. An attempt that has ended stays in memory until its end is stored: if the write fails (the disk
// is full, the database was moved), it is retried with growing delays, without a limit. Watchers learn the expected state
// meanwhile. On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension JobRun {
    /// A change of the attempt's job.
    enum Event: Sendable {
        /// The job has ended in this state, which is not stored yet.
        case foreseen(Job)
        /// The job's end is stored.
        case ended(Job)
        /// The output is verified and gets its name: no worker runs any more.
        case publishing
        /// The attempt can use a share of the budget for each of these.
        case wants([Demand])
        /// Its units are on record: other nodes may make some.
        case divided
        /// A worker has gone, and its share is free; with the most memory that it had resident, in bytes; 0: unknown. The attempt can use
        /// shares for what that worker's unit was needed for.
        case released(Demand, peak: Int64, wants: [Demand] = [])
        /// The worker of the present step can use so many processors now.
        case uses(Int)
        /// The worker of a step had so much memory resident, in bytes.
        case measured(MemoryEstimates.Kind, peak: Int64)
    }

    /// A worker that an attempt wants to start.
    struct Demand: Hashable, Sendable {
        /// The unit to make; nil: a step of the whole job.
        var number: Int?
        /// The kind of work.
        var kind: MemoryEstimates.Kind
        /// The plan's estimate of its memory, in bytes; nil: none.
        var memory: Int64?
    }

    /// The retries of a write to the queue.
    struct Patience {
        /// The next step to retry; nil: none.
        var next: (@Sendable () -> Void)?
        private var tries = 0
        /// How many steps have waited, so that a timer knows whether it is outdated.
        private(set) var count = 0

        /// The next delay: a quarter of a second, doubled each time, ten seconds at most.
        mutating func delay() -> DispatchTimeInterval {
            defer { tries = min(tries + 1, 6) }
            return .milliseconds(min(250 << tries, 10_000))
        }

        /// Waits for another step from now on.
        mutating func wait(for next: @escaping @Sendable () -> Void) -> Int {
            self.next = next
            count += 1
            return count
        }

        /// Whether a retry may succeed. An attempt that has lost its job never gets it back.
        static func isWorthWhile(_ error: MediaError) -> Bool {
            switch error.code {
            case .jobNotFound, .invalidRequest, .jobStateNotValid, .fileAlreadyExists: false
            default: true
            }
        }
    }

    /// Stores how the attempt ended, and reports it.
    func conclude(_ end: AttemptEnd) {
        dispatchPrecondition(condition: .onQueue(queue))
        if end != .completed, job.units != nil || work != nil {
            try? context.store.settle(
                job.id, attempt: job.attempts, progress: work == nil ? meter.latest.fraction : reached)
        }
        do throws(MediaError) {
            let done = try context.store.end(job.id, attempt: job.attempts, end)
            if end == .completed {
                context.unfinished.remove(job)
                note("completed in \(JobRun.seconds(since: began)) s: \(published?.publication.name ?? "")")
            }
            if done.state.isFinal, job.units != nil || work != nil {
                // In the folder that is open, wherever it is now; then in the one that the path names.
                try? work?.files.removeAll()
                context.unfinished.removeUnits(of: job, context.log)
            }
            if let due = done.due { note("to be tried again at \(due)") }
            finish(done)
        } catch {
            guard Patience.isWorthWhile(error) else { return abandon(error) }
            reportForeseen(end, error)
            wait(error) { [self] in conclude(end) }
        }
    }

    /// Waits, then retries `next` on the run's queue.
    func wait(_ error: MediaError, then next: @escaping @Sendable () -> Void) {
        if patience.next == nil {
            context.log.error(
                "job \(job.id): its end cannot be written down, which is tried again until it can: \(error)",
                about: job)
        }
        let number = patience.wait(for: next)
        let isEnding = control.withLock { control in
            control.waits = true
            return control.stop?.isInterruption ?? false
        }
        if isEnding { return abandon(error) }
        queue.asyncAfter(deadline: .now() + patience.delay()) { [self] in
            if patience.count == number { resume() }
        }
    }

    /// Retries the waiting step now.
    func resume() {
        dispatchPrecondition(condition: .onQueue(queue))
        let next = control.withLock { control in
            defer { control.waits = false }
            return control.waits ? patience.next : nil
        }
        next?()
    }

    /// Reports the job's expected state before it is stored.
    private func reportForeseen(_ end: AttemptEnd, _ error: MediaError) {
        var known = job
        known.publication = published?.publication
        known.result = published?.result
        known.isPaused = control.withLock { $0.isPaused }
        known = known.foreseen(end, policy: context.store.policy, now: .now)
        close()
        context.hub.foreseen(known, error)
        notify(.foreseen(known))
    }

    /// Gives up storing the end: the row stays as it is, and the next start of the daemon recovers the state from the files.
    private func abandon(_ error: MediaError) {
        context.log.error("job \(job.id): its end cannot be written down: \(error)", about: job)
        finish((try? context.store.job(job.id)) ?? job)
    }

    private func finish(_ job: Job) {
        close()
        isOver = true
        work = nil
        context.progress?.forget(job)
        context.log.info(
            "job \(job.id) is \(job.state.rawValue)" + (job.error.map { ": \($0)" } ?? ""), about: job)
        context.hub.written(job)
        notify(.ended(job))
    }

    /// Writes a line to the job's log.
    func note(_ line: String) { context.logs.write(job.id, line) }

    /// Seconds since a moment, in tenths.
    static func seconds(since moment: Moment) -> String {
        let tenths = max(0, Moment.now.milliseconds - moment.milliseconds) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}
