// job.log: the log of a job.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.log`
    func log(_ id: Int64, _ caller: Caller) throws(MediaError) -> LogResult {
        _ = try store.job(id, for: caller.viewer)
        return LogResult(text: try logs.read(id))
    }
}
