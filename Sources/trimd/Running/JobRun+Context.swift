// What a JobRun is given: the parts that all attempts share, and the reasons to end one from outside. Values
// only; the parts have their own queues.
internal import Glibc
internal import JobQueue

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
        let store: JobStore
        let hub: EventHub
        let pool: WorkerPool
        let logs: JobLogs
        let log: Log
        /// Where temporary files are noted.
        let unfinished: UnfinishedFiles
        /// Where trimd acts for other users.
        let roots: Roots
        /// The mode of finished outputs.
        let mode: mode_t
    }
}
