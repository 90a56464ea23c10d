// The version of the programs. Nothing else in the sources says it: the build, the packages and their change logs read it here.
internal import CRelease
internal import Glibc
public import Platform
internal import Text

/// The version of the programs.
public let trimdVersion = "0.2.0"

/// The day on which manual pages changed last; it changes with the version.
public let trimdDate = "2026-11-28"

/// The commit that the programs were built from, with `-dirty` where files differ from it; nil where the build did not name it.
public let trimdCommit: String? = {
    let commit = unsafe String(cString: trim_commit())
    return commit.isEmpty ? nil : commit
}()

/// The build of FFmpeg that a worker runs on.
public struct FFmpegVersion: Hashable, Codable, Sendable {
    /// The version of the build, as `ffmpeg -version` names it.
    public var version: String
    /// The versions of its libraries by their names: `libavcodec` is `59.37.100`.
    public var libraries: [String: String]

    /// Creates a description.
    public init(version: String, libraries: [String: String]) {
        self.version = version
        self.libraries = libraries
    }
}

/// The answer of `--version --json`.
public struct VersionReport: Hashable, Codable, Sendable {
    /// The version of the program that was asked.
    public var version: String
    /// The commit it was built from; nil: unknown.
    public var commit: String?
    /// The FFmpeg that the worker runs on; nil: there is no worker.
    public var ffmpeg: FFmpegVersion?
    /// The names of FFmpeg's encoders, in order; nil: there is no worker.
    public var encoders: [String]?

    /// Describes this program.
    public init(ffmpeg: FFmpegVersion? = nil, encoders: [String]? = nil) {
        version = trimdVersion
        commit = trimdCommit
        self.ffmpeg = ffmpeg
        self.encoders = encoders
    }
}

/// A worker's program that prints a report about itself as JSON, and ends.
public enum WorkerReport {
    /// Runs it and reads its report, which is the last line of its output: FFmpeg's libraries may print some before.
    /// - Parameter milliseconds: the timeout, after which the process is killed.
    public static func read<Report: Decodable>(
        _ program: String, _ words: [String], within milliseconds: Int64
    ) throws(SystemError) -> Report {
        let text = try ProcessOutput.read(program, words, within: milliseconds, most: 1 << 20)
        guard let line = text.split(separator: UInt8(ascii: "\n")).last,
            let json = try? JSONValue(parsing: Array(line)), let report = try? json.decode(as: Report.self)
        else { throw SystemError("reading the report of", program, code: EPROTO) }
        return report
    }
}
