// Service: what trimd does for those who ask, one function a method. It decides who may see what and asks the
// store, the scheduler and the workers; it knows no JSON and no socket (Handlers does). Any queue.
internal import Glibc
internal import JobQueue
internal import Media
internal import Wire

/// What trimd does.
final class Service: Sendable {
    private let configuration: Configuration
    private let store: JobStore
    private let scheduler: Scheduler
    private let inspection: Inspection
    private let logs: JobLogs
    private let acceptance: Acceptance
    private let since = Moment.now
    private let pool: WorkerPool
    private let checkup: Checkup
    /// Who watches jobs.
    let hub: EventHub

    /// A service of parts that are running.
    init(
        _ configuration: Configuration, store: JobStore, scheduler: Scheduler, inspection: Inspection,
        hub: EventHub, logs: JobLogs, presets: PresetCatalogue, pool: WorkerPool
    ) {
        self.pool = pool
        checkup = Checkup(configuration, store: store, presets: presets)
        self.configuration = configuration
        self.store = store
        self.scheduler = scheduler
        self.inspection = inspection
        self.hub = hub
        self.logs = logs
        acceptance = Acceptance(presets: presets)
    }

    /// `hello`
    func hello() -> HelloResult { HelloResult(version: trimdVersion, pid: getpid(), user: geteuid()) }

    /// `server.status`
    func status(_ caller: Caller) throws(MediaError) -> StatusResult {
        var counts: [String: Int] = [:]
        for (status, count) in try store.counts(for: caller.viewer) { counts[status.rawValue] = count }
        let state = configuration.state
        let free = try forUser(state) { () throws(SystemError) in
            try freeBytes(at: try Descriptor(opening: state, O_RDONLY | O_DIRECTORY))
        }
        var status = StatusResult(
            version: trimdVersion, pid: getpid(), user: geteuid(), since: since,
            workers: configuration.workers,
            jobs: counts, state: state, freeBytes: free, socket: configuration.socket.description)
        status.sandbox = SandboxStatus(policy: configuration.sandbox.rawValue, pool.seal)
        return status
    }

    /// `server.doctor`
    func doctor(then: @escaping @Sendable (DoctorResult) -> Void) { checkup.run(then: then) }

    /// `preset.list`
    func presets() -> PresetListResult {
        PresetListResult(presets: acceptance.presets.presets, problems: acceptance.presets.problems)
    }

    /// `job.submit`
    func submit(
        _ params: SubmitParams, _ caller: Caller, _ warrant: Warrant
    ) throws(MediaError) -> JobReport {
        // Before the paths are judged: the job may have made its output already.
        if let key = params.key, let job = try store.job(key: key, of: caller.uid) { return report(job) }
        let verdict = try acceptance.judge(params, warrant)
        let submission = try scheduler.submit(verdict, user: caller.uid, limit: configuration.maxJobsPerUser)
        return report(submission.job)
    }

    /// What a user shows for a request, held against the roots.
    func warrant(_ peer: PeerCredentials, _ descriptors: Descriptors) -> Warrant {
        Warrant(peer: peer, own: geteuid(), roots: configuration.roots, descriptors: descriptors)
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
        return try store.jobs(for: caller.viewer, limit: limit, after: params.after).map(report)
    }

    /// `job.cancel`
    func cancel(
        _ id: Int64, _ caller: Caller, then: @escaping @Sendable (Result<JobReport, MediaError>) -> Void
    ) throws(MediaError) {
        _ = try store.job(id, for: caller.viewer)
        scheduler.cancel(id) { [self] result in then(result.map(report)) }
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

    /// `asset.probe`
    func probe(
        _ params: ProbeParams, _ warrant: Warrant, then: @escaping Inspection.Then
    ) throws(MediaError) {
        let name = try Service.name(of: params.path)
        let shown = warrant.isNeeded ? try warrant.source(params.path) : nil
        let question = WorkerProbe(name: name, keyframes: params.keyframes ?? false)
        inspection.ask(.probe, question, about: params.path, shown: shown, then: then)
    }

    /// `asset.check`
    func check(
        _ params: CheckParams, _ warrant: Warrant, then: @escaping Inspection.Then
    ) throws(MediaError) {
        let name = try Service.name(of: params.path)
        let shown = warrant.isNeeded ? try warrant.source(params.path) : nil
        var presets: [Preset]
        if let reference = params.preset {
            presets = [try acceptance.resolve(reference)]
        } else {
            presets = acceptance.presets.presets
            for own in params.presets ?? [] {
                presets.removeAll { $0.id == own.id }
                presets.append(own)
            }
        }
        if let type = params.type, FileType(rawValue: type) == nil {
            let known = FileType.allCases.map(\.rawValue).joined(separator: ", ")
            throw MediaError(
                .outputTypeNotValid, "there is no file type '\(type)'", remedy: "known are \(known)")
        }
        let question = WorkerCheck(name: name, presets: presets, fileType: params.type)
        inspection.ask(.check, question, about: params.path, shown: shown, then: then)
    }

    private func report(_ job: Job) -> JobReport { job.report(progress: hub.latest(job.id)) }

    private static func name(of path: String) throws(MediaError) -> String {
        try AbsolutePath.check(path, "the file")
        return FileName.split(path)?.name ?? path
    }
}
