// job.remove: a job that has ended goes off the record.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.remove`
    func remove(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return try scheduler.remove(id).report()
    }
}
