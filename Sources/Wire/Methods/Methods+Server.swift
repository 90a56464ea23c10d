// What the methods about the daemon take and answer: its state, its health, its figures, draining. Pure values.
public import Media

/// The parameters of `server.drain`.
public struct DrainParams: Hashable, Codable, Sendable {
    /// False: jobs are started again; nil: true.
    public var on: Bool?
    /// The daemon ends once no job is running.
    public var exit: Bool?

    /// Creates parameters.
    public init(on: Bool? = nil, exit: Bool? = nil) {
        self.on = on
        self.exit = exit
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case on, exit }

    /// Decodes; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        on = try values.may(.on, Bool.self)
        exit = try values.may(.exit, Bool.self)
        if on == false, exit == true {
            throw values.wrong(.exit, "is true, and jobs are to be started again")
        }
    }
}

/// The notification `server.draining`.
public struct ServerDraining: Hashable, Codable, Sendable {
    /// No job is started.
    public var draining: Bool

    /// Creates a notification.
    public init(draining: Bool) { self.draining = draining }
}

/// The answer of `server.drain`, once no job is running.
public struct DrainResult: Hashable, Codable, Sendable {
    /// No job is started. False where `server.drain` was called with `on` false meanwhile.
    public var draining: Bool
    /// Jobs that wait.
    public var waiting: Int
    /// The daemon ends now.
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
    /// OpenMetrics, with its `# EOF`.
    public var text: String

    /// Creates an answer.
    public init(text: String) { self.text = text }
}

/// The answer of `server.status`.
public struct StatusResult: Hashable, Codable, Sendable {
    /// The daemon's version.
    public var version: String
    /// The daemon's process.
    public var pid: Int32
    /// The user it runs as.
    public var user: UInt32
    /// When it was started.
    public var since: Moment
    /// Exports that may run at once.
    public var workers: Int
    /// Exports that run.
    public var busy: Int?
    /// No job is started until `server.drain` says otherwise.
    public var draining: Bool?
    /// When the job that has waited longest was accepted.
    public var oldestWaiting: Moment?
    /// Why a queue was begun anew at the start: the old one's file was damaged, and lies there.
    @SpelledPathIfAny public var damagedQueue: String? = nil
    /// Jobs that were accepted and were not in the queue's file any more when the daemon was started.
    public var lostJobs: [Int64]?
    /// The version of the protocol.
    public var protocolVersion: Int?
    /// The version of the queue's tables.
    public var queueVersion: Int?
    /// Jobs by status.
    public var jobs: [String: Int]
    /// The folder of its state.
    @SpelledPath public var state: String
    /// Bytes free where the state lies.
    public var freeBytes: Int64
    /// The socket it listens on.
    public var socket: String
    /// How strictly workers are sealed, and how far they are.
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

/// How far the daemon's workers are sealed.
public struct SandboxStatus: Hashable, Codable, Sendable {
    /// `required` or `best-effort`.
    public var policy: String
    /// The last worker was sealed wholly; nil before the first has said so.
    public var sealed: Bool?
    /// The version of the kernel's Landlock that holds it; nil: none does.
    public var landlock: Int?
    /// Its system calls are filtered.
    public var seccomp: Bool?
    /// What is missing, in words.
    public var missing: [String]

    /// A status from the policy, and from what the last worker said.
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
    /// One thing that was looked at.
    public struct Check: Hashable, Codable, Sendable {
        /// What: a stable word.
        public var name: String
        /// How it is.
        public var ok: Bool
        /// How it is, in words.
        public var message: String
        /// What to do, where it is not well.
        public var remedy: String?

        /// A check from its parts.
        public init(_ name: String, ok: Bool, _ message: String, remedy: String? = nil) {
            self.name = name
            self.ok = ok
            self.message = message
            self.remedy = remedy
        }
    }

    /// All checks are well.
    public var ok: Bool
    /// The checks, in the order of their weight.
    public var checks: [Check]

    /// An answer from its checks.
    public init(_ checks: [Check]) {
        ok = checks.allSatisfy(\.ok)
        self.checks = checks
    }
}
