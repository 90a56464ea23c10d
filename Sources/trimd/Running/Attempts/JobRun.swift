// JobRun: one attempt of one job, from its claim to its end: worker, verification, publication, and the row at each step. It
// owns the attempt's output and runs on its own serial queue, where it may wait for the disk; workers respond on that queue.
// `stop` may be called from any thread. It neither chooses nor retries jobs: the scheduler does.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

/// One attempt of one job.
///
/// `@unchecked Sendable`: state that is neither constant nor in a Mutex is accessed on `queue` only.
final class JobRun: @unchecked Sendable {
    struct Control {
        var stop: Stop?
        /// The workers that run: by the numbers of their units, that of a step of the whole job as `step`.
        var workers: [Int: Worker] = [:]
        /// Limits the time of all units together.
        var watchdog: Watchdog?
        /// The output is being published: too late to stop.
        var isCommitted = false
        /// The next step waits for a write to the queue.
        var waits = false
        /// The attempt is stopped where it is.
        var isPaused = false
        /// Steps that came while it was paused.
        var postponed: [@Sendable () throws(MediaError) -> Void] = []

        /// The key of the worker of a step.
        static let step = -1
    }

    let job: Job
    let context: Context
    let queue: DispatchQueue
    let control: Mutex<Control>
    /// Syncs the files of units, while others are made.
    let syncs: DispatchQueue
    private let onEvent: @Sendable (Event) -> Void
    var meter = JobProgressMeter()
    /// The time left, once it is steady.
    var estimatedTime = SteadyEstimate()
    /// The progress that is stored of an export in units, from 0 to 1.
    var reached = 0.0
    var source: InputFile?
    /// Opens the files that the source names.
    var sourceFiles: SourceFiles?
    var picture: InputFile?
    /// The file of subtitles to draw.
    var subtitles: InputFile?
    var output: OutputFile?
    /// The size of the blocks that the output can have of its source, in bytes; nil: none.
    var cloneBlock: Int64?
    /// The units, where the export is made in units.
    var work: AttemptUnits?
    /// Why the attempt ends, while units still run.
    var ending: MediaError?
    /// The attempt has ended: no further step counts, and no further line of its workers.
    var isOver = false
    /// No other attempt may succeed.
    var isHopeless = false
    /// The processors of the present step.
    var threads: Int
    /// An error on this side while the worker's answer is pending.
    var failure: MediaError?
    /// A worker could not be ended, since its disk does not answer.
    var isDiskSilent = false
    /// A root of the job was not there when something failed, and why.
    var rootLoss: String?
    /// The bytes that the worker plans to write.
    var estimate: Int64?
    /// The output's name and contents, once it is published.
    var published: (publication: Publication, result: ExportResult)?
    var patience = Patience()
    let began = Moment.now
    /// The in point, if it is known without the asset.
    let inPoint: Time?

    /// An attempt of a job that was claimed for a worker; `onEvent` receives the job's changes.
    init(
        _ job: Job, on worker: Worker, threads: Int, _ context: Context,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.job = job
        self.threads = threads
        self.context = context
        self.onEvent = onEvent
        inPoint = job.report().requested?.start
        control = Mutex(Control(workers: [Control.step: worker]))
        queue = DispatchQueue(label: "trimd.job.\(job.id)")
        syncs = DispatchQueue(label: "trimd.job.\(job.id).sync")
        meter.begin(at: job.progress)
        reached = job.progress
    }

    /// Starts the attempt.
    func start() { queue.async { self.attempt { () throws(MediaError) in try self.export() } } }

    /// Stops the attempt at any step; false if it is too late, since the output is being published.
    func stop(_ reason: Stop) -> Bool {
        let (workers, waits, isLate): ([Worker], Bool, Bool) = control.withLock { control in
            let isLate = control.isCommitted
            // A cancelled job stays cancelled, even if the daemon stops meanwhile. A finished one keeps its state; on shutdown,
            // the write of its end is no longer waited for.
            if control.stop == nil, !isLate || reason.isInterruption { control.stop = reason }
            return (isLate ? [] : Array(control.workers.values), control.waits, isLate)
        }
        for worker in workers { worker.kill() }
        if waits { queue.async { self.resume() } }
        continueSteps()
        // Between two workers nothing else would end it.
        if workers.isEmpty, !isLate { queue.async { self.attempt {} } }
        return !isLate
    }

    // MARK: the steps, on the run's queue

    /// Runs a step; an error that it throws ends the attempt.
    /// A step waits while the attempt is paused, but for one that reports a failure.
    func attempt(mayWait: Bool = true, _ step: @escaping @Sendable () throws(MediaError) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        if isOver || mayWait && postpones(step) { return }
        do throws(MediaError) {
            try checkNotStopped()
            try step()
        } catch { end(error) }
    }

    func checkNotStopped() throws(MediaError) {
        guard control.withLock({ $0.stop }) == nil else {
            throw MediaError(.operationCancelled, "the job was stopped")
        }
    }

    private func export() throws(MediaError) {
        guard let worker = control.withLock({ $0.workers[Control.step] }) else { return }
        note("started: attempt \(job.attempts), worker \(worker.identity.pid)")
        try checkRoots()
        try context.lanes.checkDisks(of: job) { control.withLock { $0.stop == nil } }
        try checkNotStopped()
        let source = try InputFile(opening: job.request.input)
        try source.check(against: job.source)
        try context.roots.check(job)
        picture = try artwork()
        subtitles = try SubtitlesInput.open(job)
        context.unfinished.add(job)
        let output = try OutputFile(
            job.request.output, job: job.id, attempt: job.attempts, source: source.identity)
        sourceFiles = SourceFiles(
            of: job.request, source.identity, replacing: try output.replaced(),
            for: ReadingUser(of: job, roots: context.roots),
            lanes: context.lanes, lister: .workers(of: context.pool))
        self.source = consume source
        self.output = consume output
        try tryCloning()
        ask(worker, mayDivide: true)
    }

    /// Asks a worker to export; `mayDivide`: or to plan units.
    func ask(_ worker: Worker, mayDivide: Bool) {
        limitOutput(of: worker)
        lower(worker)
        let division = mayDivide ? context.effort.division(of: job.request) : nil
        worker.serve(
            .export,
            WorkerExport(
                job.request, alternatives: context.presets.alternatives(to: job.request), division: division,
                threads: threads, cloneBlock: cloneBlock, crashes: job.crashes > 0 ? job.crashes : nil),
            passing: descriptors,
            client(of: .export, onPlan: { [self] plan in reserve(plan) }) {
                [self] answer throws(MediaError) in
                try go(on: try JobRun.result(ExportOutcome.self, answer))
            })
    }

    /// The descriptors of the source, the output, and the artwork and the subtitles if there are any.
    var descriptors: [Int32] {
        [
            source?.descriptor.rawValue, output?.descriptor.rawValue, picture?.descriptor.rawValue,
            subtitles?.descriptor.rawValue,
        ].compactMap(\.self)
    }

    func go(on outcome: ExportOutcome) throws(MediaError) {
        switch outcome {
        case .finished(let result): try verify(result)
        case .units(let plan): try divide(plan)
        case .whole(let reason): try exportWhole(reason)
        }
    }

    /// Ends the attempt without an output: nothing stays on the disk.
    func end(_ error: MediaError) {
        let workers = control.withLock { Array($0.workers.values) }
        for worker in workers { worker.kill() }
        rootLoss = rootLoss ?? context.markers?.absence(of: job.needs)
        // All of the attempt is gone before its end is said.
        if let work, !work.running.isEmpty {
            if ending == nil { ending = error }
            return
        }
        isOver = true
        let stop = control.withLock { control in
            defer { control.isCommitted = true }
            return control.isCommitted ? nil : control.stop
        }
        do throws(MediaError) {
            try output?.discard()
            context.unfinished.remove(job)
        } catch {
            context.log.error("job \(job.id): its temporary file stays: \(error)")
        }
        // A disk that does not answer would not answer this question either.
        let isSilent = isDiskSilent || rootLoss != nil || error.code == .workerStalled
        let error = failure ?? (isSilent ? nil : sourceChange) ?? error
        removeUnrecorded()
        close()
        switch stop {
        case .cancelled:
            note("cancelled after \(JobRun.seconds(since: began)) s")
            conclude(.cancelled)
        case .interrupted(let cause):
            let kept = work.map { "; \($0.units.count(where: \.isDone)) of \($0.rows.count) chunks are kept" }
            note(cause.words(isShared: context.store.leaseTime != nil) + (kept ?? ""))
            conclude(.interrupted)
        case nil where error.code == .queueUnavailable:
            // No fault of the job, which goes on when the queue is there again.
            note(Cause.queueLost.words(isShared: context.store.leaseTime != nil) + ": \(error)")
            conclude(.interrupted)
        case nil where rootLoss != nil && !isHopeless:
            // Nor is this, whatever failed when the share went away.
            note(Cause.rootLost.words(isShared: true) + ": \(rootLoss ?? ""); \(error)")
            conclude(.interrupted)
        case nil:
            note("failed after \(JobRun.seconds(since: began)) s: \(error.code.rawValue): \(error)")
            conclude(isHopeless ? .givenUp(error) : .failed(error))
        }
    }

    /// The error of a source that was changed, which explains whatever else failed; nil: it is as it was.
    private var sourceChange: MediaError? {
        do throws(MediaError) {
            try checkSource()
            return nil
        } catch { return error.code == .sourceChanged ? error : nil }
    }

    /// Closes the files before the end is reported, so that the space is free by then.
    func close() {
        output = nil
        source = nil
        sourceFiles = nil
        picture = nil
        subtitles = nil
        control.withLock { control in
            control.workers = [:]
            control.watchdog?.end()
            control.watchdog = nil
        }
    }

    /// Notifies the scheduler.
    func notify(_ event: Event) { onEvent(event) }
}
