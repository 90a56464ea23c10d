// The join of an attempt's units: one worker copies them into the output. It gets their files a few at a time, so that a thousand
// units need few descriptors. On the run's queue.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Wire

extension JobRun {
    /// The files in one message: the most descriptors that a message carries.
    private static let batch = min(DaemonNotification.most, 32)
    /// Milliseconds until a worker that has not taken its files yet is looked at again.
    private static let pause = 2

    /// Asks a worker to join all units.
    func join(threads: Int) throws(MediaError) {
        guard let work, work.isDone else { return }
        self.threads = threads
        try output?.empty()
        let worker = try take()
        let units = work.units.filter(\.isDone)
        let parts = UnitName.count(units.map(\.unit.name))
        note(
            work.hasPending
                ? "planning the other chunks by what is made, \(parts): worker \(worker.identity.pid)"
                : "joining \(parts): worker \(worker.identity.pid), threads \(threads)")
        limitOutput(of: worker)
        lower(worker)
        worker.serve(
            .join,
            WorkerJoin(
                job.request, plan: work.stored.plan, units: units.map(\.unit),
                reports: units.compactMap(\.report),
                threads: threads), passing: descriptors,
            client(
                of: .join,
                onProgress: { [self] progress in
                    // It may ask for other chunks before it joins any.
                    if progress.phase != .preparing { report(meter.join(progress)) }
                },
                onPlan: { [self] plan in reserve(plan) }
            ) { [self] answer throws(MediaError) in
                if let failure { throw failure }
                try go(on: try JobRun.result(ExportOutcome.self, answer))
            })
        if control.withLock({ $0.stop }) != nil { worker.kill() }
        pass(units[...], of: work.files, to: worker)
    }

    /// Passes the files of units, the next ones when the worker has taken those before.
    private func pass(_ units: ArraySlice<JobUnit>, of folder: UnitFolder, to worker: Worker) {
        guard !units.isEmpty, control.withLock({ $0.workers[Control.step] }) === worker else { return }
        guard worker.hasTakenAll else {
            return queue.asyncAfter(deadline: .now() + .milliseconds(JobRun.pause)) { [self] in
                pass(units, of: folder, to: worker)
            }
        }
        let next = units.prefix(JobRun.batch)
        let files = next.map { folder.open($0) }
        let open = files.compactMap(\.self)
        do throws(MediaError) {
            guard open.count == next.count else {
                throw lost(zip(next, files).compactMap { $1 == nil ? $0.number : nil })
            }
            try worker.pass(open.map(\.raw))
        } catch {
            failure = error
            return worker.kill()
        }
        withExtendedLifetime(open) {}
        pass(units.dropFirst(next.count), of: folder, to: worker)
    }

    /// Makes the export as one: it cannot be made in units.
    func exportWhole(_ reason: String) throws(MediaError) {
        note("made as one, not in chunks: \(reason)")
        if work != nil {
            try context.store.dropUnits(job.id, attempt: job.attempts)
            work = nil
            context.unfinished.removeUnits(of: job, context.log)
        }
        try output?.empty()
        let worker = try take()
        ask(worker, mayDivide: false)
        if control.withLock({ $0.stop }) != nil { worker.kill() }
    }
}
