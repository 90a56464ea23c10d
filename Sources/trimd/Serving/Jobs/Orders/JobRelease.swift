// job.release: lets a held job wait again, or a paused one go on.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.release`
    func release(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return report(try scheduler.release(id))
    }
}
