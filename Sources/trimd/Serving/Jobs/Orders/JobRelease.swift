// job.release: lets a held job wait again.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.release`
    func release(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return report(try scheduler.order("released") { store throws(MediaError) in try store.release(id) })
    }
}
