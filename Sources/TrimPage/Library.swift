// The files that the user has named, and the outputs made of them: nothing else can be asked for. Names in requests are keys of
// this table, never paths. Any thread.
internal import Glibc
internal import Media
internal import Platform
internal import Synchronization
internal import Text

/// The named files.
final class Library: Sendable {
    /// A file.
    struct Item: Hashable, Sendable {
        /// Its name in requests.
        let id: String
        let path: String
        /// Its name for people.
        var name: String { path.pathNames.last ?? path }
        let size: Int64
        /// Identity, size and time, as a key: another file of the name has another.
        let version: String
        /// When anything of it was changed last: also where its size and its time were set back.
        let changed: String
    }

    /// The extensions of media, as far as folders are concerned; a file that is named may have any.
    private static let types: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "ts", "m2ts", "mts", "avi", "mxf", "mpg", "mpeg", "vob", "ogv",
        "ogg",
        "oga", "opus", "flac", "wav", "aiff", "aif", "caf", "mp3", "m4a", "m4b", "mka", "aac", "wmv", "flv",
        "3gp",
        "gif",
        "ivf", "dv", "y4m",
    ]
    /// The most files of a folder.
    private static let most = 2000

    private let files: [String], folders: [String]
    private let outputs = Mutex<[String]>([])

    /// Files, and folders of which the files are shown.
    init(files: [String], folders: [String]) {
        self.files = files
        self.folders = folders
    }

    /// All that are there now, by name.
    func items() -> [Item] {
        var paths = files
        for folder in folders {
            let names = Kernel.names(in: folder).filter { name in
                guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return false }
                return Library.types.contains(name[name.index(after: dot)...].lowercased())
            }
            paths += names.sorted().prefix(Library.most).map { folder + "/" + $0 }
                .filter { Library.kind(of: $0, following: false) == S_IFREG }
        }
        paths += outputs.withLock(\.self)
        var seen: Set<String> = []
        return paths.compactMap { seen.insert($0).inserted ? Library.item($0) : nil }
    }

    /// The file of a name in a request; nil: it is not named, or gone.
    func item(_ id: String) -> Item? { items().first { $0.id == id } }

    /// Whether a path is that of a named file, also where it is gone.
    func holds(_ path: String) -> Bool {
        if files.contains(path) || outputs.withLock({ $0.contains(path) }) { return true }
        guard let slash = path.lastSlash else { return false }
        return folders.contains(String(path[..<slash]))
    }

    /// Adds an output of a named file.
    func add(output path: String) {
        outputs.withLock { if !$0.contains(path), $0.count < Library.most { $0.append(path) } }
    }

    /// The file at a path, if it is shown; nil: it is not, or it is gone.
    func item(at path: String) -> Item? { holds(path) ? Library.item(path) : nil }

    /// The file at a path, whether it is shown or not: for what is known of a file that is shown. Nil: it is gone.
    static func named(_ path: String) -> Item? { item(path) }

    /// Changes where a file came, went or changed.
    var state: String { Library.key(of: items().map { "\($0.id) \($0.version)" }.joined(separator: "\n")) }

    private static func item(_ path: String) -> Item? {
        var raw = stat()
        guard unsafe stat(path.nameBytes, &raw) == 0, raw.st_mode & S_IFMT == S_IFREG else { return nil }
        let version =
            "\(raw.st_dev)-\(raw.st_ino)-\(raw.st_size)-\(raw.st_mtim.tv_sec).\(raw.st_mtim.tv_nsec)"
        return Item(
            id: key(of: path), path: path, size: Int64(raw.st_size), version: version,
            changed: "\(raw.st_ctim.tv_sec).\(raw.st_ctim.tv_nsec)")
    }

    /// The kind of file at a path; nil: there is none.
    static func kind(of path: String, following: Bool = true) -> mode_t? {
        var raw = stat()
        guard unsafe following ? stat(path.nameBytes, &raw) == 0 : lstat(path.nameBytes, &raw) == 0 else {
            return nil
        }
        return raw.st_mode & S_IFMT
    }

    /// A key of a text: FNV-1a in 64 bits, in hexadecimal.
    static func key(of text: String) -> String {
        let hash = text.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return String(hash, radix: 16)
    }
}
