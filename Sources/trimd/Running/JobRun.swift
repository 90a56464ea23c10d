// JobRun: one attempt of one job, from its claim to its end: worker, verification, publication, and the row
// at each step. It owns the attempt's output and lives on a serial queue of its own, where it may wait for
// the disk; workers answer to that queue. `stop` comes from anywhere. It does not choose jobs and does not
// start again: the scheduler does.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import MediaTime
internal import Synchronization
internal import Wire

/// One attempt of one job.
///
/// `@unchecked Sendable`: what is neither constant nor in a Mutex is touched on `queue` only.
final class JobRun: @unchecked Sendable {
    private struct Control {
        var stop: Stop?
        var worker: Worker?
        /// The name may be given: too late to stop.
        var isCommitted = false
    }

    let job: Job
    private let context: Context
    private let queue: DispatchQueue
    private let control: Mutex<Control>
    private let ended: @Sendable (Job) -> Void
    private var meter = ProgressMeter()
    private var source: SourceFile?
    private var picture: SourceFile?
    private var output: OutputFile?
    private var began = Moment.now
    /// The in point, where it is known without the asset.
    private let inPoint: Time?

    /// An attempt of a job that was claimed for a worker; `ended` is told once what became of the job.
    init(_ job: Job, on worker: Worker, _ context: Context, ended: @escaping @Sendable (Job) -> Void) {
        self.job = job
        self.context = context
        self.ended = ended
        inPoint = job.report().requested?.start
        control = Mutex(Control(worker: worker))
        queue = DispatchQueue(label: "trimd.job.\(job.id)")
    }

    /// Begins.
    func start() { queue.async { self.attempt { () throws(MediaError) in try self.export() } } }

    /// Ends the attempt now, whatever it does; false where it is too late, since the output gets its name.
    func stop(_ reason: Stop) -> Bool {
        let worker: Worker? = control.withLock { control in
            guard !control.isCommitted else { return nil }
            // A cancelled job stays cancelled, even where the daemon ends meanwhile.
            if control.stop == nil { control.stop = reason }
            return control.worker
        }
        worker?.kill()
        return worker != nil
    }

    // MARK: the steps, on the run's queue

    /// Does a step; what it throws ends the attempt.
    private func attempt(_ step: () throws(MediaError) -> Void) {
        dispatchPrecondition(condition: .onQueue(queue))
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
        let source = try SourceFile(opening: job.request.input)
        try source.check(against: job.source)
        try context.roots.check(job)
        picture = try artwork()
        context.unfinished.add(job)
        let output = try OutputFile(
            job.request.output, job: job.id, attempt: job.attempts, source: source.identity)
        do throws(MediaError) {
            try output.reserve(SizeEstimate.bytes(job))
        } catch {
            self.output = consume output
            throw error
        }
        limitOutput(of: worker)
        var descriptors = [source.descriptor.rawValue, output.descriptor.rawValue]
        if let own = picture?.descriptor.rawValue { descriptors.append(own) }
        worker.serve(
            .export, job.request, passing: descriptors,
            client { [self] answer throws(MediaError) in
                try verify(try JobRun.result(ExportResult.self, answer))
            })
        self.source = consume source
        self.output = consume output
        CrashPoint.reach(.afterSpawn)
    }

    /// The largest output that the worker may write: the settings' or trimd's own bound, whatever the worker finds.
    private func limitOutput(of worker: Worker) {
        let limits = context.pool.setup.limits
        let most = limits.outputMiB.map { Int64($0) << 20 } ?? OutputBound.bytes(job)
        do throws(SystemError) { try worker.limitOutput(to: most) } catch {
            context.log.warning("job \(job.id): \(error)", about: job)
        }
    }

    /// The picture that is to be put into the output, where one is asked for: still the file that was shown.
    private func artwork() throws(MediaError) -> SourceFile? {
        guard let path = job.request.metadata?.artwork else { return nil }
        let picture = try SourceFile(opening: path)
        guard picture.identity.place == job.request.metadata?.artworkPlace else {
            throw MediaError(
                .sourceChanged, "\(path) is another file than when the job was accepted",
                remedy: "submit it again")
        }
        return picture
    }

    private func verify(_ result: ExportResult) throws(MediaError) {
        note(
            "exported in \(JobRun.seconds(since: began)) s by \(result.render.rawValue): \(result.bytes) bytes"
        )
        for warning in result.warnings { note("warning: \(warning.code): \(warning.message)") }
        for item in result.dropped { note("dropped: \(item.what): \(item.reason)") }
        CrashPoint.reach(.beforeVerify)
        tell(meter.verify(0))
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
        control.withLock { $0.worker = verifier }
        let whole = result
        verifier.serve(
            .verify, WorkerVerify(result, strict: job.request.strict), passing: [file.rawValue],
            client { [self] answer throws(MediaError) in
                try publish(accepted(whole, try JobRun.result(Verified.self, answer).warnings))
            })
        if control.withLock({ $0.stop }) != nil { verifier.kill() }
        // While the verifier reads, the bytes go to the disk. Its answer waits for this queue.
        do throws(MediaError) {
            try output?.sync()
        } catch {
            verifier.kill()
            failure = error
        }
    }

    /// A result with what its verification noted, but for what the export has told.
    private func accepted(_ result: ExportResult, _ noted: [Warning]) -> ExportResult {
        var result = result
        for warning in noted
        where !result.warnings.contains(where: {
            $0.code == warning.code && $0.track == warning.track && $0.time == warning.time
        }) {
            note("warning: \(warning.code): \(warning.message)")
            result.warnings.append(warning)
        }
        return result
    }

    /// What went wrong beside a worker whose answer is still to come.
    private var failure: MediaError?

    private func publish(_ result: ExportResult) throws(MediaError) {
        if let failure { throw failure }
        tell(meter.verify(1))
        let isStopped = control.withLock { control in
            control.isCommitted = control.stop == nil
            return !control.isCommitted
        }
        guard !isStopped else { throw MediaError(.operationCancelled, "the job was stopped") }
        CrashPoint.reach(.beforePublishing)
        let name = try output?.publish(fileType: result.fileType, mode: context.mode, source: job.source) {
            publication throws(MediaError) in
            try context.store.publish(job.id, attempt: job.attempts, publication, result: result)
        }
        CrashPoint.reach(.beforeDone)
        do throws(MediaError) {
            let done = try context.store.complete(job.id, attempt: job.attempts)
            context.unfinished.remove(job)
            CrashPoint.reach(.afterDone)
            note("completed in \(JobRun.seconds(since: began)) s: \(name ?? "")")
            finish(done)
        } catch { abandon(error) }
    }

    /// Ends the attempt without an output: nothing of it stays on the disk.
    private func end(_ error: MediaError) {
        let stop = control.withLock { control in
            control.worker?.kill()
            return control.isCommitted ? nil : control.stop
        }
        do throws(MediaError) {
            try output?.discard()
            context.unfinished.remove(job)
        } catch {
            context.log.error("job \(job.id): its temporary file stays: \(error)")
        }
        // Closed before anybody hears of the end: the space is free then.
        output = nil
        source = nil
        picture = nil
        let error = located(failure ?? error)
        do throws(MediaError) {
            let after: Job
            switch stop {
            case .cancelled:
                note("cancelled after \(JobRun.seconds(since: began)) s")
                after = try context.store.cancel(job.id)
            case .shutdown:
                note("interrupted: trimd is ending; the job starts again with it")
                after = try context.store.interrupt(job.id, attempt: job.attempts, counted: false)
            case nil:
                note("failed after \(JobRun.seconds(since: began)) s: \(error.code.rawValue): \(error)")
                after = try context.store.fail(job.id, attempt: job.attempts, error)
                if let due = after.due { note("to be tried again at \(due)") }
            }
            finish(after)
        } catch { abandon(error) }
    }

    /// A worker knows no folder: where the disk is full, this says which.
    private func located(_ error: MediaError) -> MediaError {
        let folder = job.request.output.folder
        guard error.code == .diskFull, !error.message.contains(folder) else { return error }
        var error = error
        error.message = "the disk is full where \(folder) lies: \(error.message)"
        error.remedy = "make room there"
        return error
    }

    /// The end cannot be written down: the row stays as it is, and the next start of the daemon decides by
    /// the files.
    private func abandon(_ error: MediaError) {
        context.log.error("job \(job.id): its end cannot be written down: \(error)", about: job)
        finish((try? context.store.job(job.id)) ?? job)
    }

    private func finish(_ job: Job) {
        output = nil
        source = nil
        picture = nil
        control.withLock { $0.worker = nil }
        context.log.info(
            "job \(job.id) is \(job.state.rawValue)" + (job.error.map { ": \($0)" } ?? ""), about: job)
        context.hub.changed(job.report(progress: context.hub.latest(job.id)))
        ended(job)
    }

    // MARK: workers

    /// The callbacks of a worker: its progress and log, and the step that follows a good answer. All of it on the
    /// run's queue.
    private func client(_ next: @escaping @Sendable (JSONValue) throws(MediaError) -> Void) -> Worker.Client {
        Worker.Client(
            inbox: WorkerInbox(
                on: queue,
                onProgress: { [self] progress in
                    tell(
                        progress.phase == .verifying
                            ? meter.verify(progress.fraction) : meter.export(progress))
                }, onLine: { [self] line in note(line) }),
            then: { [self] outcome in
                queue.async {
                    self.attempt { () throws(MediaError) in try next(try outcome.get()) }
                }
            })
    }

    private func tell(_ progress: Progress) {
        context.hub.progressed(job.id, of: job.user, progress, from: inPoint)
    }

    private func note(_ line: String) { context.logs.write(job.id, line) }

    private static func result<Value: Decodable>(_: Value.Type, _ json: JSONValue) throws(MediaError) -> Value
    {
        do throws(WireError) {
            return try json.decode(as: Value.self)
        } catch { throw MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)") }
    }

    private static func seconds(since moment: Moment) -> String {
        let tenths = max(0, Moment.now.milliseconds - moment.milliseconds) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}
