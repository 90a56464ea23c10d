// job.cancel: cancels a job.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.cancel`
    func cancel(
        _ id: Int64, _ caller: Caller, then: @escaping @Sendable (Result<JobReport, MediaError>) -> Void
    ) throws(MediaError) {
        _ = try store.job(id, for: caller.viewer)
        scheduler.cancel(id) { [self] result in then(result.map(report)) }
    }
}
