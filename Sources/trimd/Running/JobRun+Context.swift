// What a JobRun is given: the parts that all attempts share, and the reasons to end one from outside. Values
// only; the parts have their own queues.
internal import Glibc
internal import JobQueue
internal import Media

extension JobRun {
    /// Why an attempt is ended from outside.
    enum Stop: Sendable {
        /// Its user cancelled it.
        case cancelled
        /// The daemon ends; the job waits for the next one.
        case shutdown
    }

    /// What every attempt needs, and shares.
    struct Context: Sendable {
        let store: any JobQueue
        let hub: EventHub
        let pool: WorkerPool
        let logs: JobLogs
        let log: Log
        /// Where temporary files are noted.
        let unfinished: UnfinishedFiles
        /// Where paths are opened for the first time.
        let lanes: PathLanes
        /// Where trimd acts for other users.
        let roots: Roots
        /// The mode of finished outputs.
        let mode: mode_t
    }
}

extension PathLanes {
    /// Throws where the disks of a job do not answer, so that the job's own queue does not wait for them for ever, and its
    /// worker with it. What is wrong with the paths is not told here.
    func checkDisks(of job: Job, while isWanted: () -> Bool) throws(MediaError) {
        let request = job.request
        let answers = wait(for: job.user, while: isWanted) {
            _ = try? OpenedFile(opening: request.input).descriptor
            _ = try? OutputFolder(opening: request.output.folder).checkSpace()
        }
        guard !answers, isWanted() else { return }
        throw MediaError(
            .inputOutput,
            "opening \(request.input) or \(request.output.folder) does not end: the disk or server does not answer",
            remedy: "see to that disk, then try again")
    }
}
