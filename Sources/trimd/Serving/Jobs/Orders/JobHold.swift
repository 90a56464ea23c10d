// job.hold: keeps a job from starting, or stops a running one where it is, until it is released.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.hold`
    func hold(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        let job = try store.job(id, for: caller.viewer)
        if scheduler.isElsewhere(job) { return report(try scheduler.ask(job, toPause: true)) }
        return report(try scheduler.hold(id))
    }
}
