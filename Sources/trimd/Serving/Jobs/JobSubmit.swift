// job.submit: a job is judged on a lane of the user who asks, where that may wait for a disk; then it is accepted.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.submit`, first: proves the rights, and finds names that the output may have; nil: the key names a job that is there
    /// already. On a lane of the caller's.
    func validate(
        _ params: SubmitParams, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> SubmissionValidator.Verdict? {
        if let priority = params.priority, priority > caller.highestPriority {
            throw MediaError(
                .permissionDenied,
                "refused by policy: the priority is \(priority), and above \(caller.highestPriority) is for root and the user trimd runs as",
                remedy: "give \(caller.highestPriority) or less; it orders your own jobs alone")
        }
        // A key names its job whatever becomes of the paths: the job may have made its output already.
        if let key = params.key, let known = try store.job(key: key, of: caller.uid) {
            try known.check(isAskedBy: try validator.request(params, like: known.request))
            return nil
        }
        return try validator.validate(params, access, taken: store.takenNumbers)
    }

    /// `job.submit`, then: accepts the job. Numbered names that all went to others meanwhile are `fileAlreadyExists`.
    func submit(
        _ params: SubmitParams, _ verdict: SubmissionValidator.Verdict?, _ caller: Caller
    ) throws(MediaError) -> JobReport {
        guard let verdict else {
            if let key = params.key, let job = try store.job(key: key, of: caller.uid) { return report(job) }
            throw MediaError(
                .jobNotFound, "the job of this key was removed just now", remedy: "submit it again")
        }
        let submission = try scheduler.submit(
            verdict, user: caller.uid, priority: params.priority ?? JobReport.usualPriority,
            limit: self.limit)
        return report(submission.job)
    }
}
