// The workers of an attempt: their limits, their callbacks, and what they report. On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

extension JobRun {
    /// Limits the size of the worker's output to the settings' limit or trimd's own, whatever the worker plans.
    func limitOutput(of worker: Worker) {
        do throws(SystemError) { try worker.limitOutput(to: mostBytes) } catch {
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
    /// successful answer: when the process is gone, or at once if it is only a reader.
    func client(
        of kind: MemoryEstimates.Kind? = nil, isReader: Bool = false,
        onProgress: (@Sendable (Progress) -> Void)? = nil,
        onPlan: @escaping @Sendable (WorkerPlan) -> Void = { _ in },
        _ next: @escaping @Sendable (JSONValue) throws(MediaError) -> Void
    ) -> Worker.Client {
        let isAnswered = Once()
        let proceed: @Sendable (Worker.Outcome) -> Void = { [self] outcome in
            guard isAnswered.take() else { return }
            let isAnswer = (try? outcome.get()) != nil
            attempt(mayWait: isAnswer) { () throws(MediaError) in
                try next(try outcome.mapError(self.located).get())
            }
        }
        // Another end than success waits until the process is gone, as all that belongs to an attempt is before its end is said.
        let onAnswer: @Sendable (Worker.Outcome) -> Void = { [self] outcome in
            guard case .success = outcome else { return }
            queue.async {
                if self.failure == nil, self.control.withLock({ $0.stop }) == nil { proceed(outcome) }
            }
        }
        return Worker.Client(
            inbox: WorkerInbox(
                on: queue,
                onProgress: onProgress ?? { [self] progress in
                    report(
                        progress.phase == .verifying
                            ? meter.verify(progress.fraction) : meter.export(progress))
                },
                onPlan: onPlan, onProcessors: { [self] processors in notify(.uses(processors)) },
                onLine: { [self] line in if !isOver { note(line) } }),
            files: sourceFiles,
            onAnswer: isReader ? onAnswer : nil,
            then: { [self] outcome in
                queue.async {
                    let gone = self.control.withLock { $0.workers.removeValue(forKey: Control.step) }
                    if gone?.isStuck == true { self.isDiskSilent = true }
                    if let kind, let gone { self.notify(.measured(kind, peak: gone.peakMemory)) }
                    proceed(outcome)
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
        var progress = progress
        progress.fraction = stored(progress.fraction)
        progress.remaining = estimatedTime.take(
            progress.remaining, at: Double(DispatchTime.now().uptimeNanoseconds) / 1e9)
        context.hub.progressed(job.id, of: job.user, progress, from: inPoint)
        context.progress?.report(job, progress, from: inPoint)
    }

    /// The progress that may be reported of an export in units: a restart goes on with what is made, and reports no less than was
    /// reported before. So each whole percent is stored before it is reported, and nothing that is not reached yet.
    private func stored(_ fraction: Double) -> Double {
        guard work != nil else { return fraction }
        let percent = min((fraction * 100).rounded(.down) / 100, JobProgressMeter.verified)
        // Where the queue cannot be written, the progress waits.
        if percent > reached,
            (try? context.store.reach(job.id, attempt: job.attempts, progress: percent)) != nil
        {
            reached = percent
        }
        return min(fraction, reached)
    }

    /// Tells those who ask which units are being made.
    func tellMaking() {
        context.hub.makes(job.id, work?.making ?? [])
        context.progress?.makes(job, work?.making ?? [])
    }

    static func result<Value: Decodable>(_: Value.Type, _ json: JSONValue) throws(MediaError) -> Value {
        do throws(WireError) {
            return try json.decode(as: Value.self)
        } catch { throw MediaError(.workerCrashed, "the worker's answer makes no sense: \(error)") }
    }
}
