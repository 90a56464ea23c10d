// job.release: lets a held job wait again, or a paused one go on.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.release`
    func release(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        let job = try store.job(id, for: caller.viewer)
        if scheduler.isElsewhere(job) { return report(try scheduler.ask(job, toPause: false)) }
        return report(try scheduler.release(id))
    }
}
