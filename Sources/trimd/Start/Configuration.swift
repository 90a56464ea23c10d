// Configuration: how this daemon runs, from the command line, the settings file and the default paths, in this order of
// precedence. An immutable value. It opens only the settings file.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform

/// How this daemon runs.
struct Configuration: Hashable, Sendable {
    /// The socket that clients connect to.
    enum Socket: Hashable, Sendable, CustomStringConvertible {
        /// A socket to be created at a path.
        case path(String)
        /// A socket passed by systemd.
        case inherited(Int32)

        var description: String {
            switch self {
            case .path(let path): path
            case .inherited(let number): "descriptor \(number), opened by systemd"
            }
        }
    }

    /// DejaVu Sans, of Debian's fonts-dejavu-core.
    static let usualFonts = ["/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"]
    /// The allowed number of workers.
    static let workerRange = 1...256
    /// The allowed number of processors.
    static let processorRange = 1...1024

    var socket: Socket
    /// The socket is where nobody named one: its folder is trimd's own, and created if missing.
    var ownsSocketFolder = false
    var state: String
    /// The PostgreSQL with the queue; nil: the queue is in the state directory.
    var queue: String?
    /// The name of this daemon among those that share a queue; nil: the host's.
    var node: String?
    /// The abilities of this daemon that jobs may need.
    var tags: [String] = []
    /// The most workers that export at once.
    var workers: Int
    /// The processors and the bytes of memory that they share.
    var processors: Int
    var memory: Int64
    /// How exports are divided, and how their workers run.
    var effort = JobRun.Effort()
    /// Whether outputs share blocks with their sources where the file system can.
    var reflink = true
    var presetFolders: [String]
    var workerProgram: String
    var logLevel: Log.Level
    var sandbox: SandboxPolicy
    var forkServer: Bool
    /// Whether the fork server does what its workers would each do at their beginning.
    var preparesForks: Bool
    /// One command has the daemon for itself.
    var isPrivate: Bool
    /// The files of the fonts that text subtitles are drawn in.
    var fonts: [String]
    var limits: Limits
    var roots: Roots
    /// The group whose users may read the metrics.
    var metricsGroup: UInt32?

    /// Combines the sources.
    init(
        _ arguments: DaemonArguments, _ paths: Paths, inherited: [Int32] = [], machine: Machine,
        settings read: (String) throws(MediaError) -> Settings? = Settings.read
    ) throws(MediaError) {
        let settings: Settings
        if let path = arguments.config.map(paths.absolute) {
            guard let found = try read(path) else {
                throw MediaError(.fileNotFound, "the settings file is not there: \(path)")
            }
            settings = found
        } else if let path = paths.settings() {
            settings = try read(path) ?? Settings()
        } else {
            settings = Settings()
        }
        guard inherited.count <= 1 else {
            throw MediaError(
                .invalidRequest, "systemd opened \(inherited.count) sockets, and trimd serves one")
        }
        if let path = arguments.socket {
            socket = .path(paths.absolute(path))
        } else if let number = inherited.first {
            socket = .inherited(number)
        } else {
            let usual = { () throws(MediaError) in paths.absolute(try paths.socket()) }
            socket = .path(try Configuration.first(settings.socket, usual))
            ownsSocketFolder = settings.socket == nil && !paths.namesSocket
        }
        state = try Configuration.first(arguments.state.map(paths.absolute) ?? settings.state, paths.state)
        queue = settings.queue
        node = settings.node
        tags = settings.tags ?? []
        processors = arguments.processors ?? settings.processors ?? machine.processors
        memory = settings.totalMemoryMiB.map { Int64($0) << 20 } ?? machine.memoryForWorkers
        // Those that copy wait for disks: four at once on two processors make a quarter more a second than two.
        let usual = min(2 * processors, Configuration.workerRange.upperBound)
        workers = arguments.workers ?? settings.workers ?? usual
        effort.chunkSeconds = settings.limits?.chunkSeconds.map(Double.init)
        effort.threads = settings.threads
        effort.nice = settings.nice ?? 0
        effort.isIdle = settings.idle ?? false
        reflink = settings.reflink ?? true
        presetFolders =
            paths.presetFolders() + (settings.presetFolders ?? []) + arguments.presets.map(paths.absolute)
        workerProgram = try Configuration.first(
            arguments.workerProgram.map(paths.absolute) ?? settings.workerProgram, paths.workerProgram)
        logLevel = settings.logLevel ?? .info
        sandbox = arguments.sandbox ?? settings.sandbox ?? .required
        forkServer = arguments.forkServer ?? settings.forkServer ?? true
        preparesForks = !arguments.fewJobs
        isPrivate = arguments.lifeline
        fonts = settings.fonts ?? Configuration.usualFonts
        limits = settings.limits ?? Limits()
        if let codes = settings.retryErrors { limits.policy.retried = Set(codes) }
        roots = settings.roots ?? Roots()
        metricsGroup = try settings.metricsGroup.map(Configuration.group)
    }

    /// The ID of a group, from its name or its number.
    private static func group(_ name: String) throws(MediaError) -> UInt32 {
        if let number = Kernel.group(name) ?? UInt32(name) { return number }
        throw MediaError(
            .invalidRequest, "metricsGroup: there is no group '\(name)'",
            remedy: "name a group that `getent group` knows, or give its number")
    }

    private static func first(
        _ said: String?, _ usual: () throws(MediaError) -> String
    ) throws(MediaError) -> String {
        if let said { return said }
        return try usual()
    }

    /// Throws if the configuration cannot work on this machine.
    func check() throws(MediaError) {
        guard Kernel.mayAccess(workerProgram, X_OK) else {
            throw MediaError(
                .fileNotFound, "the worker's program cannot be started: \(workerProgram)",
                remedy: "give --worker-program PATH")
        }
    }
}
