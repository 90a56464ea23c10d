// A source as it was at one moment, by which what was found in it is kept. A file that has changed since is another version.
internal import CLinux
internal import Glibc

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
