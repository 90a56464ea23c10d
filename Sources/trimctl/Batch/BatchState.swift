// The queue of a batch without a daemon: one folder per list, which is kept so that an interrupted batch can be resumed. Old ones
// are removed automatically.
internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import Wire

/// Folders for queues of batches.
enum BatchState {
    /// A queue unused for this many seconds is removed by the next batch.
    private static let age = 30.0 * 86400

    /// The folder of a list's queue; nil if this user has no state directory, or none that can be made.
    static func folder(for identity: String, in surroundings: Surroundings) -> String? {
        let environment = surroundings.environment
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
        guard let state else { return nil }
        let parent = state + "/trimd/batches"
        // A container's user may have a home that is not there.
        guard
            (try? FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]))
                != nil, FileManager.default.isWritableFile(atPath: parent)
        else { return nil }
        sweep(parent)
        return parent + "/" + BatchKey.hash(identity)
    }

    private static func sweep(_ parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        where name.utf8.count == 32 && name.allSatisfy(\.isHexDigit) {
            let path = parent + "/" + name
            guard let found = try? FileManager.default.attributesOfItem(atPath: path),
                found[.type] as? FileAttributeType == .typeDirectory,
                let changed = found[.modificationDate] as? Date, changed.timeIntervalSinceNow < -age,
                isFree(path)
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Whether no daemon has its state there.
    private static func isFree(_ path: String) -> Bool {
        guard let folder = try? Descriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
            return true
        }
        return flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0
    }
}
