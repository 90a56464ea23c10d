// The pause of an attempt: its worker is stopped where it is, its next step waits, and its limits stand still. A paused attempt
// can be stopped as any other. Called on the scheduler's queue.
internal import Dispatch
internal import JobQueue
internal import Media
internal import Synchronization

extension JobRun {
    /// Stops the attempt where it is; false if it is too late, since it ends or its output is being published.
    func pause() -> Bool {
        control.withLock { control in
            guard !control.isCommitted, control.stop == nil else { return false }
            control.isPaused = true
            control.watchdog?.isPaused.store(true, ordering: .relaxed)
            for worker in control.workers.values { worker.pause(true) }
            return true
        }
    }

    /// Lets the attempt go on.
    func goOn() {
        control.withLock { control in
            control.isPaused = false
            control.watchdog?.isPaused.store(false, ordering: .relaxed)
            for worker in control.workers.values { worker.pause(false) }
        }
        continueSteps()
    }

    /// Keeps a step for later; false if the attempt is not paused.
    func postpones(_ step: @escaping @Sendable () throws(MediaError) -> Void) -> Bool {
        control.withLock { control in
            guard control.isPaused, control.stop == nil else { return false }
            control.postponed.append(step)
            return true
        }
    }

    /// Takes the steps that were postponed; those of a stopped attempt end it.
    func continueSteps() {
        let steps = control.withLock { control in
            defer { control.postponed = [] }
            return control.postponed
        }
        for step in steps { queue.async { self.attempt(step) } }
    }
}
