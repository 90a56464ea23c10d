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
    /// The end of a fingerprint: units of other releases do not fit.
    static let release = " trimd \(trimdVersion)"
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
            note("made again or in addition: \(UnitName.count(plan.units.map(\.name)))")
            work = known
        } else {
            try begin(plan)
        }
        context.hub.changed(context.hub.report(of: try context.store.job(job.id)))
        watchTime()
        guard let work else { return }
        // It is known everywhere before the first unit is stored.
        report(meter.units(work.progress))
        context.progress?.flush()
        notify(.divided)
        try work.files.checkSpace(Int64(Double(estimate ?? 0) * work.openShare))
        // In one event: no job that waits begins before these units, and they may have the share of the step that divided.
        let wanted = work.isDone ? [Demand(kind: .join)] : demands(work.ready)
        notify(.released(Demand(kind: .export), peak: 0, wants: wanted))
    }

    /// Stores the plan, and finds what an earlier attempt has made.
    private func begin(_ plan: UnitPlan) throws(MediaError) {
        let before = try context.store.units(job.id)
        let files = try UnitFolder(of: job)
        context.unfinished.addUnits(of: job)
        var plan = plan
        // Units of another release are made again.
        plan.fingerprint += JobRun.release
        var work = AttemptUnits(try context.store.plan(job.id, attempt: job.attempts, plan), files)
        for unit in work.units where unit.isDone {
            guard files.open(unit) == nil else { continue }
            note("\(unit.unit.name) is made again: its file is lost, or was changed")
            work.take(try context.store.loseUnit(job.id, attempt: job.attempts, unit.number))
        }
        let kept = work.units.filter(\.isDone)
        // Other nodes still make what they claimed of an earlier attempt of the same plan.
        let elsewhere = work.units.filter { work.isElsewhere($0.number) }
        try files.removeAll(but: kept + elsewhere, after: work.lastChange)
        note("divided into \(UnitName.count(work.units.map(\.unit.name)))")
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

    /// Asks the scheduler for shares for units.
    func want(_ numbers: [Int]) { notify(.wants(demands(numbers))) }

    /// The demands for those of the units that nobody makes.
    private func demands(_ numbers: [Int]) -> [Demand] {
        guard let work else { return [] }
        let wanted = numbers.filter { number in
            work.rows[number]?.isDone == false && work.running[number] == nil
                && !work.syncing.contains(number)
                && !work.isElsewhere(number)
        }.compactMap { work.rows[$0]?.unit }
        return UnitOrder.order(wanted).compactMap { demand($0.number) }
    }

    private func demand(_ number: Int) -> Demand? {
        work?.rows[number].map { Demand(number: number, kind: .unit($0.unit.kind), memory: $0.unit.memory) }
    }

    /// A share is granted: starts what it was wanted for, with so many threads. Any thread.
    func granted(_ demand: Demand, threads: Int) {
        let threads = min(threads, context.effort.threads ?? threads)
        queue.async { [self] in
            attempt { [self] () throws(MediaError) in
                guard demand.number != nil else { return try join(threads: threads) }
                try make(demand, threads: threads)
            }
        }
    }

    /// Files of units are not those on record; the next attempt finds which, and makes them again.
    func lost(_ numbers: [Int]) -> MediaError {
        let names = numbers.map(name).joined(separator: ", ")
        return MediaError(
            .inputOutput, "read \(names) in \(job.request.output.folder): the file was changed or removed")
    }

    private func make(_ demand: Demand, threads: Int) throws(MediaError) {
        // Mostly it is known then what others have, and no worker is started in vain.
        if context.store.leaseTime != nil { try takeUnits() }
        guard let work, let number = demand.number, let row = work.rows[number], !row.isDone,
            work.running[number] == nil, !work.isElsewhere(number), ending == nil
        else { return notify(.released(demand, peak: 0)) }
        // All that is made of a source that was changed is thrown away in the end.
        try checkOpenFiles()
        let needed = row.unit.inputs.compactMap { work.rows[$0] }
        guard let inputs = UnitAttempt.open(needed, in: work.files) else {
            throw lost(needed.filter { work.files.open($0) == nil }.map(\.number))
        }
        let worker = try take(number)
        do throws(MediaError) {
            try record("the start of \(row.unit.name)") { [self] () throws(MediaError) in
                guard self.work != nil, ending == nil else { return }
                let stored = try context.store.beginUnit(
                    job.id, attempt: job.attempts, number, worker: worker.identity, progress: reached)
                begin(stored, demand, inputs, on: worker, threads: threads)
            }
        } catch {
            drop(worker, of: number)
            throw error
        }
    }

    /// The start of a unit is on record, unless another node has it.
    private func begin(
        _ stored: JobUnit, _ demand: Demand, _ inputs: [OpenUnitFile], on worker: Worker, threads: Int
    ) {
        guard let work else { return }
        self.work?.take(stored)
        let number = stored.number
        guard !stored.isDone, stored.owner == context.store.owner, stored.worker == worker.identity else {
            drop(worker, of: number)
            return notify(.released(demand, peak: 0))
        }
        let begun: UnitAttempt
        do throws(MediaError) {
            begun = try UnitAttempt(stored, of: job.id, by: worker, in: work.files)
        } catch {
            drop(worker, of: number)
            notify(.released(demand, peak: 0))
            return attempt(mayWait: false) { [self] () throws(MediaError) in try failed(number, error) }
        }
        self.work?.running[number] = AttemptUnits.Running(attempt: begun)
        tellMaking()
        note(begun.started(threads: threads))
        limitOutput(of: worker)
        lower(worker)
        begun.serve(
            job.request, plan: work.stored.plan, source: source?.descriptor.rawValue,
            subtitles: subtitles?.descriptor.rawValue, inputs: inputs, threads: threads, client(of: number))
        if control.withLock({ $0.stop }) != nil { worker.kill() }
    }

    /// A worker gets no request after all.
    private func drop(_ worker: Worker, of number: Int) {
        control.withLock { $0.workers[number] = nil }
        worker.kill()
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
                onLine: { [self] line in note("\(name(of: number)): \(line)") }),
            files: sourceFiles,
            then: { [self] outcome in queue.async { self.gone(number, outcome) } })
    }

    /// The worker of a unit has gone.
    private func gone(_ number: Int, _ outcome: Worker.Outcome) {
        control.withLock { $0.workers[number] = nil }
        guard let run = work?.running.removeValue(forKey: number) else { return }
        tellMaking()
        if run.attempt.worker.isStuck { isDiskSilent = true }
        let unit = run.attempt.unit.unit
        let held = Demand(number: number, kind: .unit(unit.kind), memory: unit.memory)
        let release: @Sendable ([Demand]) -> Void = { [self] wanted in
            notify(.released(held, peak: run.attempt.worker.peakMemory, wants: wanted))
        }
        if let ending {
            release([])
            if work?.running.isEmpty == true { end(ending) }
            return
        }
        let isAnswer = (try? outcome.get()) != nil
        if isAnswer { work?.syncing.insert(number) }
        attempt(mayWait: isAnswer) { [self] () throws(MediaError) in
            do throws(MediaError) {
                let report = try run.attempt.report(try outcome.mapError(located).get())
                try sync(run.attempt, report, then: release)
            } catch {
                release([])
                try failed(number, error)
            }
        }
    }

    /// Checks and syncs the file of a unit, then records it. It keeps its share until then: so at most one unit for each share is
    /// lost with the daemon.
    private func sync(
        _ unit: UnitAttempt, _ report: UnitReport, then release: @escaping @Sendable ([Demand]) -> Void
    ) throws(MediaError) {
        guard (work?.bytes ?? 0) + report.bytes <= mostBytes.multipliedReportingOverflow(by: 2).partialValue
        else {
            throw MediaError(
                .maximumFileSizeReached, "the chunks together are twice as large as the output may be",
                remedy: "take a smaller range or preset, or raise limits.outputMiB in trimd.json")
        }
        syncs.async { [self] in
            let result: Result<FileIdentity, MediaError>
            do throws(MediaError) { result = .success(try unit.sync()) } catch { result = .failure(error) }
            queue.async { [self] in
                attempt { [self] () throws(MediaError) in
                    let file: FileIdentity
                    do throws(MediaError) { file = try result.get() } catch {
                        release([])
                        return try failed(unit.unit.number, error)
                    }
                    try record(name(of: unit.unit.number)) { [self] () throws(MediaError) in
                        release(try finished(unit, file, report))
                    }
                }
            }
        }
    }

    /// A unit is made; returns what can be made after it.
    private func finished(
        _ unit: UnitAttempt, _ file: FileIdentity, _ report: UnitReport
    ) throws(MediaError) -> [Demand] {
        guard work != nil else { return [] }
        let number = unit.unit.number
        let stored = try context.store.finishUnit(
            unit.claim, file: file, report: report, progress: reached)
        self.work?.syncing.remove(number)
        self.work?.take(stored)
        note("\(stored.unit.name) made: \(report.bytes) bytes")
        return demands(after: [number])
    }

    /// Reports units that are made, and returns what can be made when they are.
    func demands(after numbers: [Int]) -> [Demand] {
        guard let work else { return [] }
        report(meter.units(work.progress))
        if let stored = try? context.store.job(job.id) { context.hub.changed(context.hub.report(of: stored)) }
        return work.isDone
            ? [Demand(kind: .join)] : demands(Set(numbers.flatMap(work.following)).sorted())
    }
}
