// Runs that are missing or too many, by the queue: after an error, and where several daemons share it. On the scheduler's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension Scheduler {
    /// Requeues jobs that are stored as running but are not: if the disk failed during a claim, its outcome is unknown.
    func reconcile() throws(MediaError) {
        guard isInDoubt else { return }
        // Where the queue is shared, `SharedQueue` recovers them, as it does those of other daemons.
        guard context.store.leaseTime == nil else {
            isInDoubt = false
            retries = 0
            return
        }
        for job in try context.store.attempts() where !hasBegun(job) {
            context.log.warning(
                "job \(job.id) is \(job.state.rawValue) in the queue and was not begun", about: job)
            _ = try context.store.interrupt(job.id, attempt: job.attempts, counted: false)
        }
        isInDoubt = false
        retries = 0
    }

    /// Ends all attempts without a word to the queue if it cannot be reached: another daemon may soon take them over. The scheduler
    /// itself may be waiting for the queue. Any thread.
    func abandonRuns() {
        for run in running.withLock(\.self) { _ = run.stop(.interrupted(.leaseLost)) }
        for run in helping.withLock(\.self) { run.stop() }
    }

    /// This owner's attempts that no run has: it was in doubt whether they were claimed, or their runs were ended. Units that nobody
    /// makes here for the same reasons are given back.
    func orphans() throws(MediaError) -> [Job] {
        let result: Result<[Job], MediaError> = queue.sync {
            do throws(MediaError) {
                try settleUnits()
                try context.store.returnUnits(except: Set(sharedUnits.runs.keys))
                return .success(try context.store.attempts().filter { !hasBegun($0) })
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Others have changed these jobs, or may have: a run whose job was cancelled is stopped, the watchers of the others are told. Of
    /// what nobody runs or watches here nothing is read: there may be hundreds of nodes, and each hears of each change.
    func othersChanged(_ ids: Set<Int64>) {
        queue.async { [self] in
            let isWatched = context.hub.isWatched
            if !ids.isEmpty, !isWatched { context.hub.hear() }
            for id in ids.sorted() where isWatched || runs[id] != nil || context.hub.latest(id) != nil {
                guard let job = try? context.store.job(id) else { continue }
                if let run = runs[id] {
                    let isOver = !JobState.begun.contains(job.state) || job.attempts != run.job.attempts
                    if isOver, foreseen[id] == nil { _ = run.stop(.cancelled) }
                } else {
                    context.hub.changed(job.report())
                }
            }
            carryOutOrders()
            for run in runs.values { run.lookForUnits() }
            checkSharedUnits()
            fill()
        }
    }
}
