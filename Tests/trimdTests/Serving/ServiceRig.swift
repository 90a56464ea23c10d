// A whole service in the process of the tests, without a socket that others could find: connections are socket pairs, and who
// is at their other ends is said by the test. Its worker is a script; its jobs are not started unless a test wants it.
import Foundation
import Glibc
import JobQueue
import Media
import MediaTime
import Platform
import Synchronization
import Testing
import Text

@testable import Wire
@testable import trimd

/// A service with clients of any user.
final class ServiceRig {
    let scratch: Scratch
    /// A film that all may read, and a folder beneath the same root in which all may write.
    let film: String
    let out: String
    let store: JobStore
    let scheduler: Scheduler
    let hub: EventHub
    let services: Services
    let pool: WorkerPool
    /// How often the service wanted the daemon to end.
    let exits: Exits

    /// Counts what happens on other queues.
    final class Exits: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock(\.self) }
        func add() { number.withLock { $0 += 1 } }
    }

    /// Users that are neither root nor this process's, and a group.
    static let ann: UInt32 = 4_000_001, bob: UInt32 = 4_000_002, eve: UInt32 = 4_000_003
    static let metricsGroup: UInt32 = 4_000_010

    /// The end of a worker that does nothing but answer.
    static let answering = """
        read request <&3; echo '{"jsonrpc":"2.0","id":1,"result":{}}' >&3

        """

    init(
        worker script: String = ServiceRig.answering, isDraining: Bool = true, workers: Int = 1,
        memory: Int64 = 1 << 30,
        store open: (String) throws -> JobStore = { try JobStore(file: $0, owner: "test") }
    ) throws {
        scratch = try Scratch()
        film = try scratch.file("film.mov")
        out = try scratch.folder("out")
        try scratch.setMode("out", 0o777)
        let program = try scratch.program("worker", script)
        let log = Log(level: .error, isJournal: false)
        store = try open(scratch.path + "/queue.db")
        try store.setDraining(isDraining)
        var limits = Limits()
        limits.stallSeconds = 60
        pool = WorkerPool(program: program, Worker.Setup(policy: .bestEffort, limits: limits), log: log)
        let events = EventLongPoll(store)
        hub = EventHub(events: events)
        let logs = JobLogs(folder: try scratch.folder("logs"))
        let unfinished = try UnfinishedFiles(folder: try scratch.folder("unfinished"))
        var configuration = try Configuration(
            try DaemonArguments([
                "--socket", scratch.path + "/s", "--state", scratch.path, "--worker-program", program,
            ]), Paths.current(),
            machine: Machine(processors: 2, memory: 1 << 30, groups: "", read: { _ in nil }),
            settings: { _ in nil })
        configuration.roots = Roots(read: [scratch.path], write: [scratch.path])
        let spool = Spool(in: SpoolRoot(path: try scratch.folder("spool")), limit: 2 << 20)
        configuration.roots.spool = spool.root
        configuration.metricsGroup = ServiceRig.metricsGroup
        let lanes = PathLanes()
        let validator = try validator()
        let context = JobRun.Context(
            store: store, hub: hub, pool: pool, logs: logs, log: log, unfinished: unfinished, lanes: lanes,
            roots: configuration.roots, presets: validator.presets, mode: 0o644)
        scheduler = Scheduler(context, budget: Budget(processors: 2, memory: memory, workers: workers))
        let exits = Exits()
        self.exits = exits
        let shortRequests = ShortRequests(pool: pool, slots: 2)
        let markers = RootMarkers([:], store: store, log: log)
        let announcer = NodeAnnouncer(configuration, store: store, roots: markers, log: log)
        try announcer.announce()
        announcer.start(scheduler)
        let nodes = NodeList(store) { announcer.node }
        let jobs = JobService(
            store: store, scheduler: scheduler, shortRequests: shortRequests, hub: hub, logs: logs,
            validator: validator, limit: configuration.limits.jobsPerUser, nodes: nodes)
        let assets = AssetService(
            shortRequests: shortRequests, drawing: ShortRequests(pool: pool, slots: 1, timeLimit: nil),
            validator: validator, unfinished: unfinished, mode: 0o644)
        let server = ServerService(
            configuration, store: store, scheduler: scheduler, pool: pool, events: events,
            presets: validator.presets, loss: QueueLoss(), nodes: nodes, exit: { exits.add() })
        services = Services(jobs: jobs, assets: assets, server: server, spool: spool, lanes: lanes)
        scheduler.start()
        // Its first work is done when it answers.
        _ = scheduler.busy
    }

    deinit {
        scheduler.stop {}
        services.assets.close()
        pool.close()
    }

    /// A connection of a user.
    func connect(as uid: UInt32, groups: [UInt32] = []) throws -> Client {
        var pair = try Descriptor.socketPair()
        guard let ours = pair.takeFirst(), let theirs = pair.takeSecond() else {
            throw SystemError("taking", "a socket pair", code: EBADF)
        }
        let peer = PeerCredentials(pid: 1, uid: uid, gid: uid, groups: groups)
        let connection = try Connection(ours, label: "test")
        Handlers(services: services, identify: { _ in peer }).serve(connection)
        return Client(adopting: theirs)
    }

    /// A job of a user in the queue, as if they had submitted it.
    func job(of user: UInt32, priority: Int = 50, film other: String? = nil) throws -> Job {
        var params = SubmitParams(input: other ?? film)
        params.output = out + "/"
        let access = try access(of: user)
        let validated = try validator().validate(params, access)
        return try store.submit(validated.request, source: validated.source, user: user, priority: priority)
            .job
    }

    private func access(of user: UInt32) throws -> CallerAccess {
        CallerAccess(
            peer: PeerCredentials(pid: 1, uid: user, gid: user), own: geteuid(),
            roots: Roots(read: [scratch.path], write: [scratch.path]), descriptors: try files())
    }

    /// The film, the folder and the film once more, open: what a client passes.
    func files() throws -> Descriptors {
        Descriptors(
            adopting: try [(film, O_RDONLY), (out, O_RDONLY | O_DIRECTORY), (film, O_RDONLY)].map {
                try Descriptor(opening: $0.0, $0.1).release()
            })
    }
}

/// The outcome of a call.
enum Called {
    case result(JSONValue)
    case error(String, message: String)

    /// The stable word of its error.
    var code: String? {
        if case .error(let code, _) = self { return code }
        return nil
    }

    var result: JSONValue? {
        if case .result(let value) = self { return value }
        return nil
    }
}

extension Client {
    /// Calls a method; its error is an answer too.
    func ask(
        _ method: Wire.Method, _ params: some Encodable = Empty(), passing descriptors: Descriptors? = nil
    ) throws -> Called {
        do throws(WireError) {
            return .result(
                try call(
                    method.rawValue, params: params, passing: descriptors?.borrowed ?? [],
                    timeout: .seconds(60)
                ))
        } catch {
            guard case .remote(let remote) = error else { throw error }
            return .error(remote.code, message: remote.message)
        }
    }
}
