// Jobs that start: each is claimed for a worker, and begins once its last attempt has told its end. On the scheduler's queue.
internal import Dispatch
internal import JobQueue
internal import Media

extension Scheduler {
    func claimJobs() {
        do throws(MediaError) {
            guard mayClaim() else { return }
            try reconcile()
            try settleUnits()
            var readiness = try context.store.availability()
            while readiness.isReady, mayClaim() {
                let worker = try context.pool.borrow()
                let claimed: Job?
                do throws(MediaError) {
                    claimed = try context.store.claim(worker: worker.identity)
                } catch {
                    context.pool.giveBack(worker)
                    throw error
                }
                guard let job = claimed else { return context.pool.giveBack(worker) }
                context.pool.prepare()
                readiness = try context.store.availability()
                begin(job, on: worker, others: readiness.isReady ? try context.store.waitingCount() : 0)
            }
            if !readiness.isReady, let delay = readiness.delay { wake(in: delay) }
        } catch {
            context.log.error("no job can be started now: \(error)")
            isInDoubt = true
            retryLater()
        }
    }

    private func begin(_ job: Job, on worker: Worker, others: Int) {
        // Its last attempt has its end on record, and is about to tell it: what that gives back is not this one's.
        guard runs[job.id] == nil else {
            following.updateValue((job, worker), forKey: job.id)?.worker.kill()
            return
        }
        context.log.info("job \(job.id) starts: \(job.request.input)", about: job)
        let threads = takeFirstShare(of: job, others: others)
        let run = JobRun(job, on: worker, threads: threads, context) { [self] event in
            queue.async {
                switch event {
                case .foreseen(let known): self.foresaw(known)
                case .ended(let after): self.ended(after)
                case .wants(let demands): self.wants(job.id, demands)
                case .released(let demand, let peak, let wanted): self.released(job.id, demand, peak, wanted)
                case .divided: break
                case .publishing: self.publishes(job.id)
                case .uses(let processors): self.uses(job.id, processors)
                case .measured(let kind, let peak): self.estimates.learn(kind, measured: peak)
                }
            }
        }
        runs[job.id] = run
        begun.append(job.id)
        context.hub.changed(job.report())
        notifyStatus()
        run.start()
    }

    /// Lets a job wait again that was claimed before the end of its last attempt was heard of, and is claimed anew from here on: meanwhile
    /// others may have changed it, or taken its share.
    func returnFollowing(_ id: Int64) {
        guard let (job, worker) = following.removeValue(forKey: id) else { return }
        worker.kill()
        do throws(MediaError) {
            _ = try context.store.interrupt(id, attempt: job.attempts, counted: false)
        } catch {
            // It was cancelled, or is another node's by now.
            if error.code == .jobStateNotValid { return }
            context.log.error("job \(id): that it did not begin cannot be written down: \(error)", about: job)
            isInDoubt = true
            retryLater()
        }
    }

    /// Whether the attempt of a stored job is here, running or about to.
    func hasBegun(_ job: Job) -> Bool {
        [runs[job.id]?.job.attempts, following[job.id]?.job.attempts].contains(job.attempts)
    }

    /// Waits for an attempt that has its end on record to tell it, so that its last word comes before the answer to an order about the
    /// job; not for a disk that does not answer. Not on the scheduler's queue.
    func awaitEnd(of id: Int64) {
        let run = queue.sync { runs[id] }
        guard let run, let job = try? context.store.job(id), !JobState.begun.contains(job.state) else {
            return
        }
        let told = DispatchSemaphore(value: 0)
        run.queue.async { told.signal() }
        _ = told.wait(timeout: .now() + 5)
    }
}
