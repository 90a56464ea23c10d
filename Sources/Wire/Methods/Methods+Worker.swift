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

    /// Creates parameters.
    public init(name: String, keyframes: Bool, properties: [AssetProperty]? = nil) {
        self.name = name
        self.keyframes = keyframes
        self.properties = properties
    }
}

/// The parameters of the worker's `verify`.
public struct WorkerVerify: Hashable, Codable, Sendable {
    /// What the export says of its output.
    public var result: ExportResult
    /// All that was taken over is decoded, and damage is an error.
    public var strict: Bool

    /// Creates parameters.
    public init(_ result: ExportResult, strict: Bool) {
        self.result = result
        self.strict = strict
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
    /// Options beyond the presets.
    public var options: RenderOptions?

    /// Creates parameters.
    public init(name: String, presets: [Preset], fileType: String?) {
        self.name = name
        self.presets = presets
        self.fileType = fileType
    }
}

/// The parameters of the worker's `frame`.
public struct WorkerFrame: Hashable, Codable, Sendable {
    /// The source's name, for messages.
    public var name: String
    /// The time whose frame is wanted.
    public var at: TimeSpelling
    /// The picture's width in pixels; nil: the film's.
    public var width: Int?
    /// The image file type.
    public var type: ImageType

    /// Creates parameters.
    public init(name: String, at: TimeSpelling, width: Int?, type: ImageType) {
        self.name = name
        self.at = at
        self.width = width
        self.type = type
    }
}

/// The parameters of the worker's `sheet`.
public struct WorkerSheet: Hashable, Codable, Sendable {
    /// The source's name, for messages.
    public var name: String
    /// What of it is shown.
    public var range: PictureRange
    /// Thumbnails in a row, rows, and the width of one in pixels; nil: as fits the range.
    public var columns: Int?, rows: Int?, width: Int?
    /// The image file type.
    public var type: ImageType

    /// Creates parameters.
    public init(name: String, range: PictureRange, type: ImageType) {
        self.name = name
        self.range = range
        self.type = type
    }
}

/// The parameters of the worker's `compare`.
public struct WorkerComparison: Hashable, Codable, Sendable {
    /// The names of both files, for messages.
    public var source: String, output: String
    /// The part that the second is to be.
    public var range: PictureRange
    /// The image file type; nil: no image.
    public var type: ImageType?

    /// Creates parameters.
    public init(source: String, output: String, range: PictureRange, type: ImageType?) {
        self.source = source
        self.output = output
        self.range = range
        self.type = type
    }
}

/// What an export is about to write.
public struct WorkerPlan: Hashable, Codable, Sendable {
    /// Bytes of the output, at most, as far as the samples that are taken over tell; nil: they do not.
    public var bytes: Int64?
    /// How long the output will be; nil: not known.
    public var length: Time?

    /// Creates a plan.
    public init(bytes: Int64?, length: Time?) {
        self.bytes = bytes
        self.length = length
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
    /// The release the program is of.
    public var version: String
    /// Of the encoders that were asked for, those this build of FFmpeg does not have.
    public var missingEncoders: [String]

    /// Creates a report.
    public init(seal: WorkerSeal, attempts: [Attempt], version: String, missingEncoders: [String]) {
        self.seal = seal
        self.attempts = attempts
        self.version = version
        self.missingEncoders = missingEncoders
    }
}
