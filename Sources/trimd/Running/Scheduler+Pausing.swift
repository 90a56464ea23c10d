// Running jobs that are held: they are stopped where they are, and released later. A paused job gives up its slot, so that one user
// cannot stop the others' jobs; its processes keep their memory, so that there are never more of them than slots. A job that
// is released goes on when a slot is free, before any other starts. On the scheduler's queue.
internal import JobQueue
internal import Media

extension Scheduler {
    /// The attempts that go on, and the units of other nodes' jobs.
    var active: Int { runs.count - paused.count + sharedUnits.runs.count }
    /// Those of them that have a slot.
    var slotsInUse: Int { active - publishing.subtracting(paused).count }

    /// Holds a job: one that waits does not start, and a running one is stopped where it is.
    func hold(_ id: Int64) throws(MediaError) -> Job {
        try order("held") { store throws(MediaError) in
            guard let run = runs[id] else { return try store.hold(id) }
            return try pause(run)
        }
    }

    /// Releases a job: one that is held waits again, and one that is paused goes on when a slot is free.
    func release(_ id: Int64) throws(MediaError) -> Job {
        try order("released") { store throws(MediaError) in
            guard let run = runs[id] else { return try store.release(id) }
            return try letGoOn(run)
        }
    }

    func letGoOn(_ run: JobRun) throws(MediaError) -> Job {
        let id = run.job.id
        guard paused.contains(id) else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is exporting and cannot be released",
                remedy: "only a job that is held can be released")
        }
        let job = try context.store.pause(id, attempt: run.job.attempts, false)
        if !released.contains(id) { released.append(id) }
        return job
    }

    func pause(_ run: JobRun) throws(MediaError) -> Job {
        let (id, attempt) = (run.job.id, run.job.attempts)
        let isStopped = paused.contains(id)
        guard isStopped || paused.count < slots else {
            throw MediaError(
                .limitReached, "\(paused.count) jobs are paused, and no more can be: each keeps its memory",
                remedy: "release or cancel one of them, or cancel this job and retry it later")
        }
        guard foreseen[id] == nil, isStopped || run.pause() else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is about to end and cannot be held",
                remedy: "only a job whose output is not being published can be")
        }
        do throws(MediaError) {
            let job = try context.store.pause(id, attempt: attempt, true)
            paused.insert(id)
            budget.pause(id)
            released.removeAll { $0 == id }
            context.log.info("job \(id) is paused", about: job)
            notifyStatus()
            if active == 0, isDraining { drained() }
            return job
        } catch {
            if !isStopped { run.goOn() }
            throw error
        }
    }

    /// Lets released jobs go on while there are slots.
    func continueReleased() {
        while let id = released.first {
            guard let run = runs[id] else {
                released.removeFirst()
                continue
            }
            guard budget.goOn(id) else { return }
            released.removeFirst()
            guard paused.remove(id) != nil else { continue }
            context.log.info("job \(id) goes on", about: run.job)
            run.goOn()
            notifyStatus()
        }
    }

    /// Forgets a job that has ended.
    func forgetPause(of id: Int64) {
        paused.remove(id)
        released.removeAll { $0 == id }
    }
}
