// job.retry: requeues a job that failed or was cancelled.
internal import JobQueue
internal import Media
internal import Text

extension JobService {
    /// `job.retry`, first step: checks access again, since the paths may name other files by now. Runs on a lane of the caller.
    func validateRetry(
        _ id: Int64, _ caller: Caller, _ access: CallerAccess
    ) throws(MediaError) -> SubmissionValidator.Validated {
        let job = try store.job(id, for: caller.viewer)
        // The state is checked before the source: a completed job cannot be retried whatever its source is.
        guard job.state.isFinal, job.state.mayBecome(.waiting) else {
            throw MediaError(
                .jobStateNotValid, "job \(id) is \(job.state.status.rawValue) and cannot be tried again",
                remedy: "only a job that failed or was cancelled can be")
        }
        // The queue names a root that this node has not by its name.
        guard job.request.input.isAbsolutePath, job.request.output.folder.isAbsolutePath else {
            let roots = job.needs.words.compactMap { $0.isAbsolutePath ? String($0.dropFirst()) : nil }
            throw MediaError(
                .fileNotFound,
                "the files of job \(id) are beneath roots that this node has not all of: "
                    + roots.joined(separator: ", "),
                remedy: "try it again on a node that has them: `trimctl nodes` lists them")
        }
        let owner = Caller(uid: job.user, own: caller.own)
        guard caller.uid == job.user || owner.seesAll else {
            return try validator.validate(unchanged: job)
        }
        do throws(MediaError) {
            return try validator.validate(again: job.request, access)
        } catch {
            throw JobService.nameKept(error, "move it away, or export again under another name")
        }
    }

    /// An error of a taken name with another remedy: a job that is tried again keeps its name, and whether it replaces a file.
    private static func nameKept(_ error: MediaError, _ remedy: String) -> MediaError {
        guard error.code == .fileAlreadyExists else { return error }
        return MediaError(error.code, error.message, time: error.time, track: error.track, remedy: remedy)
    }

    /// `job.retry`, second step: the job waits again.
    func retry(_ id: Int64, _ validated: SubmissionValidator.Validated) throws(MediaError) -> JobReport {
        scheduler.awaitEnd(of: id)
        do throws(MediaError) {
            return report(
                try scheduler.order("to be tried again, because a user asks for it") {
                    store throws(MediaError) in
                    try store.retry(id, source: validated.source, request: validated.request, limit: limit)
                })
        } catch {
            throw JobService.nameKept(
                error, "try again when that job has ended, or export again under another name")
        }
    }
}
