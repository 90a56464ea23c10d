// Kernel: the system calls that take C strings or fill buffers, with safe signatures, so that callers need no `unsafe`. Each is
// one call; errors are SystemErrors. No state, no policy, any thread.
//
// `unsafe` here: Swift strings and arrays lent to C for the length of a call.
internal import CLinux
public import Glibc
internal import Text

/// System calls.
public enum Kernel {
    /// Whether this process may access a path (`F_OK`, `X_OK` …).
    public static func mayAccess(_ path: String, _ how: Int32) -> Bool {
        unsafe access(path.nameBytes, how) == 0
    }

    /// Throws if this process may not create files in an open folder.
    public static func checkWritable(_ folder: borrowing Descriptor, _ path: String) throws(SystemError) {
        let raw = folder.rawValue
        try SystemError.check("writing in", path) { unsafe faccessat(raw, ".", W_OK | X_OK, AT_EACCESS) }
    }

    /// Creates one folder; false if the name exists.
    public static func makeFolder(_ path: String, mode: UInt32) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try SystemError.check("making the folder", path) { unsafe mkdir(path.nameBytes, mode) }
            return true
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
    }

    /// Changes the working directory.
    public static func goTo(_ folder: String) throws(SystemError) {
        try SystemError.check("going to", folder) { unsafe chdir(folder.nameBytes) }
    }

    /// Renames within an open folder; replaces an existing file.
    public static func rename(_ old: String, to new: String, in folder: borrowing Descriptor)
        throws(SystemError)
    {
        let raw = folder.rawValue
        try SystemError.check("renaming", old) { unsafe renameat(raw, old.nameBytes, raw, new.nameBytes) }
    }

    /// Renames within an open folder without replacing; EEXIST if the name exists, EINVAL if the file system does not support
    /// this.
    public static func renameToFree(
        _ old: String, to new: String, in folder: borrowing Descriptor
    ) throws(SystemError) {
        let raw = folder.rawValue
        try SystemError.check("renaming", old) {
            unsafe trim_rename_noreplace(raw, old.nameBytes, raw, new.nameBytes)
        }
    }

    /// Renames within an open folder without replacing, on any file system; EEXIST if the name exists. Where the file system does not
    /// support RENAME_NOREPLACE (NFS, some of FUSE), the file has both names for a moment: a hard link never replaces.
    public static func renameWithoutReplacing(
        _ old: String, to new: String, in folder: borrowing Descriptor
    ) throws(SystemError) {
        do throws(SystemError) {
            try renameToFree(old, to: new, in: folder)
        } catch {
            guard error.code == EINVAL || error.code == ENOSYS || error.code == EOPNOTSUPP else {
                throw error
            }
            try link(old, new, in: folder)
            do throws(SystemError) { try remove(old, in: folder) } catch {
                if error.code != ENOENT { throw error }
            }
        }
    }

    /// Creates a hard link; EEXIST if the name exists.
    public static func link(_ old: String, _ new: String, in folder: borrowing Descriptor) throws(SystemError)
    {
        let raw = folder.rawValue
        try SystemError.check("linking", new) { unsafe linkat(raw, old.nameBytes, raw, new.nameBytes, 0) }
    }

    /// Removes a file from an open folder.
    public static func remove(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
        let raw = folder.rawValue
        try SystemError.check("removing", name) { unsafe unlinkat(raw, name.nameBytes, 0) }
    }

    /// Flushes an open file or folder to the disk.
    public static func sync(_ file: borrowing Descriptor, _ path: String) throws(SystemError) {
        let raw = file.rawValue
        try SystemError.check("syncing", path) { fsync(raw) }
    }

    /// Reserves disk space for a file, without changing its size. EOPNOTSUPP where what is reserved in excess could not be freed: btrfs
    /// frees a reservation only as a whole, so that all of it stays taken as long as the file has some of it.
    public static func reserve(_ bytes: Int64, in file: borrowing Descriptor, _ path: String)
        throws(SystemError)
    {
        let raw = file.rawValue
        guard trim_is_btrfs(raw) == 0 else {
            throw SystemError("reserving space for", path, code: EOPNOTSUPP)
        }
        try SystemError.check("reserving space for", path) { trim_fallocate_keep_size(raw, 0, bytes) }
    }

    /// Truncates a file to a size and frees reserved space beyond it.
    public static func cut(_ file: borrowing Descriptor, to size: Int64, _ path: String) throws(SystemError) {
        let raw = file.rawValue
        try SystemError.check("cutting", path) { ftruncate(raw, Int(size)) }
    }

    /// The target of a symbolic link; nil if there is none.
    public static func noted(at path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path.nameBytes, &text, text.count)
        guard count > 0 else { return nil }
        return PathBytes.text(text.prefix(count).map(UInt8.init(bitPattern:)))
    }

    /// Removes a file.
    public static func remove(_ path: String) throws(SystemError) {
        try SystemError.check("removing", path) { unsafe unlink(path.nameBytes) }
    }

    /// The names in a folder; empty if it cannot be read.
    public static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder.nameBytes) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            names.append(
                unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe PathBytes.text(Array(bytes.prefix { $0 != 0 }))
                })
        }
        return names
    }

    /// Renames a file within its file system.
    public static func rename(_ old: String, to new: String) throws(SystemError) {
        try SystemError.check("renaming", old) { unsafe Glibc.rename(old.nameBytes, new.nameBytes) }
    }

    /// A path with its symbolic links resolved; nil if it does not exist.
    public static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path.nameBytes, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe Kernel.text(text)
    }

    /// The ID of a group by its name; nil if there is none. For startup only: it uses a shared buffer.
    public static func group(_ name: String) -> UInt32? {
        guard let found = unsafe getgrnam(name) else { return nil }
        return unsafe found.pointee.gr_gid
    }

    /// An environment variable; nothing in this process changes the environment.
    public static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe Kernel.text($0) }
    }

    /// The text of a C string, which may be a file name.
    static func text(_ string: UnsafePointer<CChar>) -> String {
        unsafe PathBytes.text(UnsafeRawBufferPointer(start: string, count: strlen(string)))
    }

    /// This process's arguments, without the program's name.
    public static var words: [String] {
        let words = unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return unsafe words.dropFirst().compactMap { word in unsafe word.map { unsafe text($0) } }
    }

    /// Writes a text with one call; the write may be short.
    public static func write(_ text: String, to raw: Int32) {
        var bytes = Array(text.utf8)
        _ = unsafe Glibc.write(raw, &bytes, bytes.count)
    }

    /// Writes all bytes to a file.
    public static func write(_ bytes: [UInt8], to file: borrowing Descriptor, _ path: String)
        throws(SystemError)
    {
        let raw = file.rawValue
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try SystemError.check("writing", path) {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(raw, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// The hard limit of a resource of this process (`RLIMIT_NOFILE` …); nil: unlimited.
    public static func hardLimit(_ resource: __rlimit_resource) -> UInt64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_max != .max
        else { return nil }
        return UInt64(limit.rlim_max)
    }

    /// Writes a text to a small kernel file (procfs, cgroupfs).
    public static func set(_ path: String, _ text: String) throws(SystemError) {
        let file = try Descriptor(opening: path, O_WRONLY)
        var bytes = Array(text.utf8)
        let raw = file.rawValue
        try SystemError.check("writing \(text) to", path) { unsafe Glibc.write(raw, &bytes, bytes.count) }
    }

    /// Removes an empty folder.
    public static func removeFolder(_ path: String) throws(SystemError) {
        try SystemError.check("removing the folder", path) { unsafe rmdir(path.nameBytes) }
    }

    /// Reads at most `limit` bytes with one call, from an offset or from the file position.
    public static func read(
        _ file: borrowing Descriptor, _ limit: Int, at offset: Int64? = nil
    ) throws(SystemError) -> [UInt8] {
        let raw = file.rawValue
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try SystemError.check("reading", "descriptor \(raw)") {
            unsafe offset.map { unsafe pread(raw, &bytes, limit, Int($0)) } ?? Glibc.read(raw, &bytes, limit)
        }
        return Array(bytes.prefix(count))
    }

    /// The status of a dead child, 0 if it was reaped before; nil while it runs.
    public static func reap(_ pid: Int32) -> Int32? {
        var status: Int32 = 0
        let answer = unsafe waitpid(pid, &status, WNOHANG)
        if answer == -1, errno == ECHILD { return 0 }
        return answer == pid ? status : nil
    }

    /// The status of a dead child and the most memory that it had resident, in bytes; nil while it runs; zeros if it was
    /// reaped before.
    public static func reapMeasured(_ pid: Int32) -> (status: Int32, peak: Int64)? {
        var (status, peak): (Int32, Int64) = (0, 0)
        let answer = unsafe trim_reap(pid, &status, &peak)
        if answer == -1, errno == ECHILD { return (0, 0) }
        return answer == pid ? (status, peak) : nil
    }

    /// Gives a process that has one thread a nice value, and lets it run only while others leave processors idle.
    public static func lower(_ pid: Int32, nice: Int, isIdle: Bool) throws(SystemError) {
        if nice > 0 {
            try SystemError.check("lowering the priority of", "process \(pid)") {
                trim_set_nice(pid, Int32(nice))
            }
        }
        if isIdle {
            try SystemError.check("lowering the priority of", "process \(pid)") { trim_set_idle(pid) }
        }
    }

    /// Waits for a child to exit.
    public static func await(_ pid: Int32) { _ = waitpid(pid, nil, 0) }
}

// The calls that give a file bytes of another one: as the same blocks, or as copies.
extension Kernel {
    /// Gives a file blocks of another one, both by their descriptors, which then share them on the disk until one of the two is written to there (FICLONERANGE).
    /// Offsets and length are whole blocks. EOPNOTSUPP, EXDEV or EINVAL where the file system does not share them.
    public static func clone(
        _ length: Int64, of source: Int32, at offset: Int64, to file: Int32, at place: Int64
    ) throws(SystemError) {
        try SystemError.check("cloning blocks for", "descriptor \(file)") {
            trim_clone_range(file, place, source, offset, length)
        }
    }

    /// Bytes copied at a time where the kernel copies none between two files.
    private static let piece = 1 << 20

    /// Copies bytes of a file to another one.
    /// - Returns: how many; fewer only where the source ends.
    public static func copy(
        _ length: Int64, of source: Int32, at offset: Int64, to file: Int32, at place: Int64
    ) throws(SystemError) -> Int64 {
        var done: Int64 = 0
        var isInKernel = true
        while done < length {
            if isInKernel {
                do throws(SystemError) {
                    let count = try SystemError.check("copying to", "descriptor \(file)") {
                        trim_copy_file_range(source, offset + done, file, place + done, Int(length - done))
                    }
                    guard count > 0 else { return done }
                    done += Int64(count)
                    continue
                } catch {
                    guard [EXDEV, EINVAL, EOPNOTSUPP, ENOSYS].contains(error.code) else { throw error }
                    isInKernel = false
                }
            }
            var bytes = [UInt8](repeating: 0, count: Int(min(Int64(piece), length - done)))
            let from = Int(offset + done)
            let got = try SystemError.check("reading", "descriptor \(source)") {
                unsafe pread(source, &bytes, bytes.count, from)
            }
            guard got > 0 else { return done }
            var rest = bytes[..<got]
            while !rest.isEmpty {
                let at = Int(place + done)
                let count = try SystemError.check("writing to", "descriptor \(file)") {
                    unsafe rest.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, at) }
                }
                rest = rest.dropFirst(count)
                done += Int64(count)
            }
        }
        return done
    }

    /// The size of a block of the file system that holds a file, in bytes.
    public static func blockSize(of file: borrowing Descriptor) throws(SystemError) -> Int64 {
        let raw = file.rawValue
        var found = statvfs()
        try SystemError.check("asking for the blocks of", "the file system") {
            unsafe fstatvfs(raw, &found)
        }
        return Int64(clamping: UInt64(found.f_bsize))
    }
}
