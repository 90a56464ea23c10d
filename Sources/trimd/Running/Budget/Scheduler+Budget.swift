// The share of each worker in the budget. Jobs that began first come first: so one after another ends, and a new one begins only
// when no other has something to start. A wish that comes first and does not fit yet is waited for, so that nothing waits for ever. On
// the scheduler's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension Scheduler {
    /// The processors that running workers use. Never blocks.
    var usedProcessors: Int { used.withLock(\.self) }

    /// The number of running exports that have a slot.
    var busy: Int { queue.sync { slotsInUse } }

    /// The budget as it is now. Not on the scheduler's queue.
    var presentBudget: Budget { queue.sync { budget } }

    /// The most jobs that have begun: those whose units all wait after failures keep others from nothing.
    private var mostBegun: Int { 2 * slots + 8 }

    /// A begun job wants shares.
    func wants(_ job: Int64, _ wanted: [JobRun.Demand]) {
        guard runs[job] != nil else { return }
        demand(wanted, for: job)
        giveBack()
        fill()
    }

    private func demand(_ wanted: [JobRun.Demand], for job: Int64) {
        let known = demands[job] ?? []
        demands[job] = known + wanted.filter { !known.contains($0) }
    }

    /// The present step of a job can use so many processors: others may have the rest.
    func uses(_ job: Int64, _ processors: Int) {
        budget.use(Budget.Holder(job: job), processors)
        fill()
    }

    /// A job waits for the disk alone until it has ended: others may have its share.
    func publishes(_ job: Int64) {
        guard runs[job] != nil else { return }
        publishing.insert(job)
        budget.giveBack(Budget.Holder(job: job))
        notifyStatus()
        fill()
    }

    /// The worker of a share has gone. The job may have it for its next demands: a join begins when the last chunk ends.
    func released(_ job: Int64, _ held: JobRun.Demand, _ peak: Int64, _ wanted: [JobRun.Demand]) {
        estimates.learn(held.kind, planned: held.memory, measured: peak)
        budget.giveBack(Budget.Holder(job: job, number: held.number))
        if runs[job] != nil, !wanted.isEmpty { demand(wanted, for: job) }
        giveBack()
        fill()
    }

    /// Grants shares to begun jobs while there are some.
    func grant() {
        guard released.isEmpty, !isDraining || context.store.leaseTime == nil else { return }
        for job in begun where !paused.contains(job) {
            while let demand = demands[job]?.first {
                // It was wanted twice.
                if demand.number != nil, budget.holds(Budget.Holder(job: job, number: demand.number)) {
                    demands[job]?.removeFirst()
                    continue
                }
                guard let run = runs[job], let threads = take(job, demand) else { return }
                demands[job]?.removeFirst()
                run.granted(demand, threads: threads)
            }
        }
    }

    /// Takes the share for a demand; its threads, nil if it does not fit.
    private func take(_ job: Int64, _ demand: JobRun.Demand) -> Int? {
        var wish = Budget.Wish(memory: estimates.bytes(demand.kind, planned: demand.memory))
        guard budget.fits(wish) else { return nil }
        let waiting = demands.reduce(0) { $0 + (paused.contains($1.key) ? 0 : $1.value.count) }
        var others = 0
        // Only where there is something to share.
        if budget.spare > waiting, !isDraining {
            others =
                (try? context.store.availability().isReady) == true
                ? (try? context.store.waitingCount()) ?? 0 : 0
        }
        wish.processors = budget.fairShare(waiting: waiting + others)
        guard budget.take(Budget.Holder(job: job, number: demand.number), wish) else { return nil }
        return wish.processors
    }

    /// A client will have so many jobs of a user at once. Any thread.
    func expect(_ count: Int, from client: any Subscriber, of user: UInt32) {
        queue.async { self.expected.expect(count, from: client, of: user) }
    }

    /// A client is gone. Any thread.
    func forget(_ client: ObjectIdentifier) { queue.async { self.expected.forget(client) } }

    /// Whether a waiting job may begin.
    func mayClaim() -> Bool {
        guard !isDraining, released.isEmpty, runs.count - paused.count < mostBegun else { return false }
        let isWanted = demands.contains { !paused.contains($0.key) && !$0.value.isEmpty }
        return !isWanted && budget.fits(Budget.Wish(memory: estimates.bytes(.export)))
    }

    /// Takes the share of a job that begins, while so many others wait; its threads.
    func takeFirstShare(of job: Job, others: Int) -> Int {
        // Those of the same user that are about to be submitted wait as well.
        let own = runs.values.count { $0.job.user == job.user && budget.holds(anyOf: $0.job.id) }
        let toCome = expected.count(of: job.user) - 1 - own
        let wish = Budget.Wish(
            processors: budget.fairShare(waiting: 1 + max(others, toCome)), memory: estimates.bytes(.export))
        let holder = Budget.Holder(job: job.id)
        _ = budget.take(holder, wish)
        return max(1, budget.processors(of: holder))
    }
}
