// A source as it was at one moment, by which what was found in it is kept. A file that has changed since is another version.
internal import CLinux
internal import Glibc
internal import Synchronization

/// Counts this process's writes to files that it reads again: their times of change, which the kernel rounds to some milliseconds, may
/// not tell.
enum FileChanges {
    private static let counts = Mutex<[Int32: Int]>([:])

    /// Counts a change of the file of a descriptor.
    static func count(_ descriptor: Int32) { counts.withLock { $0[descriptor, default: 0] += 1 } }

    /// Changes so far.
    static func changes(of descriptor: Int32) -> Int { counts.withLock { $0[descriptor] ?? 0 } }
}

/// A file to which nobody has written since, as far as its time of change and this process tell.
struct SourceVersion: Hashable {
    private let source: SourceFile
    private let inode: UInt
    private let device: UInt
    private let seconds: Int
    private let nanoseconds: Int
    private let changes: Int

    /// The version that the file has now; nil if it does not say.
    init?(_ source: SourceFile) {
        self.source = source
        // The files of a segmented source do not change while it is read.
        if source.segments != nil {
            (inode, device, seconds, nanoseconds, changes) = (0, 0, 0, 0, 0)
            return
        }
        changes = FileChanges.changes(of: source.descriptor)
        var facts = stat()
        guard unsafe trim_fstat(source.descriptor, &facts) == 0, facts.st_size == source.size else {
            return nil
        }
        (inode, device) = (facts.st_ino, facts.st_dev)
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}
