// Jobs that run only after others: they fail as soon as one of those will not complete. On the scheduler's queue.
internal import JobQueue
internal import Media

extension Scheduler {
    /// Fails the jobs that wait for one that will not complete, and notifies their watchers. Repeated until it succeeds.
    func failDependents() {
        do throws(MediaError) {
            for job in try context.store.failDependents() {
                let why = job.error.map { "\($0)" } ?? ""
                context.logs.write(job.id, "failed before it began: \(why)")
                context.log.info("job \(job.id) is failed: \(why)", about: job)
                context.hub.changed(job.report())
            }
        } catch {
            context.log.error("jobs that wait for others cannot be looked at now: \(error)")
            retryLater()
        }
    }
}
