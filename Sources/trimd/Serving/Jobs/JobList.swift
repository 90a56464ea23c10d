// job.list: lists jobs, newest first.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.list`
    func jobs(_ params: ListParams, _ caller: Caller) throws(MediaError) -> [JobReport] {
        let limit = params.limit ?? 100
        guard 1...1000 ~= limit else {
            throw MediaError(.invalidRequest, "limit is \(limit), and must be 1 to 1000")
        }
        if let key = params.key {
            let job = try store.job(key: key, of: caller.uid)
            return job.map { $0.id < params.after ?? .max ? [report($0)] : [] } ?? []
        }
        return try store.jobs(for: caller.viewer, limit: limit, after: params.after).map(report)
    }
}
