// StandaloneFolder holds a private daemon's socket, state and log: a folder that only this user can access, removed by its
// creator. If trimctl was killed, the next trimctl that creates such a folder removes it: the lock ended with its process, so
// it is not in use. It starts no process. `unsafe` is needed for mkdir(2) only: Foundation creates a folder first and restricts
// access afterwards.
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// The folder of a private daemon, held by a lock.
struct StandaloneFolder: ~Copyable {
    let path: String
    /// The daemon's socket, in a subfolder: binding a socket locks its folder, and the creator has locked this one.
    var socket: String { path + "/run/trimd.sock" }
    private let lock: Descriptor

    private static let prefix = "trimctl-"
    /// All possible entries of such a folder.
    private static let contents: Set<String> = ["run", "trimd.log", "state"]
    /// A folder is not removed for this many seconds, in which its creator takes the lock.
    private static let youth = 60.0

    /// Creates a folder, and removes abandoned ones.
    /// - Parameter wanted: the parent folder; nil, or too long for a socket path: `/tmp`.
    init(in wanted: String?) throws(MediaError) {
        // Socket paths are short: a long TMPDIR would not fit.
        let parent = wanted.flatMap { $0.hasPrefix("/") && $0.utf8.count < 60 ? $0 : nil } ?? "/tmp"
        Self.sweep(parent)
        let name = parent + "/" + Self.prefix + String(UInt64.random(in: .min ... .max), radix: 36)
        // Creates it with its mode, and fails if the name exists.
        let made = unsafe mkdir(name, 0o700)
        guard made == 0, let lock = Self.locked(name), unsafe mkdir(name + "/run", 0o700) == 0 else {
            throw MediaError(
                .notWritable, "making the folder \(name) for a private trimd: \(SystemError.reason(errno))",
                remedy: "set TMPDIR to a folder that can be written")
        }
        path = name
        self.lock = lock
    }

    /// Removes it with its contents.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Removes this user's abandoned folders in `parent`.
    private static func sweep(_ parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            guard isName(name) else { continue }
            let path = parent + "/" + name
            // Does not follow links.
            guard let found = try? FileManager.default.attributesOfItem(atPath: path),
                found[.type] as? FileAttributeType == .typeDirectory,
                (found[.ownerAccountID] as? UInt) == UInt(geteuid()),
                let changed = found[.modificationDate] as? Date,
                changed.timeIntervalSinceNow < -youth,
                let own = try? FileManager.default.contentsOfDirectory(atPath: path),
                contents.isSuperset(of: own), let lock = locked(path),
                // Its daemon may outlive its trimctl briefly.
                !own.contains("state") || locked(path + "/state") != nil
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
            _ = consume lock
        }
    }

    /// Whether a name has the form that `init` creates.
    private static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let random = name.dropFirst(prefix.count)
        return !random.isEmpty && UInt64(random, radix: 36).map { String($0, radix: 36) == random } ?? false
    }

    /// A folder's descriptor with its lock; nil if another process holds it.
    private static func locked(_ path: String) -> Descriptor? {
        guard let folder = try? Descriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0
        else { return nil }
        return folder
    }
}
