// FileIdentity: identifies a file across restarts, and detects later writes. A value, read by FileStatus.

/// The identity of a file and of its version.
public struct FileIdentity: Hashable, Sendable {
    /// The device number.
    public var device: UInt64
    /// The inode number.
    public var inode: UInt64
    /// Its size in bytes.
    public var size: Int64
    /// The modification time, in nanoseconds since 1970.
    public var modified: Int64
    /// The boot ID when it was read; nil: unknown.
    public var boot: String?

    /// An identity from its parts.
    public init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, boot: String? = nil) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.boot = boot
    }

    /// Whether both are the same file, written since or not. After a reboot its device may have another number: file systems
    /// without their own block device (btrfs, NFS, overlays) get one at each mount.
    public func isSameFile(as other: FileIdentity) -> Bool {
        inode == other.inode
            && (device == other.device || boot == nil || other.boot == nil || boot != other.boot)
    }

    /// Whether both are the same file, not written since.
    public func isUnchanged(since other: FileIdentity) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified
    }
}
