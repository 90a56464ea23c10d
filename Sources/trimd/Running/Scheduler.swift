// Scheduler: decides which jobs run, and when. It claims, cancels and changes jobs on one serial queue, so that watchers get
// each job's changes in order, and never runs more attempts than there are slots. Jobs are accepted outside that queue:
// concurrent ones share a disk sync. An attempt runs in its JobRun, on its own queue. It validates no request and touches no
// media.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization

/// Schedules jobs.
///
/// `@unchecked Sendable`: state that is neither constant nor in a Mutex is accessed on `queue` only.
final class Scheduler: @unchecked Sendable {
    let queue = DispatchQueue(label: "trimd.scheduler")
    let context: JobRun.Context
    let slots: Int
    let isClosed = Mutex(false)
    /// Units of other nodes' jobs.
    var sharedUnits = SharedUnits() {
        didSet { helping.withLock { $0 = Array(sharedUnits.runs.values) } }
    }
    /// The same, for those who cannot wait for the scheduler.
    let helping = Mutex<[SharedUnitRun]>([])
    var runs: [Int64: JobRun] = [:] { didSet { running.withLock { $0 = Array(runs.values) } } }
    /// The same, for those who cannot wait for the scheduler.
    let running = Mutex<[JobRun]>([])
    /// The running jobs in the order in which they began, and what each of them wants to start.
    var begun: [Int64] = []
    var demands: [Int64: [JobRun.Demand]] = [:]
    /// The processors and the memory that running workers share.
    var budget: Budget { didSet { used.withLock { [budget] in $0 = budget.usedProcessors } } }
    let used = Mutex(0)
    var estimates = MemoryEstimates()
    var expected = ExpectedJobs()
    /// Removes files of jobs that do not run.
    private let cleaning = DispatchQueue(label: "trimd.scheduler.cleaning")
    /// Those of the running jobs whose workers have ended, while their outputs get their names.
    var publishing: Set<Int64> = []
    /// Those of the running jobs that are paused, and so have no slot; and of these, those that go on as soon as there is one.
    var paused: Set<Int64> = []
    var released: [Int64] = []
    /// Jobs that were claimed again before their last attempt had told its end; they wait again, and are claimed anew, behind that.
    var following: [Int64: (job: Job, worker: Worker)] = [:]
    /// Jobs that have ended and hold their slot until their end is stored.
    var foreseen: [Int64: Job] = [:]
    private var cancelling: [Int64: [@Sendable (Result<Job, MediaError>) -> Void]] = [:]
    var isStopping = false
    let drains = Mutex(false), refuses = Mutex(false)
    var draining: [@Sendable () -> Void] = []
    var stopped: (@Sendable () -> Void)?
    private var isRetrying = false
    /// A read or write of the queue has failed: its running jobs are compared with the attempts.
    var isInDoubt = false
    private var alarm: Int64?

    /// The longest delay, in milliseconds, between retries after an error that no job caused (no worker starts, the queue's
    /// disk is full); the delays grow.
    private static let longestRetry = 5000
    var retries = 0

    /// A scheduler that is idle until `start`.
    init(_ context: JobRun.Context, budget: Budget) {
        self.context = context
        self.budget = budget
        slots = budget.workers
    }

    /// Starts waiting jobs.
    func start() {
        queue.async { [self] in
            let isOn = (try? context.store.isDraining()) ?? false
            if isOn {
                drains.withLock { $0 = true }
                refuses.withLock { $0 = (try? context.store.isRefusing()) ?? false }
                context.hub.drains(true)
                context.log.warning("draining: no job is started until `trimctl drain --off`")
            }
            prune()
            fill()
        }
    }

    /// Accepts a job: it is on the disk when this returns.
    func submit(
        _ validated: SubmissionValidator.Validated, user: UInt32, priority: Int, limit: Int,
        start: StartCondition = StartCondition()
    ) throws(MediaError) -> JobSubmission {
        guard !isClosed.withLock({ $0 }) else { throw MediaError(.operationInterrupted, "trimd is ending") }
        try checkAccepting()
        let submission = try context.store.submit(
            validated.request, source: validated.source, user: user, priority: priority, limit: limit,
            name: validated.name, start: start)
        guard submission.isNew else { return submission }
        let job = submission.job
        queue.async { [self] in
            // After the response: creating a file can take as long as a disk sync.
            context.logs.write(job.id, "accepted: \(job.request.input), preset \(job.request.preset.id)")
            // It may have been started or cancelled meanwhile: report its present state.
            if let now = try? context.store.job(job.id) { context.hub.changed(now.report()) }
            fill()
            notifyStatus()
        }
        return submission
    }

    /// Cancels a job; `then` receives its state afterwards; for a running job, once all of the attempt is gone.
    func cancel(_ id: Int64, then: @escaping @Sendable (Result<Job, MediaError>) -> Void) {
        queue.async { [self] in cancelNow(id, then: then) }
    }

    private func cancelNow(_ id: Int64, then: @escaping @Sendable (Result<Job, MediaError>) -> Void) {
        if let run = runs[id] {
            // If it is too late, the job's own end is the response.
            _ = run.stop(.cancelled)
            if let known = foreseen[id], known.state.isFinal { return then(.success(known)) }
            cancelling[id, default: []].append(then)
            return
        }
        do throws(MediaError) {
            let before = try context.store.job(id)
            let after = try context.store.cancel(id)
            if after.state != before.state {
                context.logs.write(id, "cancelled before it began")
                context.hub.changed(after.report())
                fill()
                prune()
                if before.units != nil {
                    return cleaning.async { [context] in
                        context.unfinished.removeUnits(of: before, context.log)
                        then(.success(after))
                    }
                }
            }
            then(.success(after))
        } catch { then(.failure(error)) }
    }

    /// Changes a job's row, notifies watchers, and starts jobs that can run now. `done` is the text for its log.
    func order(
        _ done: String, _ change: (any JobQueue) throws(MediaError) -> Job
    ) throws(MediaError) -> Job {
        let result: Result<Job, MediaError> = queue.sync {
            do throws(MediaError) {
                let job = try change(context.store)
                context.logs.write(job.id, done)
                let isRunning = job.state.status == .exporting
                context.hub.changed(isRunning ? context.hub.report(of: job) : job.report())
                queue.async { self.fill() }
                return .success(job)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Removes a finished job with its log.
    func remove(_ id: Int64) throws(MediaError) -> Job {
        awaitEnd(of: id)
        let result: Result<Job, MediaError> = queue.sync {
            do throws(MediaError) {
                let job = try context.store.remove(id)
                context.logs.remove([id])
                context.hub.forget([id])
                queue.async { self.fill() }
                return .success(job)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    // MARK: on the scheduler's queue

    func fill() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isStopping else { return }
        failDependents()
        continueReleased()
        grant()
        claimJobs()
        help()
    }

    func notifyStatus() {
        let waiting = (try? context.store.waitingCount()) ?? 0
        Notify.status(busy: slotsInUse, of: slots, waiting: waiting, isDraining: isDraining)
    }

    /// Calls the waiting cancellations with the expected state.
    func foresaw(_ job: Job) {
        foreseen[job.id] = job
        if job.state.isFinal { answerCancelling(job) }
    }

    private func answerCancelling(_ job: Job) {
        for then in cancelling.removeValue(forKey: job.id) ?? [] { then(.success(job)) }
    }

    func ended(_ job: Job) {
        runs[job.id] = nil
        begun.removeAll { $0 == job.id }
        demands[job.id] = nil
        budget.giveBack(allOf: job.id)
        forgetPause(of: job.id)
        foreseen[job.id] = nil
        publishing.remove(job.id)
        returnFollowing(job.id)
        if job.state.isFinal {
            answerCancelling(job)
        } else {
            // It was too late to cancel the attempt; the job waits for another one, which nobody wants.
            for then in cancelling.removeValue(forKey: job.id) ?? [] { cancelNow(job.id, then: then) }
        }
        afterEnd()
    }

    /// An attempt has ended, or a unit.
    func afterEnd() {
        if !isStopping { notifyStatus() }
        if isStopping {
            if runs.isEmpty, sharedUnits.runs.isEmpty { stopped?() }
        } else {
            if active == 0, isDraining { drained() }
            fill()
            prune()
        }
    }

    /// Removes jobs that ended long ago: logs first, so that a crash leaves no log without its job.
    private func prune() {
        do throws(MediaError) {
            let old = try context.store.surplus()
            guard !old.isEmpty else { return }
            context.logs.remove(old)
            try context.store.forget(old)
            context.hub.forget(old)
        } catch { context.log.warning("what is old cannot be taken off the record: \(error)") }
    }

    /// Wakes when the next delayed job is due; and at least once a minute, since this timer stands still while the machine sleeps
    /// and does not know of a clock that is set.
    func wake(in milliseconds: Int64) {
        let milliseconds = min(milliseconds, 60_000)
        if let alarm, alarm <= milliseconds { return }
        alarm = milliseconds
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(milliseconds) + 10)) { [self] in
            alarm = nil
            fill()
        }
    }

    func retryLater() {
        guard !isRetrying else { return }
        isRetrying = true
        let delay = min(250 << min(retries, 5), Scheduler.longestRetry)
        retries += 1
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [self] in
            isRetrying = false
            fill()
        }
    }
}
