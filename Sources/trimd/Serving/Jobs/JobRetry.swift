// job.retry: a job that failed or was cancelled waits again.
internal import JobQueue
internal import Media

extension JobService {
    /// `job.retry`, first: proves the rights again, since what the paths name may be something else by now. On a lane of
    /// the caller's.
    func judgeRetry(
        _ id: Int64, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> SubmissionValidator.Verdict {
        let job = try store.job(id, for: caller.viewer)
        // The table of states is asked before the source is: of a completed job it does not matter.
        guard job.state.isFinal, job.state.mayBecome(.waiting) else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is \(job.state.status.rawValue) and cannot be tried again",
                remedy: "only a job that failed or was cancelled can be")
        }
        let owner = Caller(uid: job.user, own: caller.own)
        guard caller.uid == job.user || owner.seesAll else {
            return try validator.validate(unchanged: job)
        }
        return try validator.validate(again: job.request, access)
    }

    /// `job.retry`, then: the job waits again.
    func retry(_ id: Int64, _ verdict: SubmissionValidator.Verdict) throws(MediaError) -> JobReport {
        report(
            try scheduler.order("to be tried again, because a user asks for it") { store throws(MediaError) in
                try store.retry(id, source: verdict.source, request: verdict.request, limit: limit)
            })
    }
}
