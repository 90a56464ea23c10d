// Orders to jobs that run on other nodes: the node that has the job's attempt is asked to pause it, or to let it go on. The order is on
// record, and that node looks for it when it hears of a change. Cancelling needs no asking: it is written, and the attempt loses its job.
internal import Glibc
internal import JobQueue
internal import Media

extension Scheduler {
    /// How often, and after how many microseconds, it is looked whether an order has been carried out: for ten seconds.
    private static let looks = 100, pause: UInt32 = 100_000

    /// Whether another node runs a job.
    func isElsewhere(_ job: Job) -> Bool {
        context.store.leaseTime != nil && job.state == .running && job.owner != context.store.owner
    }

    /// Asks the node that runs a job to pause it or to let it go on, and waits until it has. Not on the scheduler's queue.
    func ask(_ job: Job, toPause isOn: Bool) throws(MediaError) -> Job {
        if !isOn, !job.isPaused {
            throw MediaError(
                .jobStateNotValid, "job \(job.id) is exporting and cannot be released",
                remedy: "only a job that is held can be released")
        }
        guard job.isPaused != isOn else { return job }
        try context.store.ask(job.id, toPause: isOn)
        for _ in 0..<Scheduler.looks {
            let now = try context.store.job(job.id)
            if now.isPaused == isOn || now.state != .running || now.attempts != job.attempts { return now }
            usleep(Scheduler.pause)
        }
        throw MediaError(
            .jobStateNotValid,
            "job \(job.id) runs on another node, which has not \(isOn ? "held" : "released") it in ten seconds",
            remedy: "see the log of that node; it may have as many held jobs as it has memory for")
    }

    /// Carries out what others have asked. On the scheduler's queue.
    func carryOutOrders() {
        guard let asked = try? context.store.asked() else { return }
        for (id, isOn) in asked.sorted(by: { $0.key < $1.key }) {
            guard let run = runs[id] else { continue }
            do throws(MediaError) {
                let job = isOn ? try pause(run) : try letGoOn(run)
                context.logs.write(id, isOn ? "held" : "released")
                context.hub.changed(context.hub.report(of: job))
            } catch {
                context.log.warning(
                    "job \(id): another node's order is not carried out: \(error)", about: run.job)
            }
        }
    }
}
