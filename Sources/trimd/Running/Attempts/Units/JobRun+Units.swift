// An attempt that makes its export in units: they are recorded, each is made by a worker of its own as the scheduler grants it a
// share of the budget, and joined when all are made. Files are synced before they are recorded. On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

extension JobRun {
    /// The most units of an export: a film of a day, in chunks of ten seconds.
    private static let mostUnits = 10_000
    /// The most units whose files one unit reads.
    private static let mostInputs = 8
    /// How often a join may ask for other units.
    private static let mostCorrections = 20

    /// Records a plan's units, and asks for what they need.
    func divide(_ plan: UnitPlan) throws(MediaError) {
        try checkNotStopped()
        if let failure { throw failure }
        try JobRun.check(plan)
        if var known = work {
            known.corrections += 1
            guard known.corrections <= JobRun.mostCorrections else {
                throw MediaError(
                    .workerCrashed, "the worker has asked \(known.corrections) times for other chunks")
            }
            known.take(try context.store.correct(job.id, attempt: job.attempts, plan))
            note("\(plan.units.count) chunks are made again or in addition")
            work = known
        } else {
            try begin(plan)
        }
        context.hub.changed(context.hub.report(of: try context.store.job(job.id)))
        watchTime()
        guard let work else { return }
        try work.files.checkSpace(Int64(Double(estimate ?? 0) * work.openShare))
        if work.isDone { notify(.wants([Demand(kind: .join)])) } else { want(work.ready) }
        // In this order no job that waits begins before these units.
        notify(.released(Demand(kind: .export), peak: 0))
    }

    /// Stores the plan, and finds what an earlier attempt has made.
    private func begin(_ plan: UnitPlan) throws(MediaError) {
        let before = try context.store.units(job.id)
        let files = try UnitFolder(of: job)
        context.unfinished.addUnits(of: job)
        var plan = plan
        // Units of another release are made again.
        plan.fingerprint += " trimd \(trimdVersion)"
        var work = AttemptUnits(try context.store.plan(job.id, attempt: job.attempts, plan), files)
        for unit in work.units {
            guard let file = unit.file, files.open(unit.number, recorded: file) == nil else { continue }
            note("chunk \(unit.number) is made again: its file is lost, or was changed")
            work.take(try context.store.loseUnit(job.id, attempt: job.attempts, unit.number))
        }
        let kept = work.units.filter(\.isDone)
        try files.removeAll(but: Set(kept.map(\.number)))
        note("divided into \(work.rows.count) chunks")
        let made = before?.counts.done ?? 0
        if !kept.isEmpty {
            note("resumed: \(kept.count) of \(work.rows.count) chunks kept")
        } else if made > 0 {
            note("starts again: another version, request or source made the \(made) chunks there were")
        }
        self.work = work
    }

    /// A worker is not trusted: its plan has limits.
    private static func check(_ plan: UnitPlan) throws(MediaError) {
        let numbers = plan.units.map(\.number)
        guard (1...mostUnits).contains(numbers.count), Set(numbers).count == numbers.count,
            numbers.allSatisfy({ (0...UnitFolder.highest).contains($0) }),
            plan.units.allSatisfy({ $0.inputs.count <= mostInputs })
        else {
            throw MediaError(.workerCrashed, "the worker's plan of \(numbers.count) chunks makes no sense")
        }
    }

    /// Limits the time of all units together, as the watchdog of a worker does for one.
    private func watchTime() {
        let seconds = context.pool.setup.limits.jobSeconds
        control.withLock { control in
            guard control.watchdog == nil, control.stop == nil else { return }
            let watchdog = Watchdog(Watchdog.Patience(stall: .max, total: seconds), on: queue) {
                [weak self] error in
                self?.attempt { () throws(MediaError) in throw error }
            }
            watchdog.isPaused.store(control.isPaused, ordering: .relaxed)
            control.watchdog = watchdog
        }
    }

    /// Asks the scheduler for shares for units: audio first, since a track is one unit for the whole length and would end last.
    func want(_ numbers: [Int]) {
        let demands = numbers.compactMap(demand)
        let audio = demands.filter { $0.kind == .unit(.audio) }
        notify(.wants(audio + demands.filter { $0.kind != .unit(.audio) }))
    }

    private func demand(_ number: Int) -> Demand? {
        work?.rows[number].map { Demand(number: number, kind: .unit($0.unit.kind), memory: $0.unit.memory) }
    }

    /// A share is granted: starts what it was wanted for, with so many threads. Any thread.
    func granted(_ demand: Demand, threads: Int) {
        let threads = min(threads, context.effort.threads ?? threads)
        queue.async { [self] in
            attempt { [self] () throws(MediaError) in
                guard let number = demand.number else { return try join(threads: threads) }
                let inputs = try self.inputs(of: number)
                do throws(MediaError) {
                    try make(number, inputs, threads: threads)
                } catch {
                    notify(.released(demand, peak: 0))
                    try failed(number, error)
                }
            }
        }
    }

    /// The files that a unit reads.
    private func inputs(of number: Int) throws(MediaError) -> [OpenUnitFile] {
        guard let work, let row = work.rows[number] else { return [] }
        let open = row.unit.inputs.compactMap { number in
            work.rows[number]?.file.flatMap { work.files.open(number, recorded: $0) }
        }
        guard open.count == row.unit.inputs.count else { throw lost }
        return open
    }

    /// Files of units are not those on record; the next attempt finds which, and makes them again.
    var lost: MediaError {
        MediaError(
            .inputOutput, "files of chunks were changed or removed in \(job.request.output.folder)")
    }

    private func make(_ number: Int, _ inputs: [OpenUnitFile], threads: Int) throws(MediaError) {
        guard let work, let row = work.rows[number], !row.isDone, work.running[number] == nil, ending == nil
        else { return }
        // All that is made of a source that was changed is thrown away in the end.
        try source?.check(against: job.source)
        let file = try work.files.create(number)
        let worker = try take(number)
        do throws(MediaError) {
            try record("the start of chunk \(number)") { [self] () throws(MediaError) in
                guard let work = self.work, ending == nil else { return }
                let begun = try context.store.beginUnit(
                    job.id, attempt: job.attempts, number, worker: worker.identity,
                    progress: work.ceiling(beginning: number) * JobProgressMeter.made)
                self.work?.take(begun)
                self.work?.running[number] = AttemptUnits.Running(worker: worker, file: file)
                serve(begun, to: worker, file, inputs, plan: work.stored.plan, threads: threads)
            }
        } catch {
            control.withLock { $0.workers[number] = nil }
            worker.kill()
            throw error
        }
    }

    private func serve(
        _ begun: JobUnit, to worker: Worker, _ file: OpenUnitFile, _ inputs: [OpenUnitFile], plan: JSONValue,
        threads: Int
    ) {
        let number = begun.number
        note(
            "chunk \(number) started: \(begun.unit.kind.rawValue), attempt \(begun.attempts), worker \(worker.identity.pid), "
                + "threads \(threads)")
        limitOutput(of: worker)
        lower(worker)
        worker.serve(
            .unit, WorkerUnit(job.request, plan: plan, unit: begun.unit, threads: threads),
            passing: [source?.descriptor.rawValue, file.raw].compactMap(\.self) + inputs.map(\.raw),
            client(of: number))
        withExtendedLifetime(inputs) {}
        if control.withLock({ $0.stop }) != nil { worker.kill() }
    }

    private func client(of number: Int) -> Worker.Client {
        Worker.Client(
            inbox: WorkerInbox(
                on: queue,
                onProgress: { [self] progress in
                    guard work?.running[number] != nil else { return }
                    work?.running[number]?.progress = progress
                    if let all = work?.progress { report(meter.units(all)) }
                },
                onLine: { [self] line in note("chunk \(number): \(line)") }),
            then: { [self] outcome in queue.async { self.gone(number, outcome) } })
    }

    /// The worker of a unit has gone.
    private func gone(_ number: Int, _ outcome: Worker.Outcome) {
        control.withLock { $0.workers[number] = nil }
        guard let run = work?.running.removeValue(forKey: number) else { return }
        let demand = demand(number)
        let release: @Sendable () -> Void = { [self] in
            if let demand { notify(.released(demand, peak: run.worker.peakMemory)) }
        }
        if let ending {
            release()
            if work?.running.isEmpty == true { end(ending) }
            return
        }
        let isAnswer = (try? outcome.get()) != nil
        if isAnswer { work?.syncing.insert(number) }
        attempt(mayWait: isAnswer) { [self] () throws(MediaError) in
            do throws(MediaError) {
                let report = try JobRun.result(UnitReport.self, try outcome.mapError(located).get())
                try sync(number, run.file, report, then: release)
            } catch {
                release()
                try failed(number, error)
            }
        }
    }

    /// Checks and syncs the file of a unit, then records it. It keeps its share until then: so at most one unit for each share is
    /// lost with the daemon.
    private func sync(
        _ number: Int, _ file: OpenUnitFile, _ report: UnitReport,
        then release: @escaping @Sendable () -> Void
    ) throws(MediaError) {
        guard report.number == number, try file.identity().size == report.bytes else {
            throw MediaError(.workerCrashed, "the worker's report of a chunk does not fit its file")
        }
        guard (work?.bytes ?? 0) + report.bytes <= mostBytes.multipliedReportingOverflow(by: 2).partialValue
        else {
            throw MediaError(
                .maximumFileSizeReached, "the chunks together are twice as large as the output may be",
                remedy: "take a smaller range or preset, or raise limits.outputMiB in trimd.json")
        }
        let files = work?.files
        syncs.async { [self] in
            let result: Result<FileIdentity, MediaError>
            do throws(MediaError) {
                try file.sync()
                try files?.syncFolder()
                result = .success(try file.identity())
            } catch { result = .failure(error) }
            queue.async { [self] in
                attempt { [self] () throws(MediaError) in
                    let file: FileIdentity
                    do throws(MediaError) { file = try result.get() } catch {
                        release()
                        return try failed(number, error)
                    }
                    try record("chunk \(number)") { [self] () throws(MediaError) in
                        try finished(number, file, report)
                        release()
                    }
                }
            }
        }
    }

    private func finished(_ number: Int, _ file: FileIdentity, _ report: UnitReport) throws(MediaError) {
        guard let work else { return }
        let isLast = work.open == [number] && !work.hasPending
        let stored = try context.store.finishUnit(
            job.id, attempt: job.attempts, number, file: file, report: report,
            progress: isLast ? JobProgressMeter.verified : 0)
        self.work?.syncing.remove(number)
        self.work?.take(stored)
        note("chunk \(number) made: \(report.bytes) bytes")
        if let all = self.work?.progress { self.report(meter.units(all)) }
        if let stored = try? context.store.job(job.id) { context.hub.changed(context.hub.report(of: stored)) }
        if self.work?.isDone == true {
            notify(.wants([Demand(kind: .join)]))
        } else {
            want(self.work?.following(number) ?? [])
        }
    }
}
