// The records that an attempt writes to the queue about its units. A write that fails for a reason that may pass (the disk is full, the
// database is away) is tried again with growing delays while other units go on: nothing that is made is made again for it.
// On the run's queue.
internal import Dispatch
internal import JobQueue
internal import Media

extension JobRun {
    /// Writes to the queue, and goes on with what is stored by then; `what` is written, for the log.
    func record(
        _ what: String, after patience: Patience? = nil,
        _ write: @escaping @Sendable () throws(MediaError) -> Void
    ) throws(MediaError) {
        do throws(MediaError) { try write() } catch {
            guard Patience.isWorthWhile(error) else { throw error }
            if patience == nil {
                context.log.warning(
                    "job \(job.id): \(what) cannot be written down, which is tried again until it can: \(error)",
                    about: job)
            }
            var patience = patience ?? Patience()
            let delay = patience.delay()
            let next = patience
            queue.asyncAfter(deadline: .now() + delay) { [weak self] in
                self?.attempt { [weak self] () throws(MediaError) in
                    try self?.record(what, after: next, write)
                }
            }
        }
    }

    /// The name of a unit.
    func name(of number: Int) -> String { work?.rows[number].map { "\($0.unit.name)" } ?? "unit \(number)" }

    /// An attempt of a unit has failed: it is made again later, or the job is given up.
    func failed(_ number: Int, _ error: MediaError) throws(MediaError) {
        try checkNotStopped()
        work?.syncing.remove(number)
        note("\(name(of: number)) failed: \(error.code.rawValue): \(error)")
        guard let row = work?.rows[number] else { return }
        let claim = UnitClaim(job.id, row)
        work?.files.remove(number, claim: claim.claim)
        // No unit of this plan can be made any more: the next attempt plans with the present libraries.
        if error.code == .operationInterrupted { throw error }
        // Nor can any other unit be written now: it counts once, for the job, which is tried again with what is made.
        if let error = error.ofOutput { throw error }
        // Without its media no unit is at fault: the job waits for them.
        rootLoss = context.markers?.absence(of: job.needs)
        if rootLoss != nil { throw error }
        try record("the failure of \(name(of: number))") { [self] () throws(MediaError) in
            switch try context.store.failUnit(claim, attempt: job.attempts, error) {
            case .again(let delay):
                work?.free(number)
                want(number, in: .milliseconds(Int(delay)))
            case .final(var last):
                isHopeless = true
                // A time of the source says more.
                if last.time == nil { last.message = "make \(name(of: number)): \(last.message)" }
                end(last)
            }
        }
    }

    /// Removes what the attempt has begun and not recorded: it would take space while the job waits.
    func removeUnrecorded() {
        guard let work else { return }
        let kept = work.units.filter { $0.isDone || work.isElsewhere($0.number) }
        do throws(MediaError) {
            try work.files.removeAll(but: kept, after: work.lastChange)
        } catch { context.log.warning("job \(job.id): files of its chunks stay: \(error)", about: job) }
    }

    func want(_ number: Int, in delay: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.attempt { [weak self] () throws(MediaError) in self?.want([number]) }
        }
    }
}

extension MediaError {
    /// The error of the job where a unit failed since the output's file system takes nothing; nil: it concerns the unit alone.
    var ofOutput: MediaError? {
        switch code {
        case .diskFull, .maximumFileSizeReached, .notWritable: self
        default: nil
        }
    }
}
