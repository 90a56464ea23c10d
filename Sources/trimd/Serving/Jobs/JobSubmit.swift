// job.submit: validates a job on a lane of the caller, where it may wait for a disk, then accepts it.
internal import JobQueue
internal import Media
internal import Wire

extension JobService {
    /// `job.submit`, first step: checks access and finds free names for the output; nil: a job with this key exists. Runs on a
    /// lane of the caller.
    func validate(
        _ params: SubmitParams, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> SubmissionValidator.Validated? {
        if let priority = params.priority { try caller.check(priority: priority) }
        // A key identifies its job whatever happens to the paths: the job may have published its output already.
        if let key = params.key, let known = try store.job(key: key, of: caller.uid) {
            try known.check(isAskedBy: try validator.request(params, like: known.request))
            return nil
        }
        // Nobody's job waits for one that they do not see.
        for id in params.after ?? [] { _ = try store.job(id, for: caller.viewer) }
        return try validator.validate(params, access, taken: store.takenNumbers)
    }

    /// `job.submit`, second step: accepts the job. Throws `fileAlreadyExists` if other jobs took all the offered names
    /// meanwhile.
    func submit(
        _ params: SubmitParams, _ validated: SubmissionValidator.Validated?, _ caller: Caller,
        from client: any Subscriber
    ) throws(MediaError) -> JobReport {
        // Before the job is there: it may start at once.
        scheduler.expect(params.concurrency ?? 1, from: client, of: caller.uid)
        guard let validated else {
            if let key = params.key, let job = try store.job(key: key, of: caller.uid) { return report(job) }
            throw MediaError(
                .jobNotFound, "the job of this key was removed just now", remedy: "submit it again")
        }
        let submission = try scheduler.submit(
            validated, user: caller.uid, priority: params.priority ?? JobReport.usualPriority,
            limit: self.limit,
            start: StartCondition(
                after: params.after ?? [], notBefore: params.notBefore, needs: params.needs ?? []))
        return report(submission.job)
    }
}
