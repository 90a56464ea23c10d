// The messages between the daemon and a worker on the worker's socket. Pure values; no client sees them.
public import Media
public import MediaTime
public import Text

/// The parameters of the worker's `probe`.
public struct WorkerProbe: Hashable, Codable, Sendable {
    /// The source's name, for messages and format detection.
    public var name: String
    /// Whether to list the keyframes of every video track.
    public var keyframes: Bool
    /// The requested properties; nil: the usual ones.
    public var properties: [AssetProperty]?
    /// The quality to read of a playlist of several; nil: the highest.
    public var variant: String?

    /// Creates parameters.
    public init(name: String, keyframes: Bool, properties: [AssetProperty]? = nil) {
        self.name = name
        self.keyframes = keyframes
        self.properties = properties
    }
}

/// The parameters of the worker's `verify`.
public struct WorkerVerify: Hashable, Codable, Sendable {
    /// The export's result.
    public var result: ExportResult
    /// Whether to decode all copied samples, and treat damage as an error.
    public var strict: Bool
    /// The blocks of its source that the output was given; nil: none.
    public var shared: [ClonedRange]?
    /// The threads for decoding; nil: as many as there are processors.
    public var threads: Int?

    /// Creates parameters.
    public init(_ result: ExportResult, strict: Bool, shared: [ClonedRange]? = nil, threads: Int? = nil) {
        self.result = result
        self.strict = strict
        self.shared = shared
        self.threads = threads
    }
}

/// The parameters of the worker's `check`.
public struct WorkerCheck: Hashable, Codable, Sendable {
    /// The source's name, for messages.
    public var name: String
    /// The presets to check.
    public var presets: [Preset]
    /// The extension of the output.
    public var fileType: String?
    /// The range.
    public var range = RangeRequest()
    /// Options beyond the presets.
    public var options: ExportOptions?

    /// Creates parameters.
    public init(name: String, presets: [Preset], fileType: String?) {
        self.name = name
        self.presets = presets
        self.fileType = fileType
    }
}

/// The parameters of the worker's `export` and `plan`.
public struct WorkerExport: Hashable, Codable, Sendable {
    /// The request.
    public var request: ExportRequest
    /// Presets that the worker may try and name where the request's cannot be used.
    public var alternatives: EncodedPresets
    /// How the export is divided into units; nil: it is made as one.
    public var division: UnitDivision?
    /// Processors that the worker may use; nil: all.
    public var threads: Int?
    /// The size of the blocks that the output may have of the source, in bytes; nil: the file system shares none.
    public var cloneBlock: Int64?
    /// How many workers died of this export before; nil: none.
    public var crashes: Int?

    /// Creates parameters.
    public init(
        _ request: ExportRequest, alternatives: EncodedPresets, division: UnitDivision? = nil,
        threads: Int? = nil,
        cloneBlock: Int64? = nil, crashes: Int? = nil
    ) {
        self.request = request
        self.alternatives = alternatives
        self.division = division
        self.threads = threads
        self.cloneBlock = cloneBlock
        self.crashes = crashes
    }
}

/// The parameters of the worker's `unit`.
public struct WorkerUnit: Hashable, Codable, Sendable {
    /// The request of the export.
    public var request: ExportRequest
    /// The common part of the export's `UnitPlan`.
    public var plan: JSONValue
    /// The unit to make.
    public var unit: ExportUnit
    /// Processors that the worker may use.
    public var threads: Int

    /// Creates parameters.
    public init(_ request: ExportRequest, plan: JSONValue, unit: ExportUnit, threads: Int) {
        self.request = request
        self.plan = plan
        self.unit = unit
        self.threads = threads
    }
}

/// The parameters of the worker's `join`.
public struct WorkerJoin: Hashable, Codable, Sendable {
    /// The request of the export.
    public var request: ExportRequest
    /// The common part of the export's `UnitPlan`.
    public var plan: JSONValue
    /// All units that are made, by number.
    public var units: [ExportUnit]
    /// Their reports, in the same order.
    public var reports: [UnitReport]
    /// Processors that the worker may use.
    public var threads: Int

    /// Creates parameters.
    public init(
        _ request: ExportRequest, plan: JSONValue, units: [ExportUnit], reports: [UnitReport], threads: Int
    ) {
        self.request = request
        self.plan = plan
        self.units = units
        self.reports = reports
        self.threads = threads
    }
}

/// The parameters of the worker's `frame`.
public struct WorkerFrame: Hashable, Codable, Sendable {
    /// The source's name, for messages.
    public var name: String
    /// The time of the frame.
    public var at: TimeSpelling
    /// The image's width in pixels; nil: the video's.
    public var width: Int?
    /// The image file type.
    public var type: ImageType
    /// The preview for the report; nil: none.
    public var preview: PreviewRequest?
    /// The quality to read of a playlist of several; nil: the highest.
    public var variant: String?

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
    /// The range to show.
    public var range: RangeRequest
    /// The layout, as far as it is asked for.
    public var options: SheetOptions
    /// The image file type.
    public var type: ImageType
    /// The preview for the report; nil: none.
    public var preview: PreviewRequest?
    /// The quality to read of a playlist of several; nil: the highest.
    public var variant: String?

    /// Creates parameters.
    public init(name: String, range: RangeRequest, options: SheetOptions, type: ImageType) {
        self.name = name
        self.range = range
        self.options = options
        self.type = type
    }
}

/// The parameters of the worker's `compare`.
public struct WorkerComparison: Hashable, Codable, Sendable {
    /// The names of both files, for messages.
    public var source: String, output: String
    /// The range the output should match.
    public var range: RangeRequest
    /// The image file type; nil: no image.
    public var type: ImageType?
    /// The image's preview for the report; nil: none.
    public var preview: PreviewRequest?
    /// The options that the output was made with.
    public var options: ExportOptions?

    /// Creates parameters.
    public init(source: String, output: String, range: RangeRequest, type: ImageType?) {
        self.source = source
        self.output = output
        self.range = range
        self.type = type
    }
}

/// The parameters of the worker's `thumbnails`, `waveform`, `segment` and `cues`: those of the method, of which the path is not used.
public struct WorkerPreview<Params: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
    /// The source's name, for messages.
    public var name: String
    /// The method's parameters.
    public var params: Params

    /// Creates parameters.
    public init(name: String, params: Params) {
        self.name = name
        self.params = params
    }
}

/// The plan of an export, before it writes.
public struct WorkerPlan: Hashable, Codable, Sendable {
    /// Maximum bytes of the output, from the copied samples; nil: unknown.
    public var bytes: Int64?
    /// The duration of the output; nil: unknown.
    public var length: Time?
    /// The processors that writing it can use; nil: as many as the worker may; 0: less than one, since it waits for disks.
    public var processors: Int?

    /// Creates a plan.
    public init(bytes: Int64?, length: Time?, processors: Int? = nil) {
        self.bytes = bytes
        self.length = length
        self.processors = processors
    }
}

/// A line for the job's log.
public struct WorkerLog: Hashable, Codable, Sendable {
    /// The line, without its line ending.
    public var line: String

    /// Creates a line.
    public init(_ line: String) { self.line = line }
}

/// The sandbox state of a worker.
public struct WorkerSeal: Hashable, Codable, Sendable {
    /// The kernel's Landlock ABI version in use; nil: none.
    public var landlock: Int?
    /// Whether system calls are filtered.
    public var seccomp: Bool
    /// Missing protections, in words; empty if the sandbox is complete.
    public var missing: [String]

    /// Creates a seal.
    public init(landlock: Int?, seccomp: Bool, missing: [String]) {
        self.landlock = landlock
        self.seccomp = seccomp
        self.missing = missing
    }
}

/// The output of `trim-worker --selftest`: the operations a sandboxed worker tried, and whether they were refused.
public struct WorkerSelfTest: Hashable, Codable, Sendable {
    /// One attempt.
    public struct Attempt: Hashable, Codable, Sendable {
        /// The operation.
        public var name: String
        /// Whether it was refused, as it should be.
        public var refused: Bool
        /// The outcome.
        public var how: String

        /// Creates an attempt.
        public init(name: String, refused: Bool, how: String) {
            self.name = name
            self.refused = refused
            self.how = how
        }
    }

    /// The sandbox state of the processes.
    public var seal: WorkerSeal
    /// The attempts.
    public var attempts: [Attempt]
    /// The program's version.
    public var version: String
    /// The FFmpeg that the program runs on.
    public var ffmpeg: FFmpegVersion?
    /// The requested encoders that this FFmpeg build lacks.
    public var missingEncoders: [String]

    /// Creates a report.
    public init(
        seal: WorkerSeal, attempts: [Attempt], version: String, ffmpeg: FFmpegVersion,
        missingEncoders: [String]
    ) {
        self.seal = seal
        self.attempts = attempts
        self.version = version
        self.ffmpeg = ffmpeg
        self.missingEncoders = missingEncoders
    }
}
