// What the daemon and a worker say to each other on the worker's own socket. Pure values; no client sees them.
public import Media
public import MediaTime

/// The parameters of the worker's `probe`.
public struct WorkerProbe: Hashable, Codable, Sendable {
    /// The source's name, for messages and to tell formats apart.
    public var name: String
    /// The keyframes of every video track are wanted.
    public var keyframes: Bool
    /// The properties that are wanted; nil: the usual ones.
    public var properties: [AssetProperty]?

    /// Parameters from their parts.
    public init(name: String, keyframes: Bool, properties: [AssetProperty]? = nil) {
        self.name = name
        self.keyframes = keyframes
        self.properties = properties
    }
}

/// The parameters of the worker's `check`.
public struct WorkerCheck: Hashable, Codable, Sendable {
    /// The source's name, for messages.
    public var name: String
    /// The presets to judge.
    public var presets: [Preset]
    /// The extension the output is to have.
    public var fileType: String?
    /// The part that is meant.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Choices beyond the presets.
    public var options: RenderOptions?

    /// Parameters from their parts.
    public init(name: String, presets: [Preset], fileType: String?) {
        self.name = name
        self.presets = presets
        self.fileType = fileType
    }
}

/// A line for the job's log.
public struct WorkerLog: Hashable, Codable, Sendable {
    /// The line, without its end.
    public var line: String

    /// A line.
    public init(_ line: String) { self.line = line }
}

/// How far a worker is sealed.
public struct WorkerSeal: Hashable, Codable, Sendable {
    /// The version of the kernel's Landlock that holds it; nil: none does.
    public var landlock: Int?
    /// System calls are filtered.
    public var seccomp: Bool
    /// What is missing, in words; empty where the seal is whole.
    public var missing: [String]

    /// A seal from its parts.
    public init(landlock: Int?, seccomp: Bool, missing: [String]) {
        self.landlock = landlock
        self.seccomp = seccomp
        self.missing = missing
    }
}

/// What `trim-worker --selftest` prints: what a sealed worker tried, and whether it was refused.
public struct WorkerSelfTest: Hashable, Codable, Sendable {
    /// One attempt.
    public struct Attempt: Hashable, Codable, Sendable {
        /// What was tried.
        public var name: String
        /// It was refused, as it should be.
        public var refused: Bool
        /// How it went.
        public var how: String

        /// An attempt from its parts.
        public init(name: String, refused: Bool, how: String) {
            self.name = name
            self.refused = refused
            self.how = how
        }
    }

    /// How far the processes were sealed.
    public var seal: WorkerSeal
    /// The attempts.
    public var attempts: [Attempt]

    /// A report from its parts.
    public init(seal: WorkerSeal, attempts: [Attempt]) {
        self.seal = seal
        self.attempts = attempts
    }
}
