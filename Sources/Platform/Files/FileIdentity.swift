// FileIdentity: identifies a file across restarts and between machines, and detects later writes. A value, read by FileStatus; the
// digest by FileDigest.

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
    /// The hash of its first and last bytes; nil: not taken. Only where several machines see the file.
    public var digest: String?

    /// An identity from its parts.
    public init(
        device: UInt64, inode: UInt64, size: Int64, modified: Int64, boot: String? = nil,
        digest: String? = nil
    ) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.boot = boot
        self.digest = digest
    }

    /// Whether both are the same file, written since or not. After a reboot, and on another machine, its device may have another number:
    /// file systems without their own block device (btrfs, NFS, overlays) get one at each mount.
    public func isSameFile(as other: FileIdentity) -> Bool {
        inode == other.inode
            && (device == other.device || boot == nil || other.boot == nil || boot != other.boot)
    }

    /// Whether both are the same file, not written since. Where both have digests, these decide in place of the devices: a share may be
    /// mounted anew.
    public func isUnchanged(since other: FileIdentity) -> Bool {
        guard inode == other.inode, size == other.size, modified == other.modified else { return false }
        if let digest, let then = other.digest { return digest == then }
        return isSameFile(as: other)
    }
}
