// Settings: the optional file trimd.json; all keys are optional. An unknown key is an error that suggests the nearest one, and
// a number out of range is an error: a daemon that ignores its settings is worse than one that does not start. It reads the
// file once, at the start.
internal import FoundationEssentials
internal import JobQueue
internal import Media
internal import Text
internal import Wire

/// The contents of the settings file.
struct Settings: Hashable, Sendable, StrictDecodable {
    /// The most workers that export at once.
    var workers: Int?
    /// The processors that all exports share.
    var processors: Int?
    /// MiB of memory that all exports share.
    var totalMemoryMiB: Int?
    /// The most threads of a worker.
    var threads: Int?
    /// The nice value of workers that export.
    var nice: Int?
    /// Whether workers that export run only while others leave processors idle.
    var idle: Bool?
    /// The state directory.
    var state: String?
    /// The PostgreSQL with the queue that several daemons share; nil: the queue is in the state directory.
    var queue: String?
    /// The name of this daemon among them.
    var node: String?
    /// The abilities of this daemon that jobs may need (`--needs`).
    var tags: [String]?
    /// The path of the socket.
    var socket: String?
    /// More preset folders; their presets override others with the same ID.
    var presetFolders: [String]?
    /// The files of the fonts that text subtitles are drawn in; a style whose font is missing is drawn in the first.
    var fonts: [String]?
    /// The worker's program.
    var workerProgram: String?
    /// The log level.
    var logLevel: Log.Level?
    /// Whether a worker that cannot be sealed may run.
    var sandbox: SandboxPolicy?
    /// Whether workers are forked from one process, which has loaded their libraries.
    var forkServer: Bool?
    /// Whether outputs share blocks with their sources where the file system can.
    var reflink: Bool?
    /// The name or number of a group whose users may read the metrics, besides root and the daemon's own user.
    var metricsGroup: String?
    /// The codes of the failures after which a job is tried again; nil: those that can heal.
    var retryErrors: [ErrorCode]?
    /// Resource limits.
    var limits: Limits?
    /// The roots for users other than its own and root.
    var roots: Roots?

    /// No settings.
    init() {}

    /// Throws for the first value that is not valid.
    func validate() throws(InvalidValue) {
        try InvalidValue.check(CodingKeys.workers, workers, in: Configuration.workerRange)
        try InvalidValue.check(CodingKeys.processors, processors, in: Configuration.processorRange)
        try InvalidValue.check(CodingKeys.totalMemoryMiB, totalMemoryMiB, in: 64...1_073_741_824)
        try InvalidValue.check(CodingKeys.threads, threads, in: Configuration.processorRange)
        try InvalidValue.check(CodingKeys.nice, nice, in: 0...19)
        // The value may hold a password.
        if let queue, !JobStore.isPostgreSQL(queue) {
            throw InvalidValue(
                CodingKeys.queue, "must be \"postgresql://USER@HOST/DATABASE\" or \"service=NAME\"")
        }
        if node?.isEmpty == true { throw InvalidValue(CodingKeys.node, "is empty") }
        if node?.contains(",") == true { throw InvalidValue(CodingKeys.node, "has a comma") }
        if let tags, tags.count > NodeTag.most {
            throw InvalidValue(
                CodingKeys.tags, "has \(tags.count) tags, and may have \(NodeTag.most)")
        }
        if let tag = tags?.first(where: { !NodeTag.isValid($0) }) {
            throw InvalidValue(CodingKeys.tags, "has '\(tag)'; \(NodeTag.rule)")
        }
        if let font = fonts?.first(where: { !$0.hasPrefix("/") }) {
            throw InvalidValue(CodingKeys.fonts, "has '\(font)', which is no path from the root")
        }
        // How often a worker may die has a limit of its own, and who cancels a job does not want it again.
        if let code = retryErrors?.first(where: { $0 == .workerCrashed || $0 == .operationCancelled }) {
            let rule = code == .workerCrashed ? "; limits.crashes says how often it is" : ""
            throw InvalidValue(
                CodingKeys.retryErrors,
                "has '\(code.rawValue)', after which no job is tried again by this list\(rule)")
        }
        for (key, path) in [(CodingKeys.state, state), (.socket, socket), (.workerProgram, workerProgram)] {
            if let path, !path.hasPrefix("/") {
                throw InvalidValue(key, "is '\(path)', and must be an absolute path")
            }
        }
        if let path = presetFolders?.first(where: { !$0.hasPrefix("/") }) {
            throw InvalidValue(
                CodingKeys.presetFolders, "names '\(path)', and each must be an absolute path")
        }
    }

    /// Reads a file; nil if it does not exist.
    static func read(_ path: String) throws(MediaError) -> Settings? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw MediaError(.permissionDenied, "\(path): the settings cannot be read")
        }
        return try parse(Array(data), path)
    }

    /// Parses the bytes of a file.
    static func parse(_ bytes: [UInt8], _ path: String) throws(MediaError) -> Settings {
        do throws(WireError) {
            return try JSONValue(parsing: bytes).decode(as: Settings.self)
        } catch {
            guard case .malformed(let what) = error else {
                throw MediaError(.invalidRequest, "\(path): \(error)")
            }
            throw MediaError(.invalidRequest, "\(path): \(what)")
        }
    }
}

extension ClosedRange<Int> {
    /// The range as text.
    var words: String { "\(lowerBound) to \(upperBound)" }
}
