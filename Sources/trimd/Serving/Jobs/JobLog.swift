// job.log: the log of a job.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.log`
    func log(_ params: LogParams, _ caller: Caller) throws(MediaError) -> LogResult {
        _ = try store.job(params.id, for: caller.viewer)
        return try logs.read(params.id, from: params.from)
    }
}
