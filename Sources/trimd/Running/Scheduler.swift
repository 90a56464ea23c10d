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
    private func foresaw(_ job: Job) {
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

    private func retryLater() {
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

// Jobs that start: each is claimed for a worker, and begins once its last attempt has told its end. On the scheduler's queue.
extension Scheduler {
    private func claimJobs() {
        do throws(MediaError) {
            guard mayClaim() else { return }
            try reconcile()
            try settleUnits()
            var readiness = try context.store.availability()
            while readiness.isReady, mayClaim() {
                let worker = try context.pool.borrow()
                let claimed: Job?
                do throws(MediaError) {
                    claimed = try context.store.claim(worker: worker.identity)
                } catch {
                    context.pool.giveBack(worker)
                    throw error
                }
                guard let job = claimed else { return context.pool.giveBack(worker) }
                context.pool.prepare()
                readiness = try context.store.availability()
                begin(job, on: worker, others: readiness.isReady ? try context.store.waitingCount() : 0)
            }
            if !readiness.isReady, let delay = readiness.delay { wake(in: delay) }
        } catch {
            context.log.error("no job can be started now: \(error)")
            isInDoubt = true
            retryLater()
        }
    }

    private func begin(_ job: Job, on worker: Worker, others: Int) {
        // Its last attempt has its end on record, and is about to tell it: what that gives back is not this one's.
        guard runs[job.id] == nil else {
            following.updateValue((job, worker), forKey: job.id)?.worker.kill()
            return
        }
        context.log.info("job \(job.id) starts: \(job.request.input)", about: job)
        let threads = takeFirstShare(of: job, others: others)
        let run = JobRun(job, on: worker, threads: threads, context) { [self] event in
            queue.async {
                switch event {
                case .foreseen(let known): self.foresaw(known)
                case .ended(let after): self.ended(after)
                case .wants(let demands): self.wants(job.id, demands)
                case .released(let demand, let peak, let wanted): self.released(job.id, demand, peak, wanted)
                case .divided: break
                case .publishing: self.publishes(job.id)
                case .uses(let processors): self.uses(job.id, processors)
                case .measured(let kind, let peak): self.estimates.learn(kind, measured: peak)
                }
            }
        }
        runs[job.id] = run
        begun.append(job.id)
        context.hub.changed(job.report())
        notifyStatus()
        run.start()
    }

    /// Lets a job wait again that was claimed before the end of its last attempt was heard of, and is claimed anew from here on: meanwhile
    /// others may have changed it, or taken its share.
    private func returnFollowing(_ id: Int64) {
        guard let (job, worker) = following.removeValue(forKey: id) else { return }
        worker.kill()
        do throws(MediaError) {
            _ = try context.store.interrupt(id, attempt: job.attempts, counted: false)
        } catch {
            // It was cancelled, or is another node's by now.
            if error.code == .jobStateNotValid { return }
            context.log.error("job \(id): that it did not begin cannot be written down: \(error)", about: job)
            isInDoubt = true
            retryLater()
        }
    }

    /// Whether the attempt of a stored job is here, running or about to.
    func hasBegun(_ job: Job) -> Bool {
        [runs[job.id]?.job.attempts, following[job.id]?.job.attempts].contains(job.attempts)
    }

    /// Waits for an attempt that has its end on record to tell it, so that its last word comes before the answer to an order about the
    /// job; not for a disk that does not answer. Not on the scheduler's queue.
    func awaitEnd(of id: Int64) {
        let run = queue.sync { runs[id] }
        guard let run, let job = try? context.store.job(id), !JobState.begun.contains(job.state) else {
            return
        }
        let told = DispatchSemaphore(value: 0)
        run.queue.async { told.signal() }
        _ = told.wait(timeout: .now() + 5)
    }
}

// Jobs that run only after others: they fail as soon as one of those will not complete. On the scheduler's queue.
extension Scheduler {
    /// Fails the jobs that wait for one that will not complete, and notifies their watchers. Repeated until it succeeds.
    func failDependents() {
        do throws(MediaError) {
            for job in try context.store.failDependents() {
                let why = job.error.map { "\($0)" } ?? ""
                context.logs.write(job.id, "failed before it began: \(why)")
                context.log.info("job \(job.id) is failed: \(why)", about: job)
                context.hub.changed(job.report())
            }
        } catch {
            context.log.error("jobs that wait for others cannot be looked at now: \(error)")
            retryLater()
        }
    }
}

// Draining and stopping. Draining: no job is started, and whoever asked for it is answered once none is running. A paused job does not run. On the
// scheduler's queue.
extension Scheduler {
    /// Whether no more jobs are started. Never blocks.
    var isDraining: Bool { drains.withLock(\.self) }

    /// Whether no job is accepted either. Never blocks.
    var isRefusing: Bool { refuses.withLock(\.self) }

    /// Throws if no job is accepted.
    private func checkAccepting() throws(MediaError) {
        guard isRefusing else { return }
        throw MediaError(
            .queueUnavailable, "trimd is draining and accepts no job",
            remedy: "submit it to another trimd, or again after `trimctl drain --off`")
    }

    /// Stops or resumes starting jobs; `then` is called once no job runs that should not.
    /// - Parameter refuses: no job is accepted either.
    func drain(
        _ isOn: Bool, refuses: Bool = false, then: @escaping @Sendable (Result<Void, MediaError>) -> Void
    ) {
        queue.async { [self] in
            do throws(MediaError) {
                try context.store.setRefusing(isOn && refuses)
                try context.store.setDraining(isOn)
                setDraining(isOn, refuses: refuses)
                guard isOn else { return then(.success(())) }
                draining.append { then(.success(())) }
                if active == 0 { drained() }
            } catch { then(.failure(error)) }
        }
    }

    /// Stops or resumes starting jobs, as it is stored; another node may have ordered it.
    private func setDraining(_ isOn: Bool, refuses isRefusing: Bool) {
        refuses.withLock { $0 = isOn && isRefusing }
        if isOn != isDraining {
            context.log.info(isOn ? "draining: no more jobs are started" : "jobs are started again")
            drains.withLock { $0 = isOn }
            context.hub.drains(isOn)
            notifyStatus()
        }
        guard !isOn else {
            returnSharedUnits()
            return giveBack()
        }
        drained()
        fill()
    }

    /// Looks whether another node has ordered this one to drain or not; false if that is as before. Not on the scheduler's queue.
    func followDraining() throws(MediaError) -> Bool {
        let result: Result<Bool, MediaError> = queue.sync {
            do throws(MediaError) {
                let isOn = try context.store.isDraining()
                let refuses = isOn ? try context.store.isRefusing() : false
                guard isOn != isDraining || refuses != isRefusing else { return .success(false) }
                setDraining(isOn, refuses: refuses)
                return .success(true)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// While this node drains and others share the queue: jobs that want to start something, and have nothing running, wait again, so
    /// that another node goes on with them.
    func giveBack() {
        guard isDraining, context.store.leaseTime != nil else { return }
        for (job, wanted) in demands where !wanted.isEmpty && !paused.contains(job) {
            guard !budget.holds(anyOf: job), let run = runs[job] else { continue }
            context.log.info("job \(job) is given back: another node goes on with it")
            _ = run.stop(.interrupted(.draining))
        }
    }

    /// Stops all attempts; their jobs wait for the next start of the daemon. `then` is called when none is left.
    func stop(then: @escaping @Sendable () -> Void) {
        isClosed.withLock { $0 = true }
        queue.async { [self] in
            isStopping = true
            stopped = then
            for run in runs.values { _ = run.stop(.interrupted(.ending)) }
            returnSharedUnits(isLast: true)
            if runs.isEmpty, sharedUnits.runs.isEmpty { then() }
        }
    }

    /// Answers those who wait for the drain.
    func drained() {
        for then in draining { then() }
        draining = []
    }
}

// Running jobs that are held: they are stopped where they are, and released later. A paused job gives up its slot, so that one user
// cannot stop the others' jobs; its processes keep their memory, so that there are never more of them than slots. A job that
// is released goes on when a slot is free, before any other starts. On the scheduler's queue.
extension Scheduler {
    /// The attempts that go on, and the units of other nodes' jobs.
    var active: Int { runs.count - paused.count + sharedUnits.runs.count }
    /// Those of them that have a slot.
    var slotsInUse: Int { active - publishing.subtracting(paused).count }

    /// Holds a job: one that waits does not start, and a running one is stopped where it is.
    func hold(_ id: Int64) throws(MediaError) -> Job {
        try order("held") { store throws(MediaError) in
            guard let run = runs[id] else { return try store.hold(id) }
            return try pause(run)
        }
    }

    /// Releases a job: one that is held waits again, and one that is paused goes on when a slot is free.
    func release(_ id: Int64) throws(MediaError) -> Job {
        try order("released") { store throws(MediaError) in
            guard let run = runs[id] else { return try store.release(id) }
            return try letGoOn(run)
        }
    }

    func letGoOn(_ run: JobRun) throws(MediaError) -> Job {
        let id = run.job.id
        guard paused.contains(id) else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is exporting and cannot be released",
                remedy: "only a job that is held can be released")
        }
        let job = try context.store.pause(id, attempt: run.job.attempts, false)
        if !released.contains(id) { released.append(id) }
        return job
    }

    func pause(_ run: JobRun) throws(MediaError) -> Job {
        let (id, attempt) = (run.job.id, run.job.attempts)
        let isStopped = paused.contains(id)
        guard isStopped || paused.count < slots else {
            throw MediaError(
                .limitReached, "\(paused.count) jobs are paused, and no more can be: each keeps its memory",
                remedy: "release or cancel one of them, or cancel this job and retry it later")
        }
        guard foreseen[id] == nil, isStopped || run.pause() else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is about to end and cannot be held",
                remedy: "only a job whose output is not being published can be")
        }
        do throws(MediaError) {
            let job = try context.store.pause(id, attempt: attempt, true)
            paused.insert(id)
            budget.pause(id)
            released.removeAll { $0 == id }
            context.log.info("job \(id) is paused", about: job)
            notifyStatus()
            if active == 0, isDraining { drained() }
            return job
        } catch {
            if !isStopped { run.goOn() }
            throw error
        }
    }

    /// Lets released jobs go on while there are slots.
    private func continueReleased() {
        while let id = released.first {
            guard let run = runs[id] else {
                released.removeFirst()
                continue
            }
            guard budget.goOn(id) else { return }
            released.removeFirst()
            guard paused.remove(id) != nil else { continue }
            context.log.info("job \(id) goes on", about: run.job)
            run.goOn()
            notifyStatus()
        }
    }

    /// Forgets a job that has ended.
    private func forgetPause(of id: Int64) {
        paused.remove(id)
        released.removeAll { $0 == id }
    }
}
