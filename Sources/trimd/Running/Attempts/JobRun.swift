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
        var worker: Worker?
        /// The output is being published: too late to stop.
        var isCommitted = false
        /// The next step waits for a write to the queue.
        var waits = false
        /// The attempt is stopped where it is.
        var isPaused = false
        /// Steps that came while it was paused.
        var postponed: [@Sendable () throws(MediaError) -> Void] = []
    }

    let job: Job
    let context: Context
    let queue: DispatchQueue
    let control: Mutex<Control>
    private let onEvent: @Sendable (Event) -> Void
    private var meter = JobProgressMeter()
    private var source: InputFile?
    private var picture: InputFile?
    private var output: OutputFile?
    /// The output's name and contents, once it is published.
    var published: (publication: Publication, result: ExportResult)?
    var patience = Patience()
    let began = Moment.now
    /// The in point, if it is known without the asset.
    private let inPoint: Time?

    /// An attempt of a job that was claimed for a worker; `onEvent` receives the job's changes.
    init(_ job: Job, on worker: Worker, _ context: Context, onEvent: @escaping @Sendable (Event) -> Void) {
        self.job = job
        self.context = context
        self.onEvent = onEvent
        inPoint = job.report().requested?.start
        control = Mutex(Control(worker: worker))
        queue = DispatchQueue(label: "trimd.job.\(job.id)")
    }

    /// Starts the attempt.
    func start() { queue.async { self.attempt { () throws(MediaError) in try self.export() } } }

    /// Stops the attempt at any step; false if it is too late, since the output is being published.
    func stop(_ reason: Stop) -> Bool {
        let (worker, waits, isLate): (Worker?, Bool, Bool) = control.withLock { control in
            let isLate = control.isCommitted
            // A cancelled job stays cancelled, even if the daemon stops meanwhile. A finished one keeps its state; on shutdown,
            // the write of its end is no longer waited for.
            if control.stop == nil, !isLate || reason == .shutdown { control.stop = reason }
            return (isLate ? nil : control.worker, control.waits, isLate)
        }
        worker?.kill()
        if waits { queue.async { self.resume() } }
        continueSteps()
        return !isLate
    }

    // MARK: the steps, on the run's queue

    /// Runs a step; an error that it throws ends the attempt.
    /// A step waits while the attempt is paused, but for one that reports a failure.
    func attempt(mayWait: Bool = true, _ step: @escaping @Sendable () throws(MediaError) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
        if mayWait, postpones(step) { return }
        do throws(MediaError) {
            try checkNotStopped()
            try step()
        } catch { end(error) }
    }

    private func checkNotStopped() throws(MediaError) {
        guard control.withLock({ $0.stop }) == nil else {
            throw MediaError(.operationCancelled, "the job was stopped")
        }
    }

    private func export() throws(MediaError) {
        guard let worker = control.withLock({ $0.worker }) else { return }
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
        limitOutput(of: worker)
        var descriptors = [source.descriptor.rawValue, output.descriptor.rawValue]
        if let own = picture?.descriptor.rawValue { descriptors.append(own) }
        worker.serve(
            .export, WorkerExport(job.request, alternatives: context.presets.alternatives(to: job.request)),
            passing: descriptors,
            client(onPlan: { [self] plan in reserve(plan) }) { [self] answer throws(MediaError) in
                try go(on: try JobRun.result(ExportOutcome.self, answer))
            })
        self.source = consume source
        self.output = consume output
    }

    private func go(on outcome: ExportOutcome) throws(MediaError) {
        guard case .finished(let result) = outcome else {
            throw MediaError(.workerCrashed, "the worker divided an export that was to be made as one")
        }
        try verify(result)
    }

    /// Limits the size of the worker's output to the settings' limit or trimd's own, whatever the worker plans.
    private func limitOutput(of worker: Worker) {
        do throws(SystemError) { try worker.limitOutput(to: mostBytes) } catch {
            context.log.warning("job \(job.id): \(error)", about: job)
        }
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
        let verifier = try context.pool.take()
        control.withLock { control in
            control.worker = verifier
            if control.isPaused { verifier.pause(true) }
        }
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
    private var failure: MediaError?

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
    private func end(_ error: MediaError) {
        let stop = control.withLock { control in
            control.worker?.kill()
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
            note("interrupted: trimd is ending; the job starts again with it")
            conclude(.interrupted)
        case nil:
            note("failed after \(JobRun.seconds(since: began)) s: \(error.code.rawValue): \(error)")
            conclude(.failed(error))
        }
    }

    /// Closes the files before the end is reported, so that the space is free by then.
    func close() {
        output = nil
        source = nil
        picture = nil
        control.withLock { $0.worker = nil }
    }

    /// Notifies the scheduler.
    func notify(_ event: Event) { onEvent(event) }

    // MARK: workers

    /// The callbacks of a worker, all on the run's queue: its progress and log, its plan if wanted, and the step after a
    /// successful answer.
    private func client(
        onPlan: @escaping @Sendable (WorkerPlan) -> Void = { _ in },
        _ next: @escaping @Sendable (JSONValue) throws(MediaError) -> Void
    ) -> Worker.Client {
        Worker.Client(
            inbox: WorkerInbox(
                on: queue,
                onProgress: { [self] progress in
                    report(
                        progress.phase == .verifying
                            ? meter.verify(progress.fraction) : meter.export(progress))
                },
                onPlan: onPlan, onLine: { [self] line in note(line) }),
            then: { [self] outcome in
                queue.async {
                    let isAnswer = (try? outcome.get()) != nil
                    self.attempt(mayWait: isAnswer) { () throws(MediaError) in
                        try next(try outcome.mapError(self.located).get())
                    }
                }
            })
    }

    /// Reserves the space that the worker plans to write. If there is too little, it does not begin.
    private func reserve(_ plan: WorkerPlan) {
        guard failure == nil else { return }
        do throws(MediaError) {
            try output?.reserve(min(SizeEstimate.bytes(job, plan), mostBytes))
        } catch {
            failure = error
            control.withLock { $0.worker }?.kill()
        }
    }

    private func report(_ progress: Progress) {
        context.hub.progressed(job.id, of: job.user, progress, from: inPoint)
    }

    private static func result<Value: Decodable>(_: Value.Type, _ json: JSONValue) throws(MediaError) -> Value
    {
        do throws(WireError) {
            return try json.decode(as: Value.self)
        } catch { throw MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)") }
    }
}
