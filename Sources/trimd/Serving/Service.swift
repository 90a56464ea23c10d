// Service: what trimd does for those who ask, one function a method. It decides who may see what and asks the
// store, the scheduler and the workers; it knows no JSON and no socket (Handlers does). Any queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import MediaTime
internal import Platform
internal import Wire

/// What trimd does.
final class Service: Sendable {
    let configuration: Configuration
    let store: JobStore
    let scheduler: Scheduler
    let inspection: Inspection
    private let logs: JobLogs
    let validator: SubmissionValidator
    private let since = Moment.now
    private let pool: WorkerPool
    private let checkup: Checkup
    private let events: EventLongPoll
    private let loss: QueueLoss
    private let exit: @Sendable () -> Void
    /// Where paths are opened.
    let lanes: PathLanes
    /// Who watches jobs.
    let hub: EventHub
    /// Who shows and compares.
    let pictures: FrameService

    /// A service of parts that are running; `exit` ends the daemon.
    init(
        _ configuration: Configuration, store: JobStore, scheduler: Scheduler, inspection: Inspection,
        lanes: PathLanes, hub: EventHub, events: EventLongPoll, logs: JobLogs, presets: PresetCatalogue,
        loss: QueueLoss, pool: WorkerPool, pictures: FrameService, exit: @escaping @Sendable () -> Void
    ) {
        self.exit = exit
        self.lanes = lanes
        self.pool = pool
        self.pictures = pictures
        checkup = Checkup(configuration, store: store, presets: presets, loss: loss)
        self.events = events
        self.loss = loss
        self.configuration = configuration
        self.store = store
        self.scheduler = scheduler
        self.inspection = inspection
        self.hub = hub
        self.logs = logs
        validator = SubmissionValidator(presets: presets)
    }

    /// `hello`
    func hello() -> HelloResult { HelloResult(version: trimdVersion, pid: getpid(), user: geteuid()) }

    /// `server.status`
    func status(_ caller: Caller) throws(MediaError) -> StatusResult {
        var counts: [String: Int] = [:]
        for (status, count) in try store.counts(for: caller.viewer) { counts[status.rawValue] = count }
        var status = StatusResult(
            version: trimdVersion, pid: getpid(), user: geteuid(), since: since,
            workers: configuration.workers, jobs: counts, state: configuration.state,
            freeBytes: try freeState(), socket: configuration.socket.description)
        status.busy = scheduler.busy
        status.draining = scheduler.isDraining
        status.oldestWaiting = try store.oldestWaiting()
        status.damagedQueue = loss.damaged
        status.lostJobs = loss.jobs.isEmpty ? nil : loss.jobs
        status.protocolVersion = HelloResult.currentProtocol
        status.queueVersion = JobStore.version
        status.sandbox = SandboxStatus(policy: configuration.sandbox.rawValue, pool.seal)
        return status
    }

    /// `server.metrics`
    func metrics() throws(MediaError) -> MetricsResult {
        let oldest = try store.oldestWaiting()
        let metrics = Metrics(
            version: trimdVersion, jobs: try store.counts(), totals: try store.totals(),
            workers: configuration.workers, busy: scheduler.busy, isDraining: scheduler.isDraining,
            oldest: oldest.map { Double(Moment.now.milliseconds - $0.milliseconds) / 1000 } ?? 0,
            freeBytes: try freeState(), started: since)
        return MetricsResult(text: metrics.text)
    }

    /// `server.drain`
    func drain(
        _ params: DrainParams, then: @escaping @Sendable (Result<DrainResult, MediaError>) -> Void
    ) {
        let isOn = params.on ?? true
        scheduler.drain(isOn) { [store, scheduler, exit] result in
            do throws(MediaError) {
                try result.get()
                // Somebody may have had jobs started again meanwhile.
                let drains = scheduler.isDraining
                let exits = drains && params.exit == true
                let waiting = try store.counts()[.waiting] ?? 0
                then(.success(DrainResult(draining: drains, waiting: waiting, exiting: exits ? true : nil)))
                if exits { exit() }
            } catch { then(.failure(error)) }
        }
    }

    /// `events.since`
    func events(
        _ params: EventsParams, _ caller: Caller, from connection: Connection,
        then: @escaping EventLongPoll.Then
    ) throws(MediaError) {
        let limit = params.limit ?? 1000
        guard 1...1000 ~= limit else {
            throw MediaError(.invalidRequest, "limit is \(limit), and must be 1 to 1000")
        }
        let wait = params.wait ?? .zero
        guard wait.isNumeric, wait >= .zero, wait <= Time(300, 1) else {
            throw MediaError(.invalidTime, "wait is \(wait), and must be 0 to 300 seconds")
        }
        let question = EventLongPoll.Question(
            viewer: caller.viewer, after: params.after ?? 0, since: params.since, limit: limit,
            wait: Int(wait.seconds * 1000))
        events.ask(question, from: ObjectIdentifier(connection), then: then)
    }

    /// A connection has ended.
    func forget(_ connection: Connection) {
        hub.forget(connection)
        events.forget(connection)
        inspection.forget(ObjectIdentifier(connection))
        pictures.forget(ObjectIdentifier(connection))
        Memory.giveBackSoon()
    }

    private func freeState() throws(MediaError) -> Int64 {
        let state = configuration.state
        return try forUser(state) { () throws(SystemError) in
            try freeBytes(at: try Descriptor(opening: state, O_RDONLY | O_DIRECTORY))
        }
    }

    /// `server.doctor`: all of it for those who see all, for others what concerns them.
    func doctor(_ caller: Caller, then: @escaping @Sendable (DoctorResult) -> Void) {
        checkup.run(for: caller, isDraining: scheduler.isDraining, then: then)
    }

    /// `preset.list`
    func presets() -> PresetListResult {
        PresetListResult(presets: validator.presets.presets, problems: validator.presets.problems)
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
            limit: configuration.limits.jobsPerUser)
        return report(submission.job)
    }

    /// Who asks on a connection.
    func caller(_ peer: PeerCredentials) -> Caller {
        Caller(peer, metricsGroup: configuration.metricsGroup)
    }

    /// `job.get`
    func job(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        report(try store.job(id, for: caller.viewer))
    }

    /// `job.list`
    func jobs(_ params: ListParams, _ caller: Caller) throws(MediaError) -> [JobReport] {
        let limit = params.limit ?? 100
        guard 1...1000 ~= limit else {
            throw MediaError(.invalidRequest, "limit is \(limit), and must be 1 to 1000")
        }
        if let key = params.key {
            let job = try store.job(key: key, of: caller.uid)
            return job.map { $0.id < params.after ?? .max ? [report($0)] : [] } ?? []
        }
        return try store.jobs(for: caller.viewer, limit: limit, after: params.after).map(report)
    }

    /// `job.cancel`
    func cancel(
        _ id: Int64, _ caller: Caller, then: @escaping @Sendable (Result<JobReport, MediaError>) -> Void
    ) throws(MediaError) {
        _ = try store.job(id, for: caller.viewer)
        scheduler.cancel(id) { [self] result in then(result.map(report)) }
    }

    /// `job.hold`
    func hold(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return report(try scheduler.order("held") { store throws(MediaError) in try store.hold(id) })
    }

    /// `job.release`
    func release(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return report(try scheduler.order("released") { store throws(MediaError) in try store.release(id) })
    }

    /// `job.retry`, then: the job waits again.
    func retry(_ id: Int64, _ verdict: SubmissionValidator.Verdict) throws(MediaError) -> JobReport {
        let limit = configuration.limits.jobsPerUser
        return report(
            try scheduler.order("to be tried again, because a user asks for it") { store throws(MediaError) in
                try store.retry(id, source: verdict.source, request: verdict.request, limit: limit)
            })
    }

    /// `job.remove`
    func remove(_ id: Int64, _ caller: Caller) throws(MediaError) -> JobReport {
        _ = try store.job(id, for: caller.viewer)
        return try scheduler.remove(id).report()
    }

    /// `job.log`
    func log(_ id: Int64, _ caller: Caller) throws(MediaError) -> LogResult {
        _ = try store.job(id, for: caller.viewer)
        return LogResult(text: try logs.read(id))
    }

    /// `job.watch`: the present state of what is watched.
    func watched(_ params: WatchParams, _ caller: Caller) throws(MediaError) -> [JobReport] {
        guard let ids = params.ids else { return try jobs(ListParams(), caller) }
        guard ids.count <= 1000 else {
            throw MediaError(
                .invalidRequest, "\(ids.count) jobs are named, and at most 1000 can be",
                remedy: "name none: all")
        }
        var reports: [JobReport] = []
        for id in ids { reports.append(try job(id, caller)) }
        return reports
    }

    func report(_ job: Job) -> JobReport {
        hub.report(of: job)
    }
}
