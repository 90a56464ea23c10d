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
        let filter = params.filter
        if let key = params.key {
            guard let job = try store.job(key: key, of: caller.uid), job.id < params.after ?? .max,
                filter.matches(job)
            else { return [] }
            return [report(job)]
        }
        return try store.jobs(for: caller.viewer, where: filter, limit: limit, after: params.after)
            .map(report)
    }
}

extension ListParams {
    /// The jobs it asks for, of those that the caller may see.
    fileprivate var filter: JobFilter {
        var filter = JobFilter()
        filter.statuses = statuses.map(Set.init)
        (filter.user, filter.since) = (user, since)
        return filter
    }
}
