// MemoryQueue: a back end of JobQueue in memory, for the conformance suite: neither it nor the protocol hangs on SQLite. The
// contents of a folder stay as long as the process. A change works on a copy, which replaces the contents unless it threw. Attempts are
// leased by the clock: queues of several owners may be open over a folder at once.
import Media
import Platform
import Synchronization

@testable import JobQueue

/// A queue of one owner over the contents of a folder.
final class MemoryQueue: JobQueue {
    private static let folders = Mutex<[String: MemoryContents]>([:])

    let owner: String
    let policy = QueuePolicy()
    let version = 1
    let leaseTime: Int64? = MemoryContents.leaseTime
    var place: String { folder }
    private let folder: String
    private let abilities = Mutex<Set<String>>([])
    private let clock: @Sendable () -> Moment

    private init(_ folder: String, _ owner: String, _ clock: @escaping @Sendable () -> Moment) {
        self.folder = folder
        self.owner = owner
        self.clock = clock
    }

    /// Opens the queue of a folder, with what was left there.
    static func open(
        _ folder: String, owner: String, clock: @escaping @Sendable () -> Moment
    ) -> MemoryQueue { MemoryQueue(folder, owner, clock) }

    /// The contents for a read.
    var table: MemoryContents { seen(MemoryQueue.folders.withLock { $0[folder] }) }

    /// A folder's contents for a call of this owner at this time.
    private func seen(_ contents: MemoryContents?) -> MemoryContents {
        var table = contents ?? MemoryContents()
        table.owner = owner
        table.now = clock()
        table.abilities = abilities.withLock(\.self)
        return table
    }

    /// Performs `body` atomically.
    func change<Value: Sendable>(
        _ body: (inout MemoryContents) throws(MediaError) -> Value
    ) throws(MediaError) -> Value {
        try MemoryQueue.folders.withLock { folders throws(MediaError) -> Value in
            var table = seen(folders[folder])
            let value = try body(&table)
            folders[folder] = table
            return value
        }
    }

    /// Changes one job that is in one of `states`; with `attempt`, if that one of this owner has it.
    func edit(
        _ id: Int64, in states: [JobState]? = nil, attempt: Int? = nil, also: JobState? = nil,
        _ body: (inout Job, inout MemoryContents) throws(MediaError) -> Void
    ) throws(MediaError) -> Job {
        try change { table throws(MediaError) -> Job in
            var job = try table.need(id, in: states)
            try body(&job, &table)
            return try table.write(job, attempt: attempt, also: also)
        }
    }

    // Submit, claim, publish, and the ends of an attempt

    func submit(
        _ request: ExportRequest, source: FileIdentity, user: UInt32, priority: Int, limit: Int?,
        name: OutputName?, start: StartCondition
    ) throws(MediaError) -> JobSubmission {
        try change { table throws(MediaError) -> JobSubmission in
            if let key = request.key, let known = table.job(key: key, of: user) {
                try known.check(isAskedBy: request)
                return JobSubmission(job: known, isNew: false)
            }
            table.lastJob += 1
            var job = Job(
                id: table.lastJob, user: user, state: .waiting, request: request, source: source,
                priority: priority, attempts: 0, interruptions: 0, crashes: 0, failures: 0,
                created: table.now)
            (job.after, job.notBefore) = (start.after, start.notBefore)
            job.needs = Needs(start.needs)
            job.due = Job.due(start.notBefore, now: table.now)
            for id in start.after where try table.need(id).state != .completed {
                table.blockers[job.id, default: []].insert(id)
            }
            try table.reserve(name, for: &job, limit: limit)
            table.jobs[job.id] = job
            table.record(.waiting, of: job)
            return JobSubmission(job: job, isNew: true)
        }
    }

    func claim(worker: ProcessIdentity) throws(MediaError) -> Job? {
        try change { table throws(MediaError) -> Job? in
            guard var job = table.next() else { return nil }
            job.state = .running
            job.attempts += 1
            (job.owner, job.worker) = (owner, worker)
            job.started = max(table.now, job.created)
            (job.due, job.publication, job.result, job.isPaused) = (nil, nil, nil, false)
            table.turns[job.user] = 1 + (table.turns.values.max() ?? 0)
            table.leases[job.id] = table.leaseEnd
            return try table.write(job)
        }
    }

    func describe(_ node: QueueNode) { abilities.withLock { $0 = node.abilities } }

    func renew() throws(MediaError) {
        try change { table -> Void in
            for job in table.begun where job.owner == owner { table.leases[job.id] = table.leaseEnd }
            table.unitLeases[owner] = table.leaseEnd
        }
    }

    func leave(_ owner: String) throws(MediaError) {
        try change { table -> Void in
            for job in table.begun where job.owner == owner { table.leases[job.id] = table.now }
            table.freeUnits(of: [owner])
        }
    }

    func takeOver() throws(MediaError) -> [Job] {
        try change { table -> [Job] in
            let (now, leases) = (table.now, table.leases)
            let lost = table.begun.filter { $0.owner != owner && (leases[$0.id] ?? now) <= now }.map(\.id)
            let gone = table.unitLeases.filter { $0.value <= now && $0.key != owner }.map(\.key)
            table.freeUnits(of: Set(gone + lost.compactMap { table.jobs[$0]?.owner }))
            for id in lost {
                table.jobs[id]?.owner = owner
                table.leases[id] = table.leaseEnd
            }
            return table.list { lost.contains($0.id) }
        }
    }

    @discardableResult
    func publish(
        _ id: Int64, attempt: Int, _ publication: Publication, result: ExportResult
    ) throws(MediaError) -> Job {
        try edit(id, attempt: attempt, also: .publishing) { (job, table) throws(MediaError) -> Void in
            job.nameKey = OutputName.key(job.nameFolder, publication.name)
            if !job.request.output.replaces { try table.checkFree(job) }
            job.state = .publishing
            job.publication = publication
            job.publication?.boot = job.worker?.boot
            (job.result, job.error, job.isPaused) = (result, nil, false)
        }
    }

    func complete(_ id: Int64, attempt: Int) throws(MediaError) -> Job {
        try conclude(id, attempt, .completed)
    }

    func fail(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job {
        try conclude(id, attempt, .failed(error))
    }

    func giveUp(_ id: Int64, attempt: Int, _ error: MediaError) throws(MediaError) -> Job {
        try conclude(id, attempt, .givenUp(error))
    }

    func cancel(_ id: Int64, attempt: Int) throws(MediaError) -> Job {
        try conclude(id, attempt, .cancelled, also: .publishing)
    }

    func interrupt(_ id: Int64, attempt: Int, counted: Bool) throws(MediaError) -> Job {
        try conclude(id, attempt, .interrupted, counted: counted)
    }

    /// Stores an end, unless the attempt has ended.
    private func conclude(
        _ id: Int64, _ attempt: Int, _ end: AttemptEnd, also: JobState? = nil, counted: Bool = false
    ) throws(MediaError) -> Job {
        try edit(id, attempt: attempt, also: also) { job, table in
            let isCompleted = job.state == .completed
            if !JobState.begun.contains(job.state), isCompleted == (end == .completed) { return }
            let known = job
            job = known.foreseen(end, policy: policy, now: table.now)
            guard counted, !known.isPaused else { return }
            if known.interruptions + 1 >= policy.interruptions {
                let error = MediaError(.operationInterrupted, "its daemon ended too often")
                job = known.foreseen(.failed(error), policy: policy, now: table.now)
            }
            job.interruptions = known.interruptions + 1
            job.failures = known.failures
        }
    }

    // Read

    func job(_ id: Int64, for viewer: Viewer) throws(MediaError) -> Job { try table.need(id, for: viewer) }
    func job(key: String, of user: UInt32) -> Job? { table.job(key: key, of: user) }
    func attempts() -> [Job] { table.begun.filter { $0.owner == owner } }
    func waitingCount() -> Int { table.list { $0.state == .waiting }.count }
    func oldestWaiting() -> Moment? { table.list { $0.state == .waiting }.first?.created }
    func lastJob() -> Int64 { table.lastJob }
    func lastEvent() -> Int64 { table.lastEvent }
    func totals() -> [JobTotal] { Array(table.totals.values) }
    func checkFiles() {}
    func checkIntegrity() {}

    func jobs(for viewer: Viewer, where filter: JobFilter, limit: Int, after: Int64?) -> [Job] {
        let jobs = table.list {
            viewer.sees($0.user) && $0.id < (after ?? .max) && filter.matches($0)
        }
        return Array(jobs.reversed().prefix(max(0, limit)))
    }

    func events(for viewer: Viewer, after id: Int64, since moment: Moment?, limit: Int) -> [JobEvent] {
        let start = moment ?? Moment(milliseconds: .min)
        let events = table.events.filter { $0.id > id && viewer.sees($0.user) && $0.at >= start }
        return Array(events.prefix(max(0, limit)))
    }

    func counts(for viewer: Viewer) -> [JobStatus: Int] {
        Dictionary(grouping: table.list { viewer.sees($0.user) }, by: \.state.status).mapValues(\.count)
    }

    func availability() -> JobAvailability {
        let table = table
        let waits = table.jobs.values.filter(table.isFree).compactMap(\.due).map {
            $0.milliseconds - table.now.milliseconds
        }
        let delay = waits.min().map { min(max($0, 0), QueuePolicy.longestDelay) }
        return JobAvailability(isReady: table.next() != nil, delay: delay)
    }

    func takenNumbers(_ folder: String, _ stem: String) -> Set<Int> {
        let start = Array(OutputName.key(folder, stem).utf8)
        let keys = table.list { $0.ended == nil }.compactMap { $0.nameKey.map { Array($0.utf8) } }
        let numbers = keys.filter { $0.starts(with: start) }.compactMap { key -> Int? in
            let rest = String(decoding: key.dropFirst(start.count), as: UTF8.self).prefix { $0 != "." }
            if rest.isEmpty { return 1 }
            return rest.first == "-" ? Int(rest.dropFirst()) : nil
        }
        return Set(numbers)
    }

    func skipNumbers(jobs: Int64, events: Int64) throws(MediaError) {
        try change { table -> Void in
            table.lastJob = max(table.lastJob, jobs)
            table.lastEvent = max(table.lastEvent, events)
        }
    }
}
