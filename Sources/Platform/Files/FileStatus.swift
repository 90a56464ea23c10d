// FileStatus: what a file is, told by the kernel: its sort, its identity, its size. Borrows descriptors,
// keeps nothing.
//
// `unsafe` here: fstat, fstatat and fstatvfs fill in C structs, gone when the call returns.
internal import Glibc
internal import Media

/// What a file is.
public struct FileStatus: Hashable, Sendable {
    /// The sorts of files.
    public enum Sort: String, Sendable {
        /// What a name usually stands for.
        case file, folder, link, pipe, socket
        /// What stands for a device.
        case characterDevice = "character device"
        case blockDevice = "block device"
        /// None of these.
        case unknown = "thing of an unknown sort"
    }

    /// Its sort.
    public let sort: Sort
    /// How it is known again.
    public let identity: FileIdentity

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
        identity = FileIdentity(
            device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino), size: Int64(raw.st_size),
            modified: Int64(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_mtim.tv_nsec),
            boot: ProcessTable.boot)
    }

    /// What an open file is.
    public init(of file: borrowing Descriptor, _ name: String) throws(SystemError) {
        let descriptor = file.rawValue
        var raw = stat()
        try SystemError.check("looking at", name) { unsafe fstat(descriptor, &raw) }
        self.init(raw)
    }

    /// What a name in an open folder stands for; nil where there is no such name. A link is followed on
    /// request.
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

/// Bytes that can still be written where an open file or folder lies.
public func freeBytes(at place: borrowing Descriptor) throws(SystemError) -> Int64 {
    let descriptor = place.rawValue
    var raw = statvfs()
    try SystemError.check("asking for the free space of", "the file system") {
        unsafe fstatvfs(descriptor, &raw)
    }
    return Int64(
        clamping: UInt64(raw.f_bavail).multipliedReportingOverflow(by: UInt64(raw.f_frsize)).partialValue)
}
