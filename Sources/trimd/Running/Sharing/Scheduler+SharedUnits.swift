// Units of other nodes' jobs. Where a share of the budget is free and nothing of its own can start, this node claims a unit of the job
// that began first anywhere. It gives the unit back when it drains or ends, and when the job is paused or has ended. On the
// scheduler's queue.
internal import CLinux
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension Scheduler {
    /// The units of other nodes' jobs that are made here.
    struct SharedUnits {
        var runs: [UnitClaim: SharedUnitRun] = [:]
        /// Jobs of which no unit can be made here, and until when that is believed, in nanoseconds of a monotonic clock.
        var unable: [Int64: Int64] = [:]

        /// Units that could not be given back when they ended here: others wait for them, and so does this node if it has the job later.
        var owed: Set<UnitClaim> = []
        /// It is in doubt whether a unit was claimed of which nothing is known here.
        var isInDoubt = false

        /// The jobs that have units here.
        var jobs: Set<Int64> { Set(runs.keys.map(\.job)) }
    }

    /// Nanoseconds after which a unit of a job is tried again that could not be made here.
    private static let inability: Int64 = 300_000_000_000
    /// The most jobs that are remembered so.
    private static let mostUnable = 100

    /// Claims units of other nodes' jobs while there are shares that nothing else wants.
    func help() {
        guard context.store.leaseTime != nil, mayHelp else { return }
        let now = trim_monotonic_ns()
        sharedUnits.unable = sharedUnits.unable.filter { $0.value > now }
        let others = Set(sharedUnits.unable.keys)
        do throws(MediaError) {
            while mayHelp, try context.store.hasFreeUnit(except: others) {
                let worker = try context.pool.borrow()
                let claimed: ClaimedUnit?
                do throws(MediaError) {
                    claimed = try context.store.claimUnit(worker: worker.identity, except: others)
                } catch {
                    worker.kill()
                    sharedUnits.isInDoubt = true
                    throw error
                }
                guard let claimed else { return context.pool.giveBack(worker) }
                context.pool.prepare()
                begin(claimed, on: worker)
            }
        } catch {
            // The next look at the queue tries again.
            context.log.debug("no unit of another node can be claimed now: \(error)")
        }
    }

    /// Gives back what could not be given back before. Comes before a job is claimed: units of this node's own attempts count as begun.
    func settleUnits() throws(MediaError) {
        for claim in sharedUnits.owed {
            try context.store.returnUnit(claim, isFailed: false)
            sharedUnits.owed.remove(claim)
        }
        guard sharedUnits.isInDoubt else { return }
        try context.store.returnUnits(except: Set(sharedUnits.runs.keys))
        sharedUnits.isInDoubt = false
    }

    private var mayHelp: Bool {
        guard !isDraining, !isStopping, released.isEmpty else { return false }
        let isWanted = demands.contains { !paused.contains($0.key) && !$0.value.isEmpty }
        return !isWanted && budget.fits(Budget.Wish(memory: estimates.bytes(.unit(.video))))
    }

    private func begin(_ claimed: ClaimedUnit, on worker: Worker) {
        let claim = UnitClaim(claimed.job.id, claimed.unit)
        let (kind, memory) = (
            MemoryEstimates.Kind.unit(claimed.unit.unit.kind), claimed.unit.unit.memory
        )
        let wish = Budget.Wish(
            processors: budget.fairShare(waiting: 1 + claimed.others),
            memory: estimates.bytes(kind, planned: memory))
        let holder = Budget.Holder(job: claim.job, number: claim.number)
        // One that needs more memory than was thought runs all the same: it is small beside the others.
        _ = budget.take(holder, wish)
        context.log.info(
            "unit \(claim.number) of job \(claim.job) starts for another node", about: claimed.job)
        let run = SharedUnitRun(
            claimed, on: worker, threads: max(1, budget.processors(of: holder)), context
        ) { [self] end, peak in
            queue.async { [self] in
                estimates.learn(kind, planned: memory, measured: peak)
                budget.giveBack(holder)
                ended(claim, end)
            }
        }
        sharedUnits.runs[claim] = run
        notifyStatus()
        run.start()
    }

    private func ended(_ claim: UnitClaim, _ end: SharedUnitRun.End) {
        let run = sharedUnits.runs.removeValue(forKey: claim)
        if case .owed = end { sharedUnits.owed.insert(claim) }
        if case .unable(let error) = end {
            context.log.warning(
                "units of job \(claim.job) cannot be made here: \(error)", about: run?.claimed.job)
            if sharedUnits.unable.count < Scheduler.mostUnable {
                sharedUnits.unable[claim.job] = trim_monotonic_ns() + Scheduler.inability
            }
        }
        if !sharedUnits.jobs.contains(claim.job), runs[claim.job] == nil {
            context.unfinished.forgetUnits(of: claim.job)
        }
        afterEnd()
    }

    /// Gives back the units of jobs that are paused or have ended.
    func checkSharedUnits() {
        for id in sharedUnits.jobs {
            let job: Job?
            do throws(MediaError) { job = try context.store.job(id) } catch {
                guard error.code == .jobNotFound else { continue }
                job = nil
            }
            switch job?.state {
            case .waiting?: continue
            case .running? where job?.isPaused == false: continue
            default: for (claim, run) in sharedUnits.runs where claim.job == id { run.stop() }
            }
        }
    }

    /// Gives all back.
    func returnSharedUnits(isLast: Bool = false) {
        for run in sharedUnits.runs.values { run.stop(isLast: isLast) }
    }
}
