// StandaloneFolder: where a private daemon has its socket, its state and its log: a folder that only this user can enter,
// removed by whoever made it. One that a killed trimctl left is removed by the next trimctl that makes one: the lock on it
// went with its process, so nobody can be using it. It starts nothing.
// `unsafe` stands here for mkdir(2) alone: Foundation makes a folder first and closes it to others afterwards.
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Platform
internal import Wire

/// The folder of a private daemon, held by a lock.
struct StandaloneFolder: ~Copyable {
    let path: String
    /// Where the daemon is to listen. In a folder of its own: who binds a socket locks its folder first, and this one is
    /// locked by its maker.
    var socket: String { path + "/run/trimd.sock" }
    private let lock: Descriptor

    private static let prefix = "trimctl-"
    /// All there ever is in such a folder.
    private static let contents: Set<String> = ["run", "trimd.log", "state"]
    /// A folder is left alone for so many seconds, in which its maker gets the lock.
    private static let youth = 60.0

    /// Makes a new one, and removes those that nobody holds any more.
    /// - Parameter wanted: the folder to make it in; nil, or too long a path for a socket: `/tmp`.
    init(in wanted: String?) throws(MediaError) {
        // A socket's path is short: a long TMPDIR would not hold it.
        let parent = wanted.flatMap { $0.hasPrefix("/") && $0.utf8.count < 60 ? $0 : nil } ?? "/tmp"
        Self.sweep(parent)
        let name = parent + "/" + Self.prefix + String(UInt64.random(in: .min ... .max), radix: 36)
        // With its mode from the first moment on, and only where nothing of that name is there.
        let made = unsafe mkdir(name, 0o700)
        guard made == 0, let lock = Self.locked(name), unsafe mkdir(name + "/run", 0o700) == 0 else {
            throw MediaError(
                .notWritable, "making the folder \(name) for a private trimd: \(SystemError.reason(errno))",
                remedy: "set TMPDIR to a folder that can be written")
        }
        path = name
        self.lock = lock
    }

    /// Removes it, with all that is in it.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Removes this user's folders in `parent` whose makers are gone.
    private static func sweep(_ parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            guard isName(name) else { continue }
            let path = parent + "/" + name
            // Without following links.
            guard let found = try? FileManager.default.attributesOfItem(atPath: path),
                found[.type] as? FileAttributeType == .typeDirectory,
                (found[.ownerAccountID] as? UInt) == UInt(geteuid()),
                let changed = found[.modificationDate] as? Date,
                changed.timeIntervalSinceNow < -youth,
                let own = try? FileManager.default.contentsOfDirectory(atPath: path),
                contents.isSuperset(of: own), let lock = locked(path),
                // Its daemon may live longer than its trimctl, by a moment.
                !own.contains("state") || locked(path + "/state") != nil
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
            _ = consume lock
        }
    }

    /// Whether a name is one that `init` gives.
    private static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let random = name.dropFirst(prefix.count)
        return !random.isEmpty && UInt64(random, radix: 36).map { String($0, radix: 36) == random } ?? false
    }

    /// A folder's descriptor with its lock; nil where another has it.
    private static func locked(_ path: String) -> Descriptor? {
        guard let folder = try? Descriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0
        else { return nil }
        return folder
    }
}
