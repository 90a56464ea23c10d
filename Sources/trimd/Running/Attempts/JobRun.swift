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
    var source: InputFile?
    var picture: InputFile?
    var output: OutputFile?
    /// The units, where the export is made in units.
    var work: UnitWork?
    /// Why the attempt ends, while units still run.
    var ending: MediaError?
    /// The attempt has ended.
    private var isOver = false
    /// No other attempt may succeed.
    var isHopeless = false
    /// The processors of the present step.
    private var threads: Int
    /// The bytes that the worker plans to write.
    var estimate: Int64?
    /// The output's name and contents, once it is published.
    var published: (publication: Publication, result: ExportResult)?
    var patience = Patience()
    let began = Moment.now
    /// The in point, if it is known without the asset.
    private let inPoint: Time?

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
    }

    /// Starts the attempt.
    func start() { queue.async { self.attempt { () throws(MediaError) in try self.export() } } }

    /// Stops the attempt at any step; false if it is too late, since the output is being published.
    func stop(_ reason: Stop) -> Bool {
        let (workers, waits, isLate): ([Worker], Bool, Bool) = control.withLock { control in
            let isLate = control.isCommitted
            // A cancelled job stays cancelled, even if the daemon stops meanwhile. A finished one keeps its state; on shutdown,
            // the write of its end is no longer waited for.
            if control.stop == nil, !isLate || reason == .shutdown { control.stop = reason }
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
        try context.lanes.checkDisks(of: job) { control.withLock { $0.stop == nil } }
        try checkNotStopped()
        let source = try InputFile(opening: job.request.input)
        try source.check(against: job.source)
        try context.roots.check(job)
        picture = try artwork()
        context.unfinished.add(job)
        let output = try OutputFile(
            job.request.output, job: job.id, attempt: job.attempts, source: source.identity)
        self.source = consume source
        self.output = consume output
        ask(worker, mayDivide: job.request.render != .copy)
    }

    /// Asks a worker to export; `mayDivide`: or to plan units.
    func ask(_ worker: Worker, mayDivide: Bool) {
        limitOutput(of: worker)
        lower(worker)
        let division = mayDivide ? UnitDivision(seconds: context.effort.chunkSeconds) : nil
        worker.serve(
            .export,
            WorkerExport(
                job.request, alternatives: context.presets.alternatives(to: job.request), division: division,
                threads: threads), passing: descriptors,
            client(of: .export, onPlan: { [self] plan in reserve(plan) }) {
                [self] answer throws(MediaError) in
                try go(on: try JobRun.result(ExportOutcome.self, answer))
            })
    }

    /// The descriptors of the source, the output, and the artwork if there is one.
    var descriptors: [Int32] {
        [source?.descriptor.rawValue, output?.descriptor.rawValue, picture?.descriptor.rawValue].compactMap(
            \.self)
    }

    func go(on outcome: ExportOutcome) throws(MediaError) {
        switch outcome {
        case .finished(let result): try verify(result)
        case .units(let plan): try divide(plan)
        case .whole(let reason): try exportWhole(reason)
        }
    }

    /// Limits the size of the worker's output to the settings' limit or trimd's own, whatever the worker plans.
    func limitOutput(of worker: Worker, to bytes: Int64? = nil) {
        do throws(SystemError) { try worker.limitOutput(to: bytes ?? mostBytes) } catch {
            context.log.warning("job \(job.id): \(error)", about: job)
        }
    }

    /// Lowers the priority of a worker as the settings say.
    func lower(_ worker: Worker) {
        let effort = context.effort
        do throws(SystemError) {
            try Kernel.lower(worker.identity.pid, nice: effort.nice, isIdle: effort.isIdle)
        } catch { context.log.warning("job \(job.id): \(error)", about: job) }
    }

    private func verify(_ result: ExportResult) throws(MediaError) {
        note(
            "exported in \(JobRun.seconds(since: began)) s by \(result.render.rawValue): \(result.bytes) bytes"
        )
        for warning in result.warnings { note("warning: \(warning.word): \(warning.message)") }
        for found in result.notes ?? [] { note("note: \(found.word): \(found.message)") }
        for item in result.dropped { note("dropped: \(item.what): \(item.reason)") }
        report(meter.verify(0))
        try source?.check(against: job.source)
        var result = result
        try output?.settle()
        result.bytes = try output?.size() ?? 0
        guard result.bytes > 0, FileType(rawValue: result.fileType) != nil else {
            throw MediaError(.verificationFailed, "the worker wrote nothing that could be an output")
        }
        guard let file = try output?.openForReading() else {
            throw MediaError(.verificationFailed, "there is no output to verify")
        }
        let verifier = try take()
        let whole = result
        verifier.serve(
            .verify, WorkerVerify(result, strict: job.request.strict), passing: [file.rawValue],
            client { [self] answer throws(MediaError) in
                try publish(accepted(whole, try JobRun.result(Verified.self, answer).warnings))
            })
        if control.withLock({ $0.stop }) != nil { verifier.kill() }
        // Syncs while the verifier reads. Its answer waits for this queue.
        do throws(MediaError) {
            try output?.sync()
        } catch {
            verifier.kill()
            failure = error
        }
    }

    /// The result with the warnings of its verification that the export did not report.
    private func accepted(_ result: ExportResult, _ noted: [Warning]) -> ExportResult {
        var result = result
        for warning in noted
        where !result.warnings.contains(where: {
            $0.word == warning.word && $0.track == warning.track && $0.time == warning.time
        }) {
            note("warning: \(warning.word): \(warning.message)")
            result.warnings.append(warning)
        }
        return result
    }

    /// An error on this side while the worker's answer is pending.
    var failure: MediaError?

    private func publish(_ result: ExportResult) throws(MediaError) {
        if let failure { throw failure }
        report(meter.verify(1))
        let isStopped = control.withLock { control in
            control.isCommitted = control.stop == nil
            return !control.isCommitted
        }
        guard !isStopped else { throw MediaError(.operationCancelled, "the job was stopped") }
        var unwritten: MediaError?
        do throws(MediaError) {
            _ = try output?.publish(fileType: result.fileType, mode: context.mode, source: job.source) {
                publication throws(MediaError) in
                do throws(MediaError) {
                    try context.store.publish(job.id, attempt: job.attempts, publication, result: result)
                    published = (publication, result)
                } catch {
                    if Patience.isWorthWhile(error) { unwritten = error }
                    throw error
                }
            }
        } catch {
            guard let unwritten else { throw error }
            // The output is complete. It keeps its temporary name until the queue can record its final one.
            control.withLock { $0.isCommitted = false }
            context.hub.foreseen(job, unwritten)
            return wait(unwritten) { [self] in
                attempt { [self] () throws(MediaError) in try publish(result) }
            }
        }
        conclude(.completed)
    }

    /// Ends the attempt without an output: nothing stays on the disk.
    func end(_ error: MediaError) {
        let workers = control.withLock { Array($0.workers.values) }
        for worker in workers { worker.kill() }
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
        close()
        let error = failure ?? error
        switch stop {
        case .cancelled:
            note("cancelled after \(JobRun.seconds(since: began)) s")
            conclude(.cancelled)
        case .shutdown:
            let kept = work.map {
                ", and keeps what it has made: \($0.units.count(where: \.isDone)) of \($0.rows.count) chunks"
            }
            note("interrupted: trimd is ending; the job starts again with it" + (kept ?? ""))
            conclude(.interrupted)
        case nil:
            note("failed after \(JobRun.seconds(since: began)) s: \(error.code.rawValue): \(error)")
            conclude(isHopeless ? .givenUp(error) : .failed(error))
        }
    }

    /// Closes the files before the end is reported, so that the space is free by then.
    func close() {
        output = nil
        source = nil
        picture = nil
        control.withLock { control in
            control.workers = [:]
            control.watchdog?.end()
            control.watchdog = nil
        }
    }

    /// Notifies the scheduler.
    func notify(_ event: Event) { onEvent(event) }

    // MARK: workers

    /// A worker for a step; it is stopped if the attempt is paused.
    func take(_ key: Int = Control.step) throws(MediaError) -> Worker {
        let worker = try context.pool.take()
        control.withLock { control in
            control.workers[key] = worker
            if control.isPaused { worker.pause(true) }
        }
        return worker
    }

    /// The callbacks of a worker, all on the run's queue: its progress and log, its plan if wanted, and the step after a
    /// successful answer.
    func client(
        of kind: MemoryEstimates.Kind? = nil, onProgress: (@Sendable (Progress) -> Void)? = nil,
        onPlan: @escaping @Sendable (WorkerPlan) -> Void = { _ in },
        _ next: @escaping @Sendable (JSONValue) throws(MediaError) -> Void
    ) -> Worker.Client {
        Worker.Client(
            inbox: WorkerInbox(
                on: queue,
                onProgress: onProgress ?? { [self] progress in
                    report(
                        progress.phase == .verifying
                            ? meter.verify(progress.fraction) : meter.export(progress))
                },
                onPlan: onPlan, onLine: { [self] line in note(line) }),
            then: { [self] outcome in
                queue.async {
                    let gone = self.control.withLock { $0.workers.removeValue(forKey: Control.step) }
                    if let kind, let gone { self.notify(.measured(kind, peak: gone.peakMemory)) }
                    let isAnswer = (try? outcome.get()) != nil
                    self.attempt(mayWait: isAnswer) { () throws(MediaError) in
                        try next(try outcome.mapError(self.located).get())
                    }
                }
            })
    }

    /// Reserves the space that the worker plans to write. If there is too little, it does not begin.
    func reserve(_ plan: WorkerPlan) {
        guard failure == nil else { return }
        do throws(MediaError) {
            let bytes = min(SizeEstimate.bytes(job, plan), mostBytes)
            estimate = bytes
            try output?.reserve(bytes)
        } catch {
            failure = error
            control.withLock { $0.workers[Control.step] }?.kill()
        }
    }

    func report(_ progress: Progress) {
        context.hub.progressed(job.id, of: job.user, progress, from: inPoint)
    }

    static func result<Value: Decodable>(_: Value.Type, _ json: JSONValue) throws(MediaError) -> Value {
        do throws(WireError) {
            return try json.decode(as: Value.self)
        } catch { throw MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)") }
    }
}
