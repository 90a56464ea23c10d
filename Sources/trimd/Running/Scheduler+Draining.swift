// Draining and stopping. Draining: no job is started, and whoever asked for it is answered once none is running. A paused job does not run. On the
// scheduler's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension Scheduler {
    /// Whether no more jobs are started. Never blocks.
    var isDraining: Bool { drains.withLock(\.self) }

    /// Stops or resumes starting jobs; `then` is called once no job runs that should not.
    func drain(_ isOn: Bool, then: @escaping @Sendable (Result<Void, MediaError>) -> Void) {
        queue.async { [self] in
            do throws(MediaError) {
                try context.store.setDraining(isOn)
                if isOn != isDraining {
                    context.log.info(isOn ? "draining: no more jobs are started" : "jobs are started again")
                    drains.withLock { $0 = isOn }
                    context.hub.drains(isOn)
                    notifyStatus()
                }
                guard isOn else {
                    drained()
                    fill()
                    return then(.success(()))
                }
                returnSharedUnits()
                draining.append { then(.success(())) }
                if active == 0 { drained() }
            } catch { then(.failure(error)) }
        }
    }

    /// Stops all attempts; their jobs wait for the next start of the daemon. `then` is called when none is left.
    func stop(then: @escaping @Sendable () -> Void) {
        isClosed.withLock { $0 = true }
        queue.async { [self] in
            isStopping = true
            stopped = then
            for run in runs.values { _ = run.stop(.shutdown) }
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
