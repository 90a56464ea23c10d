// Settings: the file trimd.json, optional, every key of it too. A key nobody knows is an error that names the
// nearest, and so is a number out of range: a daemon that runs otherwise than it was told to is worse than
// one that does not start. It reads the file once, at the start.
internal import FoundationEssentials
internal import Media
internal import Text
internal import Wire

/// What the settings file may say.
struct Settings: Hashable, Sendable, Decodable {
    /// Exports that may run at once.
    var workers: Int?
    /// The folder of the state.
    var state: String?
    /// The path of the socket.
    var socket: String?
    /// More folders of presets; theirs replace others of the same id.
    var presetFolders: [String]?
    /// The worker's program.
    var workerProgram: String?
    /// How much is logged.
    var logLevel: Log.Level?
    /// Whether a worker that cannot be sealed may work.
    var sandbox: SandboxPolicy?
    /// The name or number of a group whose users may read the metrics, beside root and the daemon's own user.
    var metricsGroup: String?
    /// How much is enough.
    var limits: Limits?
    /// Where it acts for users other than its own and root.
    var roots: Roots?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case workers, state, socket, presetFolders, workerProgram, logLevel, sandbox, limits, roots
        case metricsGroup
    }

    /// No settings.
    init() {}

    /// Reads and checks.
    init(from decoder: any Decoder) throws {
        let values = try StrictKeys(decoder, CodingKeys.self)
        workers = try values.may(.workers, Int.self)
        state = try values.may(.state, String.self)
        socket = try values.may(.socket, String.self)
        presetFolders = try values.may(.presetFolders, [String].self)
        workerProgram = try values.may(.workerProgram, String.self)
        metricsGroup = try values.may(.metricsGroup, String.self)
        limits = try values.may(.limits, Limits.self)
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
        if let workers, !(Configuration.workerRange ~= workers) {
            throw values.wrong(.workers, "is \(workers), and must be \(Configuration.workerRange.words)")
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

    /// Reads a file; nil where it is not there.
    static func read(_ path: String) throws(MediaError) -> Settings? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw MediaError(.permissionDenied, "\(path): the settings cannot be read")
        }
        return try parse(Array(data), path)
    }

    /// The settings in the bytes of a file.
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
    /// The range in words.
    var words: String { "\(lowerBound) to \(upperBound)" }
}
