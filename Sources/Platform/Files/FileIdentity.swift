// FileIdentity: how a file is known again after a restart, and whether it was written since. A value, read by FileStatus.

/// What tells one file from another, and one version of it from the next.
public struct FileIdentity: Hashable, Sendable {
    /// The device it lies on.
    public var device: UInt64
    /// Its number there.
    public var inode: UInt64
    /// Its size in bytes.
    public var size: Int64
    /// When it was last written, in nanoseconds since 1970.
    public var modified: Int64
    /// The life of the machine in which it was seen; nil: not known.
    public var boot: String?

    /// An identity from its parts.
    public init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, boot: String? = nil) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.boot = boot
    }

    /// The same file, whether or not it was written since. Where the machine began anew in between, its device may have
    /// another number: file systems without a disk of their own (btrfs, NFS, overlays) get one at each mount.
    public func isSameFile(as other: FileIdentity) -> Bool {
        inode == other.inode
            && (device == other.device || boot == nil || other.boot == nil || boot != other.boot)
    }

    /// The same file, not written since.
    public func isUnchanged(since other: FileIdentity) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
