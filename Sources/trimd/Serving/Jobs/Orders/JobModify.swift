// job.modify: changes how a job that has not ended is queued.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.modify`
    func modify(_ params: ModifyParams, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(params.id, for: caller.viewer)
        guard let priority = params.priority else {
            throw MediaError(
                .invalidRequest, "nothing is named that is to be changed", remedy: "name priority")
        }
        try caller.check(priority: priority)
        return report(
            try scheduler.order("its priority is \(priority) now") { store throws(MediaError) in
                try store.modify(params.id, priority: priority)
            })
    }
}
