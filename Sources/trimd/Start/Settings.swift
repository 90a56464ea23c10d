// Settings: the optional file trimd.json; all keys are optional. An unknown key is an error that suggests the nearest one, and
// a number out of range is an error: a daemon that ignores its settings is worse than one that does not start. It reads the
// file once, at the start.
internal import FoundationEssentials
internal import JobQueue
internal import Media
internal import Text
internal import Wire

/// The contents of the settings file.
struct Settings: Hashable, Sendable, Decodable {
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

    enum CodingKeys: String, CodingKey, CaseIterable {
        case workers, state, socket, presetFolders, workerProgram, logLevel, sandbox, limits, roots
        case metricsGroup, forkServer, processors, totalMemoryMiB, threads, nice, idle
        case queue, node, tags, fonts, reflink, retryErrors

        /// The allowed values of a number.
        var range: ClosedRange<Int>? {
            switch self {
            case .workers: Configuration.workerRange
            case .processors, .threads: Configuration.processorRange
            case .totalMemoryMiB: 64...1_073_741_824
            case .nice: 0...19
            default: nil
            }
        }
    }

    /// No settings.
    init() {}

    /// Decodes and validates.
    init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        func number(_ key: CodingKeys) throws -> Int? {
            guard let number = try values.may(key, Int.self), let range = key.range else { return nil }
            guard range ~= number else { throw values.wrong(key, "is \(number), and must be \(range.words)") }
            return number
        }
        workers = try number(.workers)
        processors = try number(.processors)
        totalMemoryMiB = try number(.totalMemoryMiB)
        threads = try number(.threads)
        nice = try number(.nice)
        idle = try values.may(.idle, Bool.self)
        state = try values.may(.state, String.self)
        socket = try values.may(.socket, String.self)
        queue = try values.may(.queue, String.self)
        // The value may hold a password.
        if let queue, !JobStore.isPostgreSQL(queue) {
            throw values.wrong(.queue, "must be \"postgresql://USER@HOST/DATABASE\" or \"service=NAME\"")
        }
        node = try values.may(.node, String.self)
        if node?.isEmpty == true { throw values.wrong(.node, "is empty") }
        if node?.contains(",") == true { throw values.wrong(.node, "has a comma") }
        tags = try values.may(.tags, [String].self)
        if let tags, tags.count > NodeTag.most {
            throw values.wrong(.tags, "has \(tags.count) tags, and may have \(NodeTag.most)")
        }
        if let tag = tags?.first(where: { !NodeTag.isValid($0) }) {
            throw values.wrong(.tags, "has '\(tag)'; \(NodeTag.rule)")
        }
        presetFolders = try values.may(.presetFolders, [String].self)
        workerProgram = try values.may(.workerProgram, String.self)
        fonts = try values.may(.fonts, [String].self)
        if let font = fonts?.first(where: { !$0.hasPrefix("/") }) {
            throw values.wrong(.fonts, "has '\(font)', which is no path from the root")
        }
        metricsGroup = try values.may(.metricsGroup, String.self)
        forkServer = try values.may(.forkServer, Bool.self)
        reflink = try values.may(.reflink, Bool.self)
        limits = try values.may(.limits, Limits.self)
        retryErrors = try values.may(.retryErrors, [String].self)?.map { word in
            // How often a worker may die has a limit of its own, and who cancels a job does not want it again.
            let codes = ErrorCode.allCases.filter { $0 != .workerCrashed && $0 != .operationCancelled }
            if let code = codes.first(where: { $0.rawValue == word }) { return code }
            let near = nearestNames(to: word, in: codes.map(\.rawValue)).first
            let rule = word == ErrorCode.workerCrashed.rawValue ? "; limits.crashes says how often it is" : ""
            throw values.wrong(
                .retryErrors,
                "has '\(word)', after which no job is tried again by this list"
                    + (near.map { "; perhaps '\($0)'" } ?? "") + rule)
        }
        if let word = try values.may(.sandbox, String.self) {
            sandbox = SandboxPolicy(rawValue: word)
            if sandbox == nil {
                throw values.wrong(.sandbox, "is '\(word)', and must be \(SandboxPolicy.words)")
            }
        }
        roots = try values.may(.roots, Roots.self)
        if let level = try values.may(.logLevel, String.self) {
            logLevel = Log.Level(rawValue: level)
            let known = Log.Level.allCases.map(\.rawValue).joined(separator: ", ")
            if logLevel == nil { throw values.wrong(.logLevel, "is '\(level)', and must be one of \(known)") }
        }
        for (key, path) in [(CodingKeys.state, state), (.socket, socket), (.workerProgram, workerProgram)] {
            if let path, !path.hasPrefix("/") {
                throw values.wrong(key, "is '\(path)', and must be an absolute path")
            }
        }
        if let path = presetFolders?.first(where: { !$0.hasPrefix("/") }) {
            throw values.wrong(.presetFolders, "names '\(path)', and each must be an absolute path")
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
