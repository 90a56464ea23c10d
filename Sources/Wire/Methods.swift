// The whole API in one file: every method's name, what it takes and what it answers, on the daemon's socket and on the
// worker's. Transport knows none of this; `hello` tells a client which version it speaks.
public import Media
public import MediaTime

/// The methods of the daemon's socket.
public enum Method: String, Sendable, CaseIterable {
    case hello
    case assetProbe = "asset.probe"
    case assetCheck = "asset.check"
    case presetList = "preset.list"
    case jobSubmit = "job.submit"
    case jobGet = "job.get"
    case jobList = "job.list"
    case jobWatch = "job.watch"
    case jobCancel = "job.cancel"
    case jobRetry = "job.retry"
    case jobHold = "job.hold"
    case jobRelease = "job.release"
    case jobRemove = "job.remove"
    case jobLog = "job.log"
    case eventsSince = "events.since"
    case serverStatus = "server.status"
    case serverDoctor = "server.doctor"
    case serverDrain = "server.drain"
    case serverMetrics = "server.metrics"
}

/// The notifications a daemon sends to a client that watches.
public enum Notification: String, Sendable, CaseIterable {
    /// A job's state: a `JobReport`.
    case jobChanged = "job.changed"
    /// A job's progress: a `JobProgress`.
    case jobProgress = "job.progress"
    /// A job has passed a time that was asked for: a `JobBoundary`.
    case jobBoundary = "job.boundary"
}

/// The methods of the socketpair between daemon and worker. A worker serves one request and ends.
public enum WorkerMethod: String, Sendable, CaseIterable {
    /// `WorkerProbe`, descriptor: source. Answers an `Asset`.
    case probe
    /// `WorkerCheck`, descriptor: source. Answers a `CompatibilityReport`.
    case check
    /// `ExportRequest`, descriptors: source, temporary output. Answers an `ExportResult`.
    case export
    /// `ExportResult`, descriptor: the temporary output, read-only. Answers `Empty` where it is what the result says.
    case verify
}

/// The notifications a worker sends to its daemon.
public enum WorkerNotification: String, Sendable, CaseIterable {
    /// A `Progress`.
    case progress
    /// A `WorkerLog`.
    case log
    /// A `WorkerSeal`: the first thing a worker says, before it reads a byte of media.
    case sealed
    /// `Empty`: bytes were read or written, frames decoded or encoded since the last word.
    case alive
}

/// No parameters, or nothing to say.
public struct Empty: Hashable, Codable, Sendable {
    /// Nothing.
    public init() {}
}

/// The answer of `hello`.
public struct HelloResult: Hashable, Codable, Sendable {
    /// The version of this API; clients compare it with `HelloResult.protocolVersion`.
    public var protocolVersion: Int
    /// The daemon's version.
    public var version: String
    /// The daemon's process.
    public var pid: Int32
    /// The user it runs as.
    public var user: UInt32

    /// The version of the API in this file.
    public static let currentProtocol = 1

    /// An answer from its parts.
    public init(version: String, pid: Int32, user: UInt32) {
        protocolVersion = HelloResult.currentProtocol
        self.version = version
        self.pid = pid
        self.user = user
    }
}

/// The parameters of `asset.probe`.
public struct ProbeParams: Hashable, Codable, Sendable {
    /// The file's absolute path.
    public var path: String
    /// The keyframes of every video track are wanted.
    public var keyframes: Bool?
    /// The properties that are wanted; nil: the usual ones. Each is answered as loaded or failed.
    public var properties: [AssetProperty]?

    /// Parameters from their parts.
    public init(path: String, keyframes: Bool? = nil, properties: [AssetProperty]? = nil) {
        self.path = path
        self.keyframes = keyframes
        self.properties = properties
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case path, keyframes, properties }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.need(.path, String.self)
        keyframes = try values.may(.keyframes, Bool.self)
        properties = try values.may(.properties, [AssetProperty].self)
    }
}

/// The parameters of `asset.check`.
public struct CheckParams: Hashable, Codable, Sendable {
    /// The file's absolute path.
    public var path: String
    /// The preset to judge, by id or whole; nil: all.
    public var preset: PresetReference?
    /// Presets of the client's own to judge beside the daemon's where `preset` is nil.
    public var presets: [Preset]?
    /// The extension the output is to have.
    public var type: String?
    /// The in point, the out point, or how long instead; nil: all of it.
    public var start: TimeSpelling?, end: TimeSpelling?, duration: TimeSpelling?
    /// Choices beyond the preset.
    public var options: RenderOptions?

    /// Parameters from their parts.
    public init(path: String, preset: PresetReference? = nil, presets: [Preset]? = nil, type: String? = nil) {
        self.path = path
        self.preset = preset
        self.presets = presets
        self.type = type
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path, preset, presets, type, start, end, duration, options
    }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        path = try values.need(.path, String.self)
        preset = try values.may(.preset, PresetReference.self)
        presets = try values.may(.presets, [Preset].self)
        type = try values.may(.type, String.self)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
        duration = try values.may(.duration, TimeSpelling.self)
        options = try values.may(.options, RenderOptions.self)
    }
}

/// A preset by its id, or whole.
public enum PresetReference: Hashable, Codable, Sendable {
    case id(String)
    case preset(Preset)

    /// Reads a string or an object.
    public init(from decoder: any Decoder) throws {
        if let id = try? decoder.singleValueContainer().decode(String.self) {
            self = .id(id)
        } else {
            self = .preset(try Preset(from: decoder))
        }
    }

    /// Writes a string or an object.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .id(let id):
            var value = encoder.singleValueContainer()
            try value.encode(id)
        case .preset(let preset): try preset.encode(to: encoder)
        }
    }
}

/// The answer of `preset.list`.
public struct PresetListResult: Hashable, Codable, Sendable {
    /// The presets, in the order of their ids.
    public var presets: [Preset]
    /// Files that could not be used.
    public var problems: [PresetProblem]

    /// An answer from its parts.
    public init(presets: [Preset], problems: [PresetProblem]) {
        self.presets = presets
        self.problems = problems
    }
}

/// The parameters of `job.submit`. It answers a `JobReport`.
public struct SubmitParams: Hashable, Codable, Sendable {
    /// The source's absolute path.
    public var input: String
    /// The output's absolute path; nil: beside the source, named `NAME-trim`, numbered if that exists.
    public var output: String?
    /// An existing output may be replaced.
    public var overwrite: Bool?
    /// The in point; nil: the beginning.
    public var start: TimeSpelling?
    /// The out point, a time of the source; nil: the end.
    public var end: TimeSpelling?
    /// How long, instead of `end`.
    public var duration: TimeSpelling?
    /// The preset; nil: `m4v720`.
    public var preset: PresetReference?
    /// The way to render; nil: auto.
    public var render: RenderMode?
    /// Cut points are moved first.
    public var snap: Snap?
    /// What would be a warning is an error.
    public var strict: Bool?
    /// The same key twice is one job.
    public var key: String?
    /// From 0 to 100: of those that wait, the highest is started first; nil: 50.
    public var priority: Int?
    /// Ranges that are joined in this order, instead of one from `start` to `end`.
    public var keep: [RangeSpelling]?
    /// Ranges that are left out of what lies between `start` and `end`.
    public var remove: [RangeSpelling]?
    /// How far each cut point may move back, so that nothing needs to be encoded; `inf`: as far as it takes.
    public var toleranceBefore: ToleranceSpelling?
    /// How far each cut point may move on.
    public var toleranceAfter: ToleranceSpelling?
    /// Where copied samples would lie hidden in the file, the export fails.
    public var noHidden: Bool?
    /// Choices beyond the preset.
    public var options: RenderOptions?
    /// What is asked of chapters; nil: those of the range.
    public var chapters: ChapterRequest?
    /// What is asked of metadata; nil: the source's is carried over.
    public var metadata: MetadataRequest?

    /// Parameters with an input; the rest is set as needed.
    public init(input: String) { self.input = input }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case input, output, overwrite, start, end, duration, preset, render, snap, strict, key, priority
        case keep, remove, toleranceBefore, toleranceAfter, noHidden
        case options
        case chapters, metadata
    }

    /// Reads; an unknown key is an error, since an option that is silently ignored is a wrong export.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        input = try values.need(.input, String.self)
        output = try values.may(.output, String.self)
        overwrite = try values.may(.overwrite, Bool.self)
        start = try values.may(.start, TimeSpelling.self)
        end = try values.may(.end, TimeSpelling.self)
        duration = try values.may(.duration, TimeSpelling.self)
        preset = try values.may(.preset, PresetReference.self)
        render = try values.may(.render, RenderMode.self)
        snap = try values.may(.snap, Snap.self)
        strict = try values.may(.strict, Bool.self)
        key = try values.may(.key, String.self)
        priority = try values.may(.priority, Int.self)
        keep = try values.may(.keep, [RangeSpelling].self)
        remove = try values.may(.remove, [RangeSpelling].self)
        toleranceBefore = try values.may(.toleranceBefore, ToleranceSpelling.self)
        toleranceAfter = try values.may(.toleranceAfter, ToleranceSpelling.self)
        noHidden = try values.may(.noHidden, Bool.self)
        options = try values.may(.options, RenderOptions.self)
        chapters = try values.may(.chapters, ChapterRequest.self)
        metadata = try values.may(.metadata, MetadataRequest.self)
        if metadata?.artworkPlace != nil {
            throw values.wrong(.metadata, "names artworkPlace, which trimd sets")
        }
        if let priority, !(0...100 ~= priority) {
            throw values.wrong(.priority, "is \(priority), and must be 0 to 100")
        }
    }
}

/// The parameters of the methods about one job.
public struct JobParams: Hashable, Codable, Sendable {
    /// The job's number.
    public var id: Int64

    /// Parameters from their parts.
    public init(id: Int64) { self.id = id }

    enum CodingKeys: String, CodingKey, CaseIterable { case id }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        id = try StrictKeys(decoder, CodingKeys.self).need(.id, Int64.self)
    }
}

/// The parameters of `job.list`. It answers an array of `JobReport`, newest first.
public struct ListParams: Hashable, Codable, Sendable {
    /// At most so many; nil: 100. At most 1000.
    public var limit: Int?
    /// Only jobs older than this one (their numbers are smaller): the next page.
    public var after: Int64?

    /// Parameters from their parts.
    public init(limit: Int? = nil, after: Int64? = nil) {
        self.limit = limit
        self.after = after
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case limit, after }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        limit = try values.may(.limit, Int.self)
        after = try values.may(.after, Int64.self)
    }
}

/// The parameters of `job.watch`. It answers an array with the present `JobReport` of each job watched; then
/// notifications follow until the connection ends.
public struct WatchParams: Hashable, Codable, Sendable {
    /// The jobs to watch; nil: all of this user's, those submitted later too.
    public var ids: [Int64]?
    /// Seconds between two progress notifications of a job, at least; nil: 1/4.
    public var interval: Time?
    /// Times of the source, each told once for each job when it was passed; at most 1000.
    public var boundaries: [Time]?

    /// Parameters from their parts.
    public init(ids: [Int64]? = nil, interval: Time? = nil, boundaries: [Time]? = nil) {
        self.ids = ids
        self.interval = interval
        self.boundaries = boundaries
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case ids, interval, boundaries }

    /// Reads; an unknown key is an error, and so is a spelling that is no time before the asset is known.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        ids = try values.may(.ids, [Int64].self)
        interval = try values.may(.interval, TimeSpelling.self).map { try Self.time($0, values, .interval) }
        boundaries = try values.may(.boundaries, [TimeSpelling].self)?
            .map { try Self.time($0, values, .boundaries) }
    }

    private static func time(
        _ spelling: TimeSpelling, _ values: StrictKeys<CodingKeys>, _ key: CodingKeys
    ) throws -> Time {
        if case .time(let time) = spelling { return time }
        throw values.wrong(
            key,
            "has '\(spelling)', which needs the asset to be a time; write seconds, such as 1:10 or 441000/44100"
        )
    }
}

/// The notification `job.boundary`.
public struct JobBoundary: Hashable, Codable, Sendable {
    /// The job's number.
    public var id: Int64
    /// The time that was asked for.
    public var boundary: Time

    /// A notification from its parts.
    public init(id: Int64, boundary: Time) {
        self.id = id
        self.boundary = boundary
    }
}

/// The parameters of `events.since`.
public struct EventsParams: Hashable, Codable, Sendable {
    /// Only events with larger numbers; nil: from the first that is kept.
    public var after: Int64?
    /// Only events of this moment and later.
    public var since: Moment?
    /// At most so many; nil: 1000. At most 1000.
    public var limit: Int?
    /// Seconds to wait for an event where there is none yet; nil: 0. At most 300.
    public var wait: Time?

    /// Parameters from their parts.
    public init(after: Int64? = nil, since: Moment? = nil, limit: Int? = nil, wait: Time? = nil) {
        self.after = after
        self.since = since
        self.limit = limit
        self.wait = wait
    }

    enum CodingKeys: String, CodingKey, CaseIterable { case after, since, limit, wait }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        after = try values.may(.after, Int64.self)
        since = try values.may(.since, Moment.self)
        limit = try values.may(.limit, Int.self)
        guard let spelling = try values.may(.wait, TimeSpelling.self) else { return }
        guard case .time(let time) = spelling else {
            throw values.wrong(.wait, "is '\(spelling)', and must be a length of time")
        }
        wait = time
    }
}

/// The answer of `events.since`.
public struct EventsResult: Hashable, Codable, Sendable {
    /// The events, oldest first.
    public var events: [JobEvent]
    /// What to give as `after` the next time; nothing between is missed.
    public var last: Int64

    /// An answer from its parts.
    public init(events: [JobEvent], last: Int64) {
        self.events = events
        self.last = last
    }
}

/// The parameters of `server.drain`.
public struct DrainParams: Hashable, Codable, Sendable {
    /// False: jobs are started again; nil: true.
    public var on: Bool?

    /// Parameters from their parts.
    public init(on: Bool? = nil) { self.on = on }

    enum CodingKeys: String, CodingKey, CaseIterable { case on }

    /// Reads; an unknown key is an error.
    public init(from decoder: any Decoder) throws {
        on = try StrictKeys(decoder, CodingKeys.self).may(.on, Bool.self)
    }
}

/// The answer of `server.drain`, once no job is running.
public struct DrainResult: Hashable, Codable, Sendable {
    /// No job is started.
    public var draining: Bool
    /// Jobs that wait.
    public var waiting: Int

    /// An answer from its parts.
    public init(draining: Bool, waiting: Int) {
        self.draining = draining
        self.waiting = waiting
    }
}

/// The answer of `server.metrics`.
public struct MetricsResult: Hashable, Codable, Sendable {
    /// OpenMetrics, with its `# EOF`.
    public var text: String

    /// An answer from its parts.
    public init(text: String) { self.text = text }
}

/// The notification `job.progress`.
public struct JobProgress: Hashable, Codable, Sendable {
    /// The job's number.
    public var id: Int64
    /// From 0 to 1, never falling.
    public var progress: Double
    /// What is being done.
    public var phase: ExportPhase
    /// Seconds of media a second.
    public var speed: Double?
    /// Seconds until done, estimated.
    public var remaining: Double?
    /// The source time reached.
    public var time: Time?

    /// A notification from a job's number and progress.
    public init(id: Int64, _ progress: Progress) {
        self.id = id
        self.progress = progress.fraction
        phase = progress.phase
        speed = progress.speed
        remaining = progress.remaining
        time = progress.time
    }
}

/// The answer of `job.log`.
public struct LogResult: Hashable, Codable, Sendable {
    /// The job's log, whole lines; its last 512 KiB where it is longer.
    public var text: String

    /// An answer from its parts.
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
    public var damagedQueue: String?
    /// The version of the protocol.
    public var protocolVersion: Int?
    /// The version of the queue's tables.
    public var queueVersion: Int?
    /// Jobs by status.
    public var jobs: [String: Int]
    /// The folder of its state.
    public var state: String
    /// Bytes free where the state lies.
    public var freeBytes: Int64
    /// The socket it listens on.
    public var socket: String
    /// How strictly workers are sealed, and how far they are.
    public var sandbox: SandboxStatus?

    /// An answer from its parts.
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

/// The version of the programs.
public let trimdVersion = "0.1.0"
