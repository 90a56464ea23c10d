// Daemon: starts the parts and stops them: configuration, state, recovery, socket, shutdown. It creates everything on the main
// thread, in order of dependency, before the socket accepts clients; afterwards the main thread only waits. Shutdown runs on
// its own queue.
internal import Dispatch
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The running daemon.
final class Daemon: Sendable {
    private let log: Log
    private let state: StateFolder
    private let store: any JobQueue
    private let pool: WorkerPool
    private let scheduler: Scheduler
    /// Nil if this daemon has the queue for itself.
    private let sharing: SharedQueue?
    private let health: QueueHealth
    private let shortRequests: ShortRequests
    private let listener: Listener
    private let services: Services
    private let leaving = DispatchQueue(label: "trimd.daemon")

    /// The longest shutdown; then the process exits anyway, and the next start recovers the queue.
    private static let patience = DispatchTimeInterval.seconds(5)

    /// How long watchers have for the last messages.
    private static let linger = DispatchTimeInterval.milliseconds(50)

    /// Runs the program with its arguments; does not return.
    static func main(_ arguments: [String]) -> Never {
        do throws(MediaError) {
            let arguments = try DaemonArguments(arguments)
            if arguments.help { leave(DaemonArguments.usage) }
            if arguments.version { leave("trimd \(trimdVersion)\n") }
            let paths = Paths.current()
            let configuration = try Configuration(
                arguments, paths, inherited: Notify.sockets(),
                machine: Machine.current())
            try configuration.check()
            let log = Log(
                level: configuration.logLevel,
                isJournal: Journal.isStderr(paths.environment["JOURNAL_STREAM"]))
            let daemon = try Daemon(configuration, log)
            let signals = Signals(on: daemon.leaving) { daemon.stop($0) }
            if arguments.lifeline {
                try forUser("the standard input") { () throws(SystemError) in
                    try Lifeline.watch(on: daemon.leaving) { daemon.stop("the end of the standard input") }
                }
            }
            let watchdog = ServiceWatchdog(log) { () throws(MediaError) in
                // A database that is away is no fault of trimd: what runs goes on.
                if daemon.store.leaseTime == nil { _ = try daemon.store.availability() }
            }
            withExtendedLifetime((daemon, signals, watchdog)) { dispatchMain() }
        } catch {
            Log(level: .error, isJournal: false).error("\(error)")
            exit(error.code.exitCode == 2 ? 2 : 1)
        }
    }

    private init(_ configuration: Configuration, _ log: Log) throws(MediaError) {
        self.log = log
        // Workers inherit the working directory; `/` keeps no file system busy.
        try forUser("/") { () throws(SystemError) in try Kernel.goTo("/") }
        let mask = umask(0o022)
        umask(mask)
        state = try StateFolder(configuration.state)
        pool = WorkerPool(
            program: configuration.workerProgram,
            Worker.Setup(
                policy: configuration.sandbox, forks: configuration.forkServer,
                preparesForks: configuration.preparesForks, fonts: configuration.fonts,
                limits: configuration.limits),
            log: log)
        // Its libraries load while the queue opens: each takes some 50 ms.
        pool.prepare()
        let owner = "\(ProcessTable.boot)/\(getpid())/\(Moment.now.milliseconds)"
        var logs = JobLogs(folder: state.logs)
        let (store, loss): (any JobQueue, QueueLoss)
        if let setting = configuration.queue {
            let node = QueueNode(configuration, nil)
            store = try state.openShared(
                setting, node: node, owner: owner, limits: configuration.limits)
            loss = QueueLoss()
            logs.shared = SharedLogs(store, node: node.name, log: log)
            log.info("the queue is \(store.place), and this is its node \(node.name)")
        } else {
            (store, loss) = try state.openQueue(
                owner: owner, policy: configuration.limits.policy, logs: logs, log: log)
            // Temporary files are named after their job. Other private daemons, that run or were killed, have had others.
            if configuration.isPrivate, try store.lastJob() == 0 {
                try store.skipNumbers(jobs: .random(in: 1...999_999_999), events: 0)
            }
        }
        self.store = store
        let markers = RootMarkers(
            configuration.queue == nil ? [:] : configuration.roots.named, store: store, log: log)
        let announcer = NodeAnnouncer(configuration, store: store, roots: markers, log: log)
        try announcer.announce()
        try announcer.checkUser()
        let mode = 0o666 & ~mask
        let presets = PresetCatalogue(folders: configuration.presetFolders)
        for problem in presets.problems {
            log.warning("preset left out: \(problem.file): \(problem.message)")
        }
        if presets.presets.isEmpty { log.warning("there are no presets in \(configuration.presetFolders)") }
        // Before the recovery: no job goes on with what its client cannot fetch any more.
        let spool = Spool(in: state.spool, limit: Int64(configuration.limits.spoolMiB) << 20)
        var configuration = configuration
        configuration.roots.spool = spool.root
        let recovery = Recovery(store: store, logs: logs, log: log, mode: mode)
        let recovered = try recovery.run()
        let unfinished = try state.unfinishedFiles()
        unfinished.sweep(log) { id in
            (try? store.job(id)).map { !$0.state.isFinal } ?? false
        } isElsewhere: { id, attempt in
            // Another node may have taken the attempt over, and be about to publish its file.
            (try? store.job(id)).map {
                JobState.begun.contains($0.state) && $0.attempts == attempt && $0.owner != store.owner
            } ?? (store.leaseTime != nil)
        }

        let events = EventLongPoll(store)
        let hub = EventHub(events: events)
        let lanes = PathLanes()
        let progress = SharedProgress(store, hub: hub, log: log)
        let context = JobRun.Context(
            store: store, hub: hub, pool: pool, logs: logs, log: log, unfinished: unfinished, lanes: lanes,
            roots: configuration.roots, presets: presets, mode: mode, effort: configuration.effort,
            cloner: configuration.reflink ? .kernel : .off, markers: markers, progress: progress)
        scheduler = Scheduler(
            context,
            budget: Budget(
                processors: configuration.processors, memory: configuration.memory,
                workers: configuration.workers))
        health = QueueHealth(store, log: log)
        sharing = SharedQueue(store: store, scheduler: scheduler, recovery: recovery, hub: hub, log: log)
        let atOnce = min(configuration.workers, configuration.processors)
        shortRequests = ShortRequests(pool: pool, slots: max(2, atOnce))
        let validator = SubmissionValidator(presets: presets, isShared: store.leaseTime != nil)
        let nodes = NodeList(store, markers: markers) { announcer.node }
        let jobs = JobService(
            store: store, scheduler: scheduler, shortRequests: shortRequests, hub: hub, logs: logs,
            validator: validator, limit: configuration.limits.jobsPerUser, nodes: nodes)
        let assets = AssetService(
            shortRequests: shortRequests,
            drawing: ShortRequests(pool: pool, slots: atOnce, timeLimit: nil),
            validator: validator, unfinished: unfinished, mode: mode)
        let server = ServerService(
            configuration, store: store, scheduler: scheduler, pool: pool, events: events, presets: presets,
            loss: loss, nodes: nodes,
            exit: {
                log.info("drained: ending, as was asked")
                kill(getpid(), SIGTERM)
            })
        services = Services(jobs: jobs, assets: assets, server: server, spool: spool, lanes: lanes)
        listener = try Daemon.listen(configuration)

        let handlers = Handlers(services: services)
        listener.start(
            onConnection: { handlers.serve($0) },
            onTrouble: { log.warning("nobody can be let in just now: \($0)") })
        scheduler.start()
        announcer.start(scheduler)
        if let sharing { sharing.start() } else { health.start() }
        progress?.start()
        log.info(
            "trimd \(trimdVersion) listens on \(configuration.socket), state in \(configuration.state), "
                + "\(configuration.workers) workers on \(configuration.processors) processors, \(presets.presets.count) presets, \(recovered) jobs recovered"
        )
        Notify.ready("0 of \(configuration.workers) workers busy")
    }

    /// Closes the socket, stops running jobs, and exits.
    private func stop(_ signal: String) {
        dispatchPrecondition(condition: .onQueue(leaving))
        log.info("\(signal): ending")
        Notify.stopping()
        leaving.asyncAfter(deadline: .now() + Daemon.patience) { [log] in
            log.error("the end takes too long")
            exit(1)
        }
        listener.close()
        shortRequests.close()
        services.assets.close()
        scheduler.stop { [self] in
            leaving.async { [self] in
                pool.close()
                if let sharing { sharing.leave() } else { try? store.leave(store.owner) }
                services.jobs.logs.shared?.flush()
                log.info("ended")
                leave(by: .now() + Daemon.linger)
            }
        }
    }

    /// Exits: at once where nobody is connected, else when watchers have had a moment to receive the last messages.
    private func leave(by deadline: DispatchTime) {
        guard listener.connected > 0, .now() < deadline else { exit(0) }
        leaving.asyncAfter(deadline: .now() + .milliseconds(2)) { [self] in leave(by: deadline) }
    }

    private static func listen(_ configuration: Configuration) throws(MediaError) -> Listener {
        let isSystem = geteuid() == 0
        if case .path(let path) = configuration.socket, let (folder, _) = FileName.split(path) {
            if configuration.ownsSocketFolder {
                try? StateFolder.make(folder, mode: isSystem ? 0o755 : 0o700)
            } else if !Kernel.mayAccess(folder, F_OK) {
                throw MediaError(
                    .fileNotFound, "the folder of the socket does not exist: \(folder)",
                    remedy: "create it, or give another --socket PATH")
            }
        }
        do throws(WireError) {
            switch configuration.socket {
            case .inherited(let number): return Listener(try UnixSocket.adoptListening(number))
            case .path(let path):
                // The system service's socket is open to all users; access is decided by the peer credentials.
                let socket = try UnixSocket.listen(at: path, mode: isSystem ? 0o666 : 0o600)
                return Listener(socket, removing: path)
            }
        } catch { throw MediaError(.inputOutput, "the socket: \(error)") }
    }

    private static func leave(_ text: String) -> Never {
        Kernel.write(text, to: 1)
        exit(0)
    }
}
