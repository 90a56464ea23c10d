// Parameters and results of the methods about the daemon: status, health, metrics, draining. Pure values.
public import Media
public import Text

/// The parameters of `server.drain`.
public struct DrainParams: Hashable, Codable, StrictDecodable, Sendable {
    /// False: resume starting jobs; nil: true.
    public var on: Bool?
    /// Whether the daemon exits once no job is running.
    public var exit: Bool?
    /// Whether no job is accepted either; nil: they are, and wait.
    public var refuse: Bool?
    /// The name of one of the nodes that share the queue; nil: the one that is asked. Another one is told, and not waited for.
    public var node: String?

    /// Creates parameters.
    public init(on: Bool? = nil, exit: Bool? = nil, refuse: Bool? = nil, node: String? = nil) {
        self.on = on
        self.exit = exit
        self.refuse = refuse
        self.node = node
    }

    /// Throws for the first value that is out of its range.
    public func validate() throws(InvalidValue) {
        guard on != false || refuse != true else {
            throw InvalidValue(CodingKeys.refuse, "is true, and jobs are to be started again")
        }
        guard exit == true else { return }
        guard on != false else {
            throw InvalidValue(CodingKeys.exit, "is true, and jobs are to be started again")
        }
        guard node == nil else {
            throw InvalidValue(
                CodingKeys.exit, "is true, and a node is named: only the one that is asked can be ended")
        }
    }
}

/// The notification `server.draining`.
public struct ServerDraining: Hashable, Codable, Sendable {
    /// Whether the daemon starts no jobs.
    public var draining: Bool

    /// Creates a notification.
    public init(draining: Bool) { self.draining = draining }
}

/// The result of `server.drain`, once no job is running.
public struct DrainResult: Hashable, Codable, Sendable {
    /// Whether the daemon starts no jobs. False if `server.drain` was called with `on` false meanwhile.
    public var draining: Bool
    /// The number of waiting jobs.
    public var waiting: Int
    /// Whether the daemon exits now.
    public var exiting: Bool?

    /// Creates an answer.
    public init(draining: Bool, waiting: Int, exiting: Bool? = nil) {
        self.draining = draining
        self.waiting = waiting
        self.exiting = exiting
    }
}

/// The answer of `server.metrics`.
public struct MetricsResult: Hashable, Codable, Sendable {
    /// OpenMetrics text, with its `# EOF`.
    public var text: String

    /// Creates an answer.
    public init(text: String) { self.text = text }
}

/// The answer of `server.status`.
public struct StatusResult: Hashable, Codable, Sendable {
    /// The daemon's version.
    public var version: String
    /// The daemon's process ID.
    public var pid: Int32
    /// The user it runs as.
    public var user: UInt32
    /// When it started.
    public var since: Moment
    /// Maximum number of concurrent exports.
    public var workers: Int
    /// Number of running exports.
    public var busy: Int?
    /// Number of processors that all exports share.
    public var processors: Int?
    /// Number of processors that the workers of exports may use now.
    public var busyProcessors: Int?
    /// Bytes of memory that all exports share.
    public var memoryBytes: Int64?
    /// Bytes of it that are reserved for the workers of exports now, by estimates. More than there are where one alone needs more.
    public var reservedMemoryBytes: Int64?
    /// Whether it starts no jobs until `server.drain` is called with `on` false.
    public var draining: Bool?
    /// Whether it accepts no jobs until then.
    public var refusing: Bool?
    /// When the oldest waiting job was accepted.
    public var oldestWaiting: Moment?
    /// The path of the old queue's file, if it was damaged and the daemon started with a new queue.
    @SpelledPathIfAny public var damagedQueue: String? = nil
    /// Accepted jobs that were missing from the queue's file when the daemon started.
    public var lostJobs: [Int64]?
    /// The protocol version.
    public var protocolVersion: Int?
    /// The schema version of the queue.
    public var queueVersion: Int?
    /// Where the queue is, if several daemons share it; without a password.
    public var queue: String?
    /// Number of jobs by status.
    public var jobs: [String: Int]
    /// The state folder.
    @SpelledPath public var state: String
    /// Free bytes on the file system of the state folder.
    public var freeBytes: Int64
    /// The socket it listens on.
    public var socket: String
    /// The sandbox policy of the workers, and its current effect.
    public var sandbox: SandboxStatus?

    /// Creates an answer.
    public init(
        version: String, pid: Int32, user: UInt32, since: Moment, workers: Int, jobs: [String: Int],
        state: String, freeBytes: Int64, socket: String
    ) {
        self.version = version
        self.pid = pid
        self.user = user
        self.since = since
        self.workers = workers
        self.jobs = jobs
        self.state = state
        self.freeBytes = freeBytes
        self.socket = socket
    }
}

/// The sandbox of the daemon's workers.
public struct SandboxStatus: Hashable, Codable, Sendable {
    /// `required` or `best-effort`.
    public var policy: String
    /// Whether the last worker was fully sandboxed; nil before the first has reported.
    public var sealed: Bool?
    /// The kernel's Landlock ABI version in use; nil: none.
    public var landlock: Int?
    /// Whether its system calls are filtered.
    public var seccomp: Bool?
    /// Missing protections, in words.
    public var missing: [String]

    /// Creates a status from the policy and the last worker's report.
    public init(policy: String, _ seal: WorkerSeal?) {
        self.policy = policy
        sealed = seal.map(\.missing.isEmpty)
        landlock = seal?.landlock
        seccomp = seal?.seccomp
        missing = seal?.missing ?? []
    }
}

/// The answer of `server.doctor`.
public struct DoctorResult: Hashable, Codable, Sendable {
    /// One check.
    public struct Check: Hashable, Codable, Sendable {
        /// The stable name of the check.
        public var name: String
        /// Whether it passed.
        public var ok: Bool
        /// The finding, for people.
        public var message: String
        /// The remedy, if it failed.
        public var remedy: String?

        /// Creates a check.
        public init(_ name: String, ok: Bool, _ message: String, remedy: String? = nil) {
            self.name = name
            self.ok = ok
            self.message = message
            self.remedy = remedy
        }
    }

    /// Whether all checks passed.
    public var ok: Bool
    /// The checks, most important first.
    public var checks: [Check]

    /// Creates an answer from its checks.
    public init(_ checks: [Check]) {
        ok = checks.allSatisfy(\.ok)
        self.checks = checks
    }
}
