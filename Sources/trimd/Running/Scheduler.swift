// Scheduler: which jobs run, and when. It claims, cancels and does what users order on one serial queue, so that
// watchers hear of each job's changes in their order, and never runs more attempts than there are places. Jobs are
// accepted beside that queue: many at once share a sync of the disk. An attempt lives in its JobRun, on its own
// queue. It judges no request and touches no media.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization

/// The scheduler of jobs.
///
/// `@unchecked Sendable`: what is neither constant nor in a Mutex is touched on `queue` only.
final class Scheduler: @unchecked Sendable {
    private let queue = DispatchQueue(label: "trimd.scheduler")
    private let context: JobRun.Context
    private let places: Int
    private let isClosed = Mutex(false)
    private var runs: [Int64: JobRun] = [:]
    /// Jobs that have come to their end and hold their place until that is written down.
    private var foreseen: [Int64: Job] = [:]
    private var cancelling: [Int64: [@Sendable (Result<Job, MediaError>) -> Void]] = [:]
    private var isStopping = false
    private let drains = Mutex(false)
    private var draining: [@Sendable () -> Void] = []
    private var stopped: (@Sendable () -> Void)?
    private var isRetrying = false
    /// Something could not be asked of the queue or written to it: what it says of running jobs is compared with those that run.
    private var isInDoubt = false
    private var alarm: Int64?

    /// After trouble that is no job's fault (no worker starts, the queue's disk is full) it tries again, each time later; so long
    /// at most, in milliseconds.
    private static let longestRetry = 5000
    private var retries = 0

    /// A scheduler that begins nothing before `start`.
    init(_ context: JobRun.Context, places: Int) {
        self.context = context
        self.places = places
    }

    /// Begins with what waits.
    func start() {
        queue.async { [self] in
            let isOn = (try? context.store.isDraining()) ?? false
            if isOn {
                drains.withLock { $0 = true }
                context.hub.drains(true)
                context.log.warning("draining: no job is started until `trimctl drain --off`")
            }
            prune()
            fill()
        }
    }

    /// Exports that run.
    var busy: Int { queue.sync { runs.count } }

    /// Whether no more are begun. Told without waiting.
    var isDraining: Bool { drains.withLock(\.self) }

    /// Accepts a job: on the disk when this returns.
    func submit(
        _ verdict: SubmissionValidator.Verdict, user: UInt32, priority: Int, limit: Int
    ) throws(MediaError) -> JobSubmission {
        guard !isClosed.withLock({ $0 }) else { throw MediaError(.operationInterrupted, "trimd is ending") }
        let submission = try context.store.submit(
            verdict.request, source: verdict.source, user: user, priority: priority, limit: limit,
            name: verdict.name)
        guard submission.isNew else { return submission }
        let job = submission.job
        queue.async { [self] in
            // After the answer: to make a file can take as long as a sync of the disk.
            context.logs.write(job.id, "accepted: \(job.request.input), preset \(job.request.preset.id)")
            // It may have been begun or cancelled meanwhile: what it is now is said, and not what it was.
            if let now = try? context.store.job(job.id) { context.hub.changed(now.report()) }
            fill()
            tellBusy()
        }
        return submission
    }

    /// Cancels a job; `then` hears what it is when that is done, which for a running one is when nothing of
    /// it is left.
    func cancel(_ id: Int64, then: @escaping @Sendable (Result<Job, MediaError>) -> Void) {
        queue.async { [self] in
            if let run = runs[id] {
                // Where it is too late, the job's own end is the answer.
                _ = run.stop(.cancelled)
                if let known = foreseen[id] { return then(.success(known)) }
                cancelling[id, default: []].append(then)
                return
            }
            do throws(MediaError) {
                let before = try context.store.job(id)
                let after = try context.store.cancel(id)
                if after.state != before.state {
                    context.logs.write(id, "cancelled before it began")
                    context.hub.changed(after.report())
                    prune()
                }
                then(.success(after))
            } catch { then(.failure(error)) }
        }
    }

    /// Changes a job that is not running, tells who watches, and begins what can be begun now. `done` is the word
    /// for its log.
    func order(
        _ done: String, _ change: (any JobQueue) throws(MediaError) -> Job
    ) throws(MediaError) -> Job {
        let result: Result<Job, MediaError> = queue.sync {
            do throws(MediaError) {
                let job = try change(context.store)
                context.logs.write(job.id, done)
                context.hub.changed(job.report())
                queue.async { self.fill() }
                return .success(job)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Takes a job that has ended off the record, with its log.
    func remove(_ id: Int64) throws(MediaError) -> Job {
        let result: Result<Job, MediaError> = queue.sync {
            do throws(MediaError) {
                let job = try context.store.remove(id)
                context.logs.remove([id])
                context.hub.forget([id])
                return .success(job)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Begins no more jobs, or begins them again; `then` runs once none is running that should not be.
    func drain(_ isOn: Bool, then: @escaping @Sendable (Result<Void, MediaError>) -> Void) {
        queue.async { [self] in
            do throws(MediaError) {
                try context.store.setDraining(isOn)
                if isOn != isDraining {
                    context.log.info(isOn ? "draining: no more jobs are started" : "jobs are started again")
                    drains.withLock { $0 = isOn }
                    context.hub.drains(isOn)
                    tellBusy()
                }
                guard isOn else {
                    drained()
                    fill()
                    return then(.success(()))
                }
                draining.append { then(.success(())) }
                if runs.isEmpty { drained() }
            } catch { then(.failure(error)) }
        }
    }

    /// Ends all attempts, their jobs wait for the next daemon; `then` runs when none is left.
    func stop(then: @escaping @Sendable () -> Void) {
        isClosed.withLock { $0 = true }
        queue.async { [self] in
            isStopping = true
            stopped = then
            for run in runs.values { _ = run.stop(.shutdown) }
            if runs.isEmpty { then() }
        }
    }

    // MARK: on the scheduler's queue

    private func fill() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !isStopping, !isDraining, runs.count < places else { return }
        do throws(MediaError) {
            try reconcile()
            var readiness = try context.store.availability()
            while readiness.isReady, runs.count < places {
                let worker = try context.pool.take()
                let claimed: Job?
                do throws(MediaError) {
                    claimed = try context.store.claim(worker: worker.identity)
                } catch {
                    context.pool.giveBack(worker)
                    throw error
                }
                guard let job = claimed else { return context.pool.giveBack(worker) }
                begin(job, on: worker)
                readiness = try context.store.availability()
            }
            if !readiness.isReady, let delay = readiness.delay { wake(in: delay) }
        } catch {
            context.log.error("no job can be started now: \(error)")
            isInDoubt = true
            retryLater()
        }
    }

    /// Lets jobs wait again that the queue says are running, and that are not: where the disk failed while a job was claimed,
    /// nobody was told whether it was.
    private func reconcile() throws(MediaError) {
        guard isInDoubt else { return }
        for job in try context.store.begun() where runs[job.id] == nil {
            context.log.warning(
                "job \(job.id) is \(job.state.rawValue) in the queue and was not begun", about: job)
            _ = try context.store.interrupt(job.id, attempt: job.attempts, counted: false)
        }
        isInDoubt = false
        retries = 0
    }

    private func begin(_ job: Job, on worker: Worker) {
        context.log.info("job \(job.id) starts: \(job.request.input)", about: job)
        let run = JobRun(job, on: worker, context) { [self] event in
            queue.async {
                switch event {
                case .foreseen(let known): self.foresaw(known)
                case .ended(let after): self.ended(after)
                }
            }
        }
        runs[job.id] = run
        context.hub.changed(job.report())
        tellBusy()
        run.start()
    }

    private func tellBusy() {
        let waiting = (try? context.store.waitingCount()) ?? 0
        Notify.status(busy: runs.count, of: places, waiting: waiting, isDraining: isDraining)
    }

    /// Who waits for a job to be cancelled hears what is known.
    private func foresaw(_ job: Job) {
        foreseen[job.id] = job
        answerCancelling(job)
    }

    private func answerCancelling(_ job: Job) {
        for then in cancelling.removeValue(forKey: job.id) ?? [] { then(.success(job)) }
    }

    private func ended(_ job: Job) {
        runs[job.id] = nil
        foreseen[job.id] = nil
        if !isStopping { tellBusy() }
        answerCancelling(job)
        if isStopping {
            if runs.isEmpty { stopped?() }
        } else {
            if runs.isEmpty, isDraining { drained() }
            fill()
            prune()
        }
    }

    private func drained() {
        for then in draining { then() }
        draining = []
    }

    /// Takes what ended long ago off the record: first the logs, so that a crash between leaves none without a job.
    private func prune() {
        do throws(MediaError) {
            let old = try context.store.surplus()
            guard !old.isEmpty else { return }
            context.logs.remove(old)
            try context.store.forget(old)
            context.hub.forget(old)
        } catch { context.log.warning("what is old cannot be taken off the record: \(error)") }
    }

    /// Looks again when the next job is due that waits after a failure.
    private func wake(in milliseconds: Int64) {
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
