// LoadedFiles: the program and the libraries that a process has mapped, each with its version on disk, and whether they are the
// same now. A process lists its own; another compares. It reads /proc/self/maps and statuses of files; any thread.
internal import Glibc
internal import Text

/// The files that a process has loaded.
public struct LoadedFiles: Hashable, Sendable {
    private struct File: Hashable, Sendable {
        let path: String
        /// Device, inode, size in bytes, and the modification time in nanoseconds; "-" if there is no such file.
        let version: String
    }

    private let files: [File]

    /// Further files that decide what a new process loads: the linker's table of libraries, and the time zone.
    private static let others = ["/etc/ld.so.cache", "/etc/localtime"]

    /// The files that this process has mapped, and how they are on disk.
    public static func ofThisProcess() throws(SystemError) -> LoadedFiles {
        let maps = try Descriptor(opening: "/proc/self/maps", O_RDONLY)
        var text: [UInt8] = []
        while true {
            let bytes = try Kernel.read(maps, 64 << 10)
            if bytes.isEmpty { break }
            text += bytes
        }
        return LoadedFiles(mapped: text)
    }

    /// The files in the text of `/proc/PID/maps`. The path follows five fields; a file that was replaced has " (deleted)" at its
    /// end, which is no file's path: so it counts as changed.
    init(mapped text: [UInt8]) {
        var paths: Set<String> = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard let start = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
            paths.insert(PathBytes.text(line[start...]))
        }
        let mapped = paths.sorted().map { File(path: $0, version: LoadedFiles.version($0)) }
        let others = LoadedFiles.others.map { File(path: $0, version: LoadedFiles.version($0)) }
        files = mapped + others.filter { $0.version != LoadedFiles.missing }
    }

    /// The parts of its text, one message each; nil: not such a text.
    init?(_ parts: [[UInt8]]) {
        var files: [File] = []
        for line in parts.flatMap({ $0.split(separator: UInt8(ascii: "\n")) }) {
            guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
            files.append(
                File(
                    path: PathBytes.text(line[(space + 1)...]),
                    version: String(decoding: line[..<space], as: UTF8.self)))
        }
        guard !files.isEmpty else { return nil }
        self.files = files
    }

    /// The list as text: a line a file, in parts of a few kilobytes.
    public var parts: [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        for file in files {
            let line = Array(file.version.utf8) + [UInt8(ascii: " ")] + PathBytes.bytes(file.path)
            if parts[parts.count - 1].count + line.count > 8 << 10 { parts.append([]) }
            parts[parts.count - 1] += line + [UInt8(ascii: "\n")]
        }
        return parts
    }

    /// The first that is another file by now, or was written to; nil: none.
    public var changed: String? {
        files.first { $0.version == LoadedFiles.missing || $0.version != LoadedFiles.version($0.path) }?.path
    }

    private static let missing = "-"

    private static func version(_ path: String) -> String {
        guard let file = FileStatus(at: path)?.identity else { return missing }
        return "\(file.device):\(file.inode):\(file.size):\(file.modified)"
    }
}
