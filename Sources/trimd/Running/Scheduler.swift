// Scheduler: which jobs run, and when. It accepts, claims and cancels on one serial queue, so that watchers
// hear of each job's changes in their order, and never runs more attempts than there are places. An attempt
// lives in its JobRun, on its own queue. It judges no request and touches no media.
internal import Dispatch
internal import JobQueue
internal import Media

/// The scheduler of jobs.
///
/// `@unchecked Sendable`: what is not constant is touched on `queue` only.
final class Scheduler: @unchecked Sendable {
    private let queue = DispatchQueue(label: "trimd.scheduler")
    private let context: JobRun.Context
    private let places: Int
    private var runs: [Int64: JobRun] = [:]
    private var cancelling: [Int64: [@Sendable (Result<Job, MediaError>) -> Void]] = [:]
    private var isStopping = false
    private var stopped: (@Sendable () -> Void)?
    private var isRetrying = false

    /// After trouble that is no job's fault (no worker starts, the queue's disk is full) it tries again.
    private static let retryDelay = DispatchTimeInterval.seconds(5)

    /// A scheduler that begins nothing before `start`.
    init(_ context: JobRun.Context, places: Int) {
        self.context = context
        self.places = places
    }

    /// Begins with what waits.
    func start() { queue.async { self.fill() } }

    /// Accepts a job: on the disk when this returns.
    func submit(
        _ verdict: Acceptance.Verdict, user: UInt32, limit: Int
    ) throws(MediaError) -> JobStore.Submission {
        let result: Result<JobStore.Submission, MediaError> = queue.sync {
            do throws(MediaError) {
                guard !isStopping else { throw MediaError(.operationInterrupted, "trimd is ending") }
                let submission = try context.store.submit(
                    verdict.request, source: verdict.source, user: user, limit: limit)
                if submission.isNew {
                    let job = submission.job
                    context.logs.write(
                        job.id, "accepted: \(job.request.input), preset \(job.request.preset.id)")
                    context.hub.changed(job.report())
                    queue.async {
                        self.fill()
                        self.tellBusy()
                    }
                }
                return .success(submission)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Cancels a job; `then` hears what it is when that is done, which for a running one is when nothing of
    /// it is left.
    func cancel(_ id: Int64, then: @escaping @Sendable (Result<Job, MediaError>) -> Void) {
        queue.async { [self] in
            if let run = runs[id] {
                // Where it is too late, the job's own end is the answer.
                _ = run.stop(.cancelled)
                cancelling[id, default: []].append(then)
                return
            }
            do throws(MediaError) {
                let before = try context.store.job(id)
                let after = try context.store.cancel(id)
                if after.state != before.state {
                    context.logs.write(id, "cancelled before it began")
                    context.hub.changed(after.report())
                }
                then(.success(after))
            } catch { then(.failure(error)) }
        }
    }

    /// Ends all attempts, their jobs wait for the next daemon; `then` runs when none is left.
    func stop(then: @escaping @Sendable () -> Void) {
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
        do throws(MediaError) {
            while !isStopping, runs.count < places, try context.store.hasWaiting() {
                let worker = try context.pool.take()
                let claimed: Job?
                do throws(MediaError) {
                    claimed = try context.store.claim(worker: worker.identity)
                } catch {
                    context.pool.giveBack(worker)
                    throw error
                }
                guard let job = claimed else { return context.pool.giveBack(worker) }
                context.log.info("job \(job.id) starts: \(job.request.input)", about: job)
                let run = JobRun(job, on: worker, context) { [self] after in queue.async { self.ended(after) }
                }
                runs[job.id] = run
                context.hub.changed(job.report())
                tellBusy()
                run.start()
            }
        } catch {
            context.log.error("no job can be started now: \(error)")
            retryLater()
        }
    }

    private func tellBusy() {
        Notify.status(busy: runs.count, of: places, waiting: (try? context.store.waitingCount()) ?? 0)
    }

    private func ended(_ job: Job) {
        runs[job.id] = nil
        if !isStopping { tellBusy() }
        for then in cancelling.removeValue(forKey: job.id) ?? [] { then(.success(job)) }
        if isStopping {
            if runs.isEmpty { stopped?() }
        } else {
            fill()
        }
    }

    private func retryLater() {
        guard !isRetrying else { return }
        isRetrying = true
        queue.asyncAfter(deadline: .now() + Scheduler.retryDelay) { [self] in
            isRetrying = false
            fill()
        }
    }
}
