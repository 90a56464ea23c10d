// FileSystem: what a command asks of files that its user names, by the kernel's own names (PathBytes): a name need not be UTF-8,
// which Foundation's functions ask for. Each function is a call or two; errors are nil, or a SystemError. No state.
//
// `unsafe` here: paths lent to C, and structs that it fills in, for the length of a call.
internal import CLinux
internal import Glibc
internal import Media
internal import Platform
internal import Text
internal import Wire

/// The file system.
enum FileSystem {
    /// The identity of a file, its size and its time.
    struct Status: Hashable, Sendable {
        let isFolder: Bool
        let device: UInt64, inode: UInt64
        let size: Int64
        /// When it was last written, in nanoseconds since 1970.
        let modified: Int64
    }

    /// The status of a path's file, with links followed; nil if there is none.
    static func status(_ path: String) -> Status? {
        var raw = stat()
        guard unsafe stat(path.nameBytes, &raw) == 0 else { return nil }
        return Status(
            isFolder: raw.st_mode & S_IFMT == S_IFDIR, device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino),
            size: Int64(raw.st_size),
            modified: Int64(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_mtim.tv_nsec))
    }

    /// Whether a path leads to something.
    static func exists(_ path: String) -> Bool { status(path) != nil }

    /// Whether a path leads to a folder.
    static func isFolder(_ path: String) -> Bool { status(path)?.isFolder ?? false }

    /// The names in a folder; none where it cannot be read.
    static func names(in folder: String) -> [String] {
        Kernel.names(in: folder).filter { $0 != "." && $0 != ".." }
    }

    /// All bytes of a file.
    static func contents(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try Descriptor(opening: path, O_RDONLY)
        let raw = file.rawValue
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try SystemError.check("reading", path) { unsafe read(raw, &piece, piece.count) }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }

    /// Writes a file whole: under another name first, so that readers never see a partial file.
    static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let draft = path + ".\(getpid()).part"
        let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
        let raw = file.rawValue
        do throws(SystemError) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = try SystemError.check("writing", path) {
                    unsafe rest.withUnsafeBytes { unsafe Glibc.write(raw, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            }
            try SystemError.check("renaming", path) { unsafe rename(draft.nameBytes, path.nameBytes) }
        } catch {
            _ = unsafe unlink(draft.nameBytes)
            throw error
        }
    }

    /// Makes a folder, and those above it that are missing.
    static func makeFolder(_ path: String) throws(SystemError) {
        if isFolder(path) { return }
        let parent = BatchNames.folder(of: path)
        if parent != path, parent != "/" { try makeFolder(parent) }
        do throws(SystemError) {
            try SystemError.check("making the folder", path) { unsafe mkdir(path.nameBytes, 0o777) }
        } catch {
            guard error.code == EEXIST, isFolder(path) else { throw error }
        }
    }

    /// The working folder, absolute.
    static var workingFolder: String {
        guard let bytes = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(bytes) }
        return unsafe PathBytes.text(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
    }
}
