// job.remove: removes a finished job from the queue.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.remove`
    func remove(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return try scheduler.remove(id).report()
    }
}
