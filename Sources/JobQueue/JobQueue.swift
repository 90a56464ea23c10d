// JobQueue: the interface of a job queue, independent of its storage. Each call returns once its change is durable and visible
// to every later read. An attempt belongs to the queue object that claimed it, its owner, and is leased to it: a call that changes
// a running job gives the attempt's number, and changes nothing if the attempt has another number or another owner by now. The
// conformance tests define the contract of a back end; `JobStore` implements it with SQLite.
public import Media
public import Platform

/// The durable record of jobs. Any thread; the calls block.
public protocol JobQueue: AnyObject, Sendable {
    /// The policy on failed and finished jobs.
    var policy: QueuePolicy { get }
    /// The schema version of the storage.
    var version: Int { get }
    /// Who owns the attempts that this object claims: one run of one daemon.
    var owner: String { get }
    /// Milliseconds for which an attempt stays its owner's after it was claimed or renewed; nil: until the owner has ended.
    var leaseTime: Int64? { get }

    // Submit, claim, publish, and the ends of an attempt

    /// Accepts a job, or returns the one that has the user's key.
    func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32, priority: Int, limit: Int?,
        name: OutputName?
    ) throws(MediaError) -> JobSubmission
    /// Assigns the next job to a worker; nil if none can start.
    func claim(worker: ProcessIdentity) throws(MediaError) -> Job?
    /// Renews the leases of this owner's attempts; nothing to do where `leaseTime` is nil.
    func renew() throws(MediaError)
    /// Takes over the attempts of other owners whose leases have ended, and returns their jobs: this owner decides what becomes
    /// of them.
    func takeOver() throws(MediaError) -> [Job]
    /// Stores which file is about to get which name.
    @discardableResult
    func publish(
        _ id: Int64, attempt: Int, _ publication: Publication, result: ExportResult
    ) throws(MediaError) -> Job
    /// The output is published. Idempotent, as are the other ends.
    func complete(_ id: Int64, attempt: Int) throws(MediaError) -> Job
    /// There is no output: the job is retried later, or has failed.
    func fail(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job
    /// The job was cancelled by its user, and its attempt has ended.
    func cancel(_ id: Int64, attempt: Int) throws(MediaError) -> Job
    /// The daemon stopped, not the job; `counted`: it crashed.
    func interrupt(_ id: Int64, attempt: Int, counted: Bool) throws(MediaError) -> Job

    // Order

    /// Cancels a job that is not running.
    func cancel(_ id: Int64) throws(MediaError) -> Job
    /// Keeps a job from starting until it is released.
    func hold(_ id: Int64) throws(MediaError) -> Job
    /// Lets a held job wait again.
    func release(_ id: Int64) throws(MediaError) -> Job
    /// Requeues a job that failed or was cancelled, with its counters reset.
    func retry(
        _ id: Int64, source: FileIdentity, request proved: ExportRequest?, limit: Int?
    ) throws(MediaError) -> Job
    /// Removes a finished job.
    func remove(_ id: Int64) throws(MediaError) -> Job
    /// The finished jobs beyond the number that the policy keeps.
    func surplus() throws(MediaError) -> [Int64]
    /// Removes old finished jobs, and old events with them.
    func forget(_ ids: [Int64]) throws(MediaError)
    /// Whether no job may start. It persists across restarts.
    func isDraining() throws(MediaError) -> Bool
    /// Sets whether no job may start.
    func setDraining(_ isOn: Bool) throws(MediaError)

    // Read

    /// The job with an ID; throws `jobNotFound` if the viewer sees no such job.
    func job(_ id: Int64, for viewer: Viewer) throws(MediaError) -> Job
    /// The job with a user's key.
    func job(key: String, of user: UInt32) throws(MediaError) -> Job?
    /// Jobs, newest first; with `after`, those older than that ID.
    func jobs(for viewer: Viewer, limit: Int, after: Int64?) throws(MediaError) -> [Job]
    /// The jobs that are running or being published by this owner's attempts, oldest first.
    func attempts() throws(MediaError) -> [Job]
    /// The number of jobs that wait for a worker.
    func waitingCount() throws(MediaError) -> Int
    /// Whether a job can start.
    func availability() throws(MediaError) -> JobAvailability
    /// When the longest-waiting job was accepted.
    func oldestWaiting() throws(MediaError) -> Moment?
    /// The number of jobs by status.
    func counts(for viewer: Viewer) throws(MediaError) -> [JobStatus: Int]
    /// The numbers of a stem that unfinished jobs have reserved, 1 for the stem alone.
    func takenNumbers(_ folder: String, _ stem: String) throws(MediaError) -> Set<Int>
    /// The highest job ID ever assigned; 0 before the first.
    func lastJob() throws(MediaError) -> Int64
    /// Makes new job and event numbers start above these.
    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError)
    /// Throws if the storage was removed or replaced while open.
    func checkFiles() throws(MediaError)
    /// Throws if the storage is damaged.
    func checkIntegrity() throws(MediaError)

    // Events

    /// Events after a number or since a time, oldest first.
    func events(
        for viewer: Viewer, after id: Int64, since moment: Moment?, limit: Int
    ) throws(MediaError) -> [JobEvent]
    /// The number of the last event; 0 before the first.
    func lastEvent() throws(MediaError) -> Int64
    /// The totals over all jobs that ever ended.
    func totals() throws(MediaError) -> [JobTotal]
}

extension JobQueue {
    /// The job with an ID, for any viewer.
    public func job(_ id: Int64) throws(MediaError) -> Job { try job(id, for: .all) }

    /// The number of all users' jobs by status.
    public func counts() throws(MediaError) -> [JobStatus: Int] { try counts(for: .all) }
}
