// Draining and stopping. Draining: no job is started, and whoever asked for it is answered once none is running. A paused job does not run. On the
// scheduler's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension Scheduler {
    /// Whether no more jobs are started. Never blocks.
    var isDraining: Bool { drains.withLock(\.self) }

    /// Whether no job is accepted either. Never blocks.
    var isRefusing: Bool { refuses.withLock(\.self) }

    /// Throws if no job is accepted.
    func checkAccepting() throws(MediaError) {
        guard isRefusing else { return }
        throw MediaError(
            .queueUnavailable, "trimd is draining and accepts no job",
            remedy: "submit it to another trimd, or again after `trimctl drain --off`")
    }

    /// Stops or resumes starting jobs; `then` is called once no job runs that should not.
    /// - Parameter refuses: no job is accepted either.
    func drain(
        _ isOn: Bool, refuses: Bool = false, then: @escaping @Sendable (Result<Void, MediaError>) -> Void
    ) {
        queue.async { [self] in
            do throws(MediaError) {
                try context.store.setRefusing(isOn && refuses)
                try context.store.setDraining(isOn)
                setDraining(isOn, refuses: refuses)
                guard isOn else { return then(.success(())) }
                draining.append { then(.success(())) }
                if active == 0 { drained() }
            } catch { then(.failure(error)) }
        }
    }

    /// Stops or resumes starting jobs, as it is stored; another node may have ordered it.
    private func setDraining(_ isOn: Bool, refuses isRefusing: Bool) {
        refuses.withLock { $0 = isOn && isRefusing }
        if isOn != isDraining {
            context.log.info(isOn ? "draining: no more jobs are started" : "jobs are started again")
            drains.withLock { $0 = isOn }
            context.hub.drains(isOn)
            notifyStatus()
        }
        guard !isOn else {
            returnSharedUnits()
            return giveBack()
        }
        drained()
        fill()
    }

    /// Looks whether another node has ordered this one to drain or not; false if that is as before. Not on the scheduler's queue.
    func followDraining() throws(MediaError) -> Bool {
        let result: Result<Bool, MediaError> = queue.sync {
            do throws(MediaError) {
                let isOn = try context.store.isDraining()
                let refuses = isOn ? try context.store.isRefusing() : false
                guard isOn != isDraining || refuses != isRefusing else { return .success(false) }
                setDraining(isOn, refuses: refuses)
                return .success(true)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// While this node drains and others share the queue: jobs that want to start something, and have nothing running, wait again, so
    /// that another node goes on with them.
    func giveBack() {
        guard isDraining, context.store.leaseTime != nil else { return }
        for (job, wanted) in demands where !wanted.isEmpty && !paused.contains(job) {
            guard !budget.holds(anyOf: job), let run = runs[job] else { continue }
            context.log.info("job \(job) is given back: another node goes on with it")
            _ = run.stop(.interrupted(.draining))
        }
    }

    /// Stops all attempts; their jobs wait for the next start of the daemon. `then` is called when none is left.
    func stop(then: @escaping @Sendable () -> Void) {
        isClosed.withLock { $0 = true }
        queue.async { [self] in
            isStopping = true
            stopped = then
            for run in runs.values { _ = run.stop(.interrupted(.ending)) }
            returnSharedUnits(isLast: true)
            if runs.isEmpty, sharedUnits.runs.isEmpty { then() }
        }
    }

    /// Answers those who wait for the drain.
    func drained() {
        for then in draining { then() }
        draining = []
    }
}
