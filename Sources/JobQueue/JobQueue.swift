// JobQueue: what the daemon needs of a queue of jobs, whatever keeps it. Each call returns when what it changed is kept for good, and
// every later question sees that. An attempt's number is shown by whoever changes a running job, so that one who has lost the job
// changes nothing. What a back end must keep, the tests of conformance say; `JobStore` is the one on SQLite.
public import Media
public import Platform

/// The durable truth about jobs. Any thread; calls wait for their answer.
public protocol JobQueue: AnyObject, Sendable {
    /// What failures and the past are worth.
    var policy: QueuePolicy { get }
    /// The version of what is kept.
    var version: Int { get }

    // Submit, claim, publish, and the ends of an attempt

    /// Accepts a job, or answers the one that the user's key stands for.
    func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32, priority: Int, limit: Int?,
        name: OutputName?
    ) throws(MediaError) -> JobSubmission
    /// Gives the next job to a worker; nil where none can be begun.
    func claim(worker: ProcessIdentity) throws(MediaError) -> Job?
    /// Writes down which file is about to get which name.
    @discardableResult
    func publish(
        _ id: Int64, attempt: Int, _ publication: Publication, result: ExportResult
    ) throws(MediaError) -> Job
    /// The output has its name. Said again, it changes nothing; nor do the other ends.
    func complete(_ id: Int64, attempt: Int) throws(MediaError) -> Job
    /// There is no output: the job is tried again later, or failed.
    func fail(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job
    /// The job's user no longer wants it, and its attempt has ended.
    func cancel(_ id: Int64, attempt: Int) throws(MediaError) -> Job
    /// The daemon ended and not the job; `counted`: it crashed.
    func interrupt(_ id: Int64, attempt: Int, counted: Bool) throws(MediaError) -> Job

    // Order

    /// Its user no longer wants a job that is not running.
    func cancel(_ id: Int64) throws(MediaError) -> Job
    /// It is not begun until it is released.
    func hold(_ id: Int64) throws(MediaError) -> Job
    /// A held job waits again.
    func release(_ id: Int64) throws(MediaError) -> Job
    /// A job that failed or was cancelled waits again, as new.
    func retry(
        _ id: Int64, source: FileIdentity, request proved: ExportRequest?, limit: Int?
    ) throws(MediaError) -> Job
    /// Takes a job that has ended off the record.
    func remove(_ id: Int64) throws(MediaError) -> Job
    /// The jobs that have ended and are more than the policy keeps.
    func surplus() throws(MediaError) -> [Int64]
    /// Takes ended jobs off the record for being old, and old events with them.
    func forget(_ ids: [Int64]) throws(MediaError)
    /// Whether no job is to be begun. It outlives the daemon.
    func isDraining() throws(MediaError) -> Bool
    /// Says whether jobs are to be begun.
    func setDraining(_ isOn: Bool) throws(MediaError)

    // Read

    /// The job of a number; what the viewer may not see is not there.
    func job(_ id: Int64, for viewer: Viewer) throws(MediaError) -> Job
    /// The job a user's key stands for.
    func job(key: String, of user: UInt32) throws(MediaError) -> Job?
    /// Jobs from the newest on; `after` a number, those older than it.
    func jobs(for viewer: Viewer, limit: Int, after: Int64?) throws(MediaError) -> [Job]
    /// The jobs that a daemon which ended had begun and not ended.
    func begun() throws(MediaError) -> [Job]
    /// How many jobs wait for a worker.
    func waitingCount() throws(MediaError) -> Int
    /// Whether a job can be begun.
    func availability() throws(MediaError) -> JobAvailability
    /// When the job that has waited longest was accepted.
    func oldestWaiting() throws(MediaError) -> Moment?
    /// How many jobs there are of each status.
    func counts(for viewer: Viewer) throws(MediaError) -> [JobStatus: Int]
    /// The numbers behind a stem that unfinished jobs have, 1 for the stem alone.
    func takenNumbers(_ folder: String, _ stem: String) throws(MediaError) -> Set<Int>
    /// The highest number that a job ever had; 0 before the first.
    func lastJob() throws(MediaError) -> Int64
    /// Numbers of jobs and of events begin above these.
    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError)
    /// Throws where what is kept was removed or replaced under the queue.
    func checkFiles() throws(MediaError)
    /// Throws where what is kept is damaged.
    func checkIntegrity() throws(MediaError)

    // Events

    /// Events after a number, or from a moment on, oldest first.
    func events(
        for viewer: Viewer, after id: Int64, since moment: Moment?, limit: Int
    ) throws(MediaError) -> [JobEvent]
    /// The number of the last event there was; 0 before the first.
    func lastEvent() throws(MediaError) -> Int64
    /// The sums over all jobs that ever ended.
    func totals() throws(MediaError) -> [JobTotal]
}

extension JobQueue {
    /// The job of a number, whoever sees it.
    public func job(_ id: Int64) throws(MediaError) -> Job { try job(id, for: .all) }

    /// How many jobs there are of each status, everybody's.
    public func counts() throws(MediaError) -> [JobStatus: Int] { try counts(for: .all) }
}
