// job.get: one job as it is now.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.get`
    func job(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        report(try store.job(id, for: caller.viewer))
    }
}
