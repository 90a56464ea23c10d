// job.watch: the present state of the jobs that a client watches from now on; EventHub sends the changes.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.watch`: the present state of the watched jobs.
    func watched(_ params: WatchParams, _ caller: Caller) throws(MediaError) -> [JobReport] {
        guard let ids = params.ids else { return try jobs(ListParams(), caller) }
        guard ids.count <= 1000 else {
            throw MediaError(
                .invalidRequest, "\(ids.count) jobs are named, and at most 1000 can be",
                remedy: "name none: all")
        }
        var reports: [JobReport] = []
        for id in ids { reports.append(try job(id, caller)) }
        return reports
    }
}
