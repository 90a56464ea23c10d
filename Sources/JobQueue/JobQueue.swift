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

    /// Where it is, for people; without a password.
    var place: String { get }

    // Submit, claim, publish, and the ends of an attempt

    /// Accepts a job, or returns the one that has the user's key; throws `invalidRequest` if that one's request differs. Then
    /// the `limit` of the user's unfinished jobs is checked (`limitReached`), and the name reserved (`fileAlreadyExists` if another
    /// unfinished job has it); the number of a numbered name is set in the request.
    /// With a `start` condition it waits for that too; throws `jobNotFound` if a job that it names does not exist.
    func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32, priority: Int, limit: Int?,
        name: OutputName?, start: StartCondition
    ) throws(MediaError) -> JobSubmission
    /// Assigns the next job to a worker; nil if none can start. It is the one with the highest priority of the user whose turn
    /// was longest ago, and of several the oldest. A job delayed for longer than `QueuePolicy.longestDelay` can start: the clock
    /// was set back. Draining is the caller's to look at.
    func claim(worker: ProcessIdentity) throws(MediaError) -> Job?
    /// Records that a running attempt is paused, or goes on. A paused job whose attempt ends without its user is held, and does
    /// not start again unasked; its daemon's death is not counted. Throws `jobStateNotValid` if it is not running.
    func pause(_ id: Int64, attempt: Int, _ isOn: Bool) throws(MediaError) -> Job
    /// Asks the owner of a running attempt to pause it or to let it go on; a later order replaces one that it has not seen. Throws
    /// `jobStateNotValid` if the job is not running.
    func ask(_ id: Int64, toPause isOn: Bool) throws(MediaError)
    /// The requests of others about this owner's running attempts since the last call: to pause, or to go on.
    func asked() throws(MediaError) -> [Int64: Bool]
    /// Renews the leases of this owner's attempts, also late, unless another has taken them over; nothing to do where
    /// `leaseTime` is nil.
    func renew() throws(MediaError)
    /// Takes over the attempts of other owners whose leases have ended, and returns their jobs, oldest first: this owner decides
    /// what becomes of them. Their states and numbers stay, and it is no event.
    func takeOver() throws(MediaError) -> [Job]
    /// An owner has ended: its leases are over. Nothing to do where `leaseTime` is nil.
    func leave(_ owner: String) throws(MediaError)
    /// Stores which file is about to get which name; again, with another name, until it has one. Throws `fileAlreadyExists` if
    /// another unfinished job has reserved the name, and the output replaces none.
    @discardableResult
    func publish(
        _ id: Int64, attempt: Int, _ publication: Publication, result: ExportResult
    ) throws(MediaError) -> Job
    /// The output is published. An end that is stored already, as after a disk error, is returned as it is, whatever the user has
    /// ordered since; for an attempt that has lost its job each end is `invalidRequest`.
    func complete(_ id: Int64, attempt: Int) throws(MediaError) -> Job
    /// There is no output: by the policy the job waits and is retried later, or has failed.
    func fail(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job
    /// There is no output, and the job has failed, whatever the policy says of the error.
    func giveUp(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job
    /// The job was cancelled by its user, and its attempt has ended.
    func cancel(_ id: Int64, attempt: Int) throws(MediaError) -> Job
    /// The daemon stopped, not the job, which waits again; `counted`: it crashed, and after the policy's number of crashes the job
    /// has failed.
    func interrupt(_ id: Int64, attempt: Int, counted: Bool) throws(MediaError) -> Job

    // Units of a running attempt's job. They stay over restarts and failures that are tried again, and are gone when the job
    // has ended. Each change throws `invalidRequest` if the attempt has lost the job, or if who writes has lost the unit. A unit is
    // its owner's from its beginning on: the attempt's, or that of another owner who has claimed it. Units that an owner has not made are
    // free again when its attempt ends, and when the owner leaves or is taken over.

    /// Stores the units of a job that was planned, for the first time or again; returns those to go on with
    /// (`JobUnits.planned`).
    func plan(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits
    /// Stores a correction of a plan (`JobUnits.corrected`).
    func correct(_ id: Int64, attempt: Int, _ plan: UnitPlan) throws(MediaError) -> JobUnits
    /// The units of a job; nil if it has none.
    func units(_ id: Int64) throws(MediaError) -> JobUnits?
    /// Counts an attempt of a unit, before its worker has a request; with the progress, from 0 to 1, that may be reported until the
    /// next unit begins. The stored progress never falls. A unit that another owner has, or that is made, is returned as it is; so
    /// is one that this worker has begun.
    func beginUnit(
        _ id: Int64, attempt: Int, _ number: Int, worker: ProcessIdentity?, progress: Double
    ) throws(MediaError) -> JobUnit
    /// A unit is made, and its file on the disk; `progress` as in `beginUnit`. Then the job's interruptions are counted anew, since it
    /// gets on; with a unit that was begun for the first time, its failures too.
    @discardableResult
    func finishUnit(
        _ claim: UnitClaim, file: FileIdentity, report: UnitReport, progress: Double
    ) throws(MediaError) -> JobUnit
    /// An attempt of a unit has failed. By the policy it is made again later, or the job is to be given up. For the job's own attempt.
    func failUnit(
        _ claim: UnitClaim, attempt: Int, _ error: MediaError
    ) throws(MediaError) -> UnitFailure
    /// The file of a unit is lost, or is not the one on record: it is to be made again.
    func loseUnit(_ id: Int64, attempt: Int, _ number: Int) throws(MediaError) -> JobUnit
    /// Stores the progress, from 0 to 1, that is about to be reported of a running attempt.
    func reach(_ id: Int64, attempt: Int, progress: Double) throws(MediaError)
    /// Stores the progress, from 0 to 1, that was reported of an attempt which ends without an output: the job shows it, and the next
    /// attempt begins there.
    func settle(_ id: Int64, attempt: Int, progress: Double) throws(MediaError)
    /// The units of a job that were changed after a change, oldest change first, 1000 at most.
    func unitChanges(_ id: Int64, after change: Int64) throws(MediaError) -> [JobUnit]
    /// Whether there is a unit that `claimUnit` could claim.
    func hasFreeUnit(except jobs: Set<Int64>) throws(MediaError) -> Bool
    /// Claims a unit of a job whose attempt another owner has, of the job that began first; nil if there is none. Its attempt is
    /// counted. A paused job's are not claimed.
    /// - Parameter jobs: jobs of which no unit is wanted.
    func claimUnit(worker: ProcessIdentity, except jobs: Set<Int64>) throws(MediaError) -> ClaimedUnit?
    /// Gives a claimed unit back. `isFailed`: from now on only the job's own attempt makes it. Nothing to do if it is lost.
    func returnUnit(_ claim: UnitClaim, isFailed: Bool) throws(MediaError)
    /// Gives back this owner's units of jobs whose attempts it does not have, but for some: nobody makes them.
    func returnUnits(except claims: Set<UnitClaim>) throws(MediaError)
    /// The job is made as one: it has no units.
    func dropUnits(_ id: Int64, attempt: Int) throws(MediaError)

    // Order

    /// Cancels a job; one that has ended or is being published is returned as it is.
    func cancel(_ id: Int64) throws(MediaError) -> Job
    /// Keeps a job that waits from starting until it is released; no error if it is held.
    func hold(_ id: Int64) throws(MediaError) -> Job
    /// Lets a held job wait again, and ends the delay of one that waits after a failure, or for its moment; no error if it
    /// waits.
    func release(_ id: Int64) throws(MediaError) -> Job
    /// Changes the priority of a job that has not ended. It is no event.
    func modify(_ id: Int64, priority: Int) throws(MediaError) -> Job
    /// Changes the request and the conditions of a job that waits or is held. A job that waits after a failure waits as long as before.
    func modify(_ id: Int64, _ change: JobChange) throws(MediaError) -> Job
    /// Requeues a job that failed or was cancelled, with its counters reset; its number of attempts goes on. Its name is reserved
    /// again, a numbered one with the next free number.
    func retry(
        _ id: Int64, source: FileIdentity, request proved: ExportRequest?, limit: Int?
    ) throws(MediaError) -> Job
    /// Fails the jobs that wait for one that failed, was cancelled or was removed, and those that wait for them; returns them.
    /// Until then they wait, and do not start.
    func failDependents() throws(MediaError) -> [Job]
    /// Removes a finished job.
    func remove(_ id: Int64) throws(MediaError) -> Job
    /// The finished jobs beyond the number that the policy keeps, the last ended first; a few more may be kept.
    func surplus() throws(MediaError) -> [Int64]
    /// Removes those of the jobs that have ended, and old events with them. No event; the totals stay.
    func forget(_ ids: [Int64]) throws(MediaError)
    /// Whether no job may start. It persists across restarts.
    func isDraining() throws(MediaError) -> Bool
    /// Sets whether no job may start.
    func setDraining(_ isOn: Bool) throws(MediaError)
    /// Sets whether no job may start on one of the nodes that share the queue. It finds that out by itself.
    func setDraining(_ isOn: Bool, node: String) throws(MediaError)
    /// Whether no job is accepted while none may start. It persists across restarts.
    func isRefusing() throws(MediaError) -> Bool
    /// Sets whether no job is accepted while none may start.
    func setRefusing(_ isOn: Bool) throws(MediaError)
    /// Sets it for one of the nodes that share the queue.
    func setRefusing(_ isOn: Bool, node: String) throws(MediaError)

    // Nodes

    /// The state and abilities of this node from now on: claims look at it, and others see it. Renews its leases too.
    func describe(_ node: QueueNode) throws(MediaError)
    /// The nodes that share the queue, by their names, with those of their jobs that the viewer sees; none where it is not shared.
    func nodes(for viewer: Viewer) throws(MediaError) -> [NodeRecord]
    /// The ID on record of a root that nodes share; where there is none, the proposed one, which is recorded.
    func marker(of root: String, proposing id: String?) throws(MediaError) -> String?
    /// Adds lines to the logs of jobs, also of those that this owner has lost: a log changes nothing. A batch is stored once, and not
    /// for jobs that are removed. Nothing to do where the queue is not shared: the daemon has its logs in files.
    func add(_ lines: LogBatch) throws(MediaError)
    /// Part of a job's log, the same on all nodes: at most `limit` bytes, those after its first `offset` bytes, or its last; none
    /// where the queue is not shared. Only its last `LogBatch.mostKept` bytes are kept.
    func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart
    /// Tells the other nodes how far running attempts of this owner are. An attempt that has lost its job changes nothing.
    func tell(_ progress: [AttemptProgress]) throws(MediaError)
    /// How far the running attempts of other owners are that have told it since a moment, 1000 at most.
    func told(since moment: Moment) throws(MediaError) -> [AttemptProgress]

    // Read

    /// The job with an ID; throws `jobNotFound` if the viewer sees no such job.
    func job(_ id: Int64, for viewer: Viewer) throws(MediaError) -> Job
    /// The job with a user's key.
    func job(key: String, of user: UInt32) throws(MediaError) -> Job?
    /// The jobs that match a filter, newest first; with `after`, those older than that ID.
    func jobs(
        for viewer: Viewer, where filter: JobFilter, limit: Int, after: Int64?
    ) throws(MediaError) -> [Job]
    /// The jobs that are running or being published by this owner's attempts, oldest first.
    func attempts() throws(MediaError) -> [Job]
    /// The number of jobs that wait for a worker.
    func waitingCount() throws(MediaError) -> Int
    /// Whether a job can start, and in how long the next that is delayed can.
    func availability() throws(MediaError) -> JobAvailability
    /// When the longest-waiting job was accepted.
    func oldestWaiting() throws(MediaError) -> Moment?
    /// The number of jobs by status.
    func counts(for viewer: Viewer) throws(MediaError) -> [JobStatus: Int]
    /// The numbers of a stem that unfinished jobs have reserved, 1 for the stem alone.
    func takenNumbers(_ folder: String, _ stem: String) throws(MediaError) -> Set<Int>
    /// The highest job ID ever assigned; 0 before the first.
    func lastJob() throws(MediaError) -> Int64
    /// Makes new job and event numbers start above these; never lower than they are. No number is given twice.
    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError)
    /// Throws if the storage was removed or replaced while open.
    func checkFiles() throws(MediaError)
    /// Throws if the storage is damaged.
    func checkIntegrity() throws(MediaError)

    // Events

    /// Calls `onChange`, from any thread, soon after other owners have changed something, and when it may be that they have. Once for an
    /// object; changes may be missed, so that looking now and then is needed too.
    func listen(_ onChange: @escaping @Sendable () -> Void)
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
    /// Others are not heard of.
    public func listen(_ onChange: @escaping @Sendable () -> Void) {}

    /// Accepts a job that waits for its turn alone.
    public func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32, priority: Int, limit: Int?,
        name: OutputName?
    ) throws(MediaError) -> JobSubmission {
        try submit(
            request, source: source, user: user, priority: priority, limit: limit, name: name,
            start: StartCondition())
    }

    /// The queue of one node.
    public func setDraining(_ isOn: Bool, node: String) throws(MediaError) { try setDraining(isOn) }
    /// The queue of one node.
    public func setRefusing(_ isOn: Bool, node: String) throws(MediaError) { try setRefusing(isOn) }
    /// Nothing to compare.
    public func describe(_ node: QueueNode) throws(MediaError) {}
    /// None: it is not shared.
    public func nodes(for viewer: Viewer) throws(MediaError) -> [NodeRecord] { [] }
    /// The proposed name.
    public func marker(of root: String, proposing id: String?) throws(MediaError) -> String? { id }

    /// Nobody else reads it.
    public func add(_ lines: LogBatch) throws(MediaError) {}
    /// Empty: it is in files.
    public func log(of id: Int64, from offset: Int64?, limit: Int) throws(MediaError) -> LogPart {
        LogPart("", next: 0)
    }
    /// Nobody else asks.
    public func tell(_ progress: [AttemptProgress]) throws(MediaError) {}
    /// Nobody else has any.
    public func told(since moment: Moment) throws(MediaError) -> [AttemptProgress] { [] }

    /// The job with an ID, for any viewer.
    public func job(_ id: Int64) throws(MediaError) -> Job { try job(id, for: .all) }

    /// Jobs, newest first; with `after`, those older than that ID.
    public func jobs(for viewer: Viewer, limit: Int, after: Int64? = nil) throws(MediaError) -> [Job] {
        try jobs(for: viewer, where: JobFilter(), limit: limit, after: after)
    }

    /// The number of all users' jobs by status.
    public func counts() throws(MediaError) -> [JobStatus: Int] { try counts(for: .all) }
}
