// FileStatus: a file's type, identity and size, as the kernel reports them. Borrows descriptors; has no state.
//
// `unsafe` here: fstat, fstatat and fstatvfs fill C structs, gone when the call returns.
internal import CLinux
internal import Glibc
internal import Text

/// The status of a file.
public struct FileStatus: Hashable, Sendable {
    /// The file types.
    public enum Sort: String, Sendable {
        /// The common types.
        case file, folder, link, pipe, socket
        /// Devices.
        case characterDevice = "character device"
        case blockDevice = "block device"
        /// None of these.
        case unknown = "thing of an unknown sort"
    }

    /// Its type.
    public let sort: Sort
    /// Its identity.
    public let identity: FileIdentity
    /// When its contents, name or rights were changed last, in nanoseconds since 1970. Nobody can set it back.
    public let changed: Int64

    private init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: sort = .file
        case S_IFDIR: sort = .folder
        case S_IFLNK: sort = .link
        case S_IFIFO: sort = .pipe
        case S_IFSOCK: sort = .socket
        case S_IFCHR: sort = .characterDevice
        case S_IFBLK: sort = .blockDevice
        default: sort = .unknown
        }
        changed = Int64(raw.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_ctim.tv_nsec)
        identity = FileIdentity(
            device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino), size: Int64(raw.st_size),
            modified: Int64(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_mtim.tv_nsec),
            boot: ProcessTable.boot)
    }

    /// The status of an open file.
    public init(of file: borrowing Descriptor, _ name: String) throws(SystemError) {
        let descriptor = file.rawValue
        var raw = stat()
        try SystemError.check("looking at", name) { unsafe trim_fstat(descriptor, &raw) }
        self.init(raw)
    }

    /// The status of a path, through symbolic links; nil if it cannot be read.
    init?(at path: String) {
        var raw = stat()
        guard unsafe stat(path.nameBytes, &raw) == 0 else { return nil }
        self.init(raw)
    }

    /// The status of a name in an open folder; nil if it does not exist. Follows a symbolic link on request.
    public init?(of name: String, in folder: borrowing Descriptor, following: Bool = false)
        throws(SystemError)
    {
        let descriptor = folder.rawValue
        var raw = stat()
        do throws(SystemError) {
            try SystemError.check("looking at", name) {
                unsafe fstatat(descriptor, name.nameBytes, &raw, following ? 0 : AT_SYMLINK_NOFOLLOW)
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        self.init(raw)
    }
}

/// The free bytes on the file system of an open file or folder; `Int64.max` where it has no blocks to count, as /proc has none.
public func freeBytes(at file: borrowing Descriptor) throws(SystemError) -> Int64 {
    let descriptor = file.rawValue
    var raw = statvfs()
    try SystemError.check("asking for the free space of", "the file system") {
        unsafe fstatvfs(descriptor, &raw)
    }
    guard raw.f_blocks > 0 else { return .max }
    return Int64(
        clamping: UInt64(raw.f_bavail).multipliedReportingOverflow(by: UInt64(raw.f_frsize)).partialValue)
}
