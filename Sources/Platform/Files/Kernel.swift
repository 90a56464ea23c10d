// Kernel: the system calls that take C strings or fill buffers, under safe signatures, so that
// `unsafe` need not be said where they are used. Each is one call; errors are SystemErrors. No state, no
// policy, any thread.
//
// `unsafe` here: Swift strings and arrays lent to C for the length of a call.
internal import CLinux
public import Glibc
internal import Media

/// System calls.
public enum Kernel {
    /// Whether this process may do something with a path (`F_OK`, `X_OK` …).
    public static func mayAccess(_ path: String, _ how: Int32) -> Bool {
        unsafe access(path.nameBytes, how) == 0
    }

    /// Throws where this process may not make files in an open folder.
    public static func checkWritable(_ folder: borrowing Descriptor, _ path: String) throws(SystemError) {
        let raw = folder.rawValue
        try SystemError.check("writing in", path) { unsafe faccessat(raw, ".", W_OK | X_OK, AT_EACCESS) }
    }

    /// Makes one folder; false where something has its name.
    public static func makeFolder(_ path: String, mode: UInt32) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try SystemError.check("making the folder", path) { unsafe mkdir(path.nameBytes, mode) }
            return true
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
    }

    /// Makes a folder the one in which relative paths begin.
    public static func goTo(_ folder: String) throws(SystemError) {
        try SystemError.check("going to", folder) { unsafe chdir(folder.nameBytes) }
    }

    /// Gives a name in an open folder another one, which loses what it stood for.
    public static func rename(_ old: String, to new: String, in folder: borrowing Descriptor)
        throws(SystemError)
    {
        let raw = folder.rawValue
        try SystemError.check("renaming", old) { unsafe renameat(raw, old.nameBytes, raw, new.nameBytes) }
    }

    /// Gives a name in an open folder another one; EEXIST where that is taken, EINVAL where the file system
    /// cannot tell.
    public static func renameToFree(
        _ old: String, to new: String, in folder: borrowing Descriptor
    ) throws(SystemError) {
        let raw = folder.rawValue
        try SystemError.check("renaming", old) {
            unsafe trim_rename_noreplace(raw, old.nameBytes, raw, new.nameBytes)
        }
    }

    /// Gives a file a second name; EEXIST where that is taken.
    public static func link(_ old: String, _ new: String, in folder: borrowing Descriptor) throws(SystemError)
    {
        let raw = folder.rawValue
        try SystemError.check("linking", new) { unsafe linkat(raw, old.nameBytes, raw, new.nameBytes, 0) }
    }

    /// Removes a name of a file in an open folder.
    public static func remove(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
        let raw = folder.rawValue
        try SystemError.check("removing", name) { unsafe unlinkat(raw, name.nameBytes, 0) }
    }

    /// Puts an open file or folder on the disk.
    public static func sync(_ file: borrowing Descriptor, _ path: String) throws(SystemError) {
        let raw = file.rawValue
        try SystemError.check("syncing", path) { fsync(raw) }
    }

    /// Sets disk space aside for a file, without changing its size.
    public static func reserve(_ bytes: Int64, in file: borrowing Descriptor, _ path: String)
        throws(SystemError)
    {
        let raw = file.rawValue
        try SystemError.check("reserving space for", path) { trim_fallocate_keep_size(raw, 0, bytes) }
    }

    /// Makes a file end at a size, with nothing set aside beyond.
    public static func cut(_ file: borrowing Descriptor, to size: Int64, _ path: String) throws(SystemError) {
        let raw = file.rawValue
        try SystemError.check("cutting", path) { ftruncate(raw, Int(size)) }
    }

    /// Makes a symbolic link to a text, which need not be a path of anything.
    public static func note(_ text: String, at path: String) throws(SystemError) {
        try SystemError.check("noting", path) { unsafe symlink(text.nameBytes, path.nameBytes) }
    }

    /// The text of a symbolic link; nil where there is none.
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

    /// The names in a folder; none where it cannot be read.
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

    /// Gives a file another name in the same file system.
    public static func rename(_ old: String, to new: String) throws(SystemError) {
        try SystemError.check("renaming", old) { unsafe Glibc.rename(old.nameBytes, new.nameBytes) }
    }

    /// A path with its links followed; nil where it is not there.
    public static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path.nameBytes, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe Kernel.text(text)
    }

    /// The number of a group by its name; nil where there is none. For the start alone: it shares a buffer.
    public static func group(_ name: String) -> UInt32? {
        guard let found = unsafe getgrnam(name) else { return nil }
        return unsafe found.pointee.gr_gid
    }

    /// A variable of the environment, which nothing in this process changes.
    public static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe Kernel.text($0) }
    }

    /// The text of a C string, which may be the name of a file.
    static func text(_ string: UnsafePointer<CChar>) -> String {
        unsafe PathBytes.text(UnsafeRawBufferPointer(start: string, count: strlen(string)))
    }

    /// The words of this process's command line, the program's name left out.
    public static var words: [String] {
        let words = unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return unsafe words.dropFirst().compactMap { word in unsafe word.map { unsafe text($0) } }
    }

    /// Writes a text with one call, as far as that takes it.
    public static func write(_ text: String, to raw: Int32) {
        var bytes = Array(text.utf8)
        _ = unsafe Glibc.write(raw, &bytes, bytes.count)
    }

    /// How far a limit of this process could be raised (`RLIMIT_NOFILE` …); nil: without end.
    public static func hardLimit(_ resource: __rlimit_resource) -> UInt64? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_max != .max
        else { return nil }
        return UInt64(limit.rlim_max)
    }

    /// Gives a small file of the kernel's a new content.
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

    /// Reads at most `limit` bytes with one call, from a place in the file or from where it stands.
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

    /// The status of a child that is dead, 0 where it was taken before; nil while it lives.
    public static func reap(_ pid: Int32) -> Int32? {
        var status: Int32 = 0
        let answer = unsafe waitpid(pid, &status, WNOHANG)
        if answer == -1, errno == ECHILD { return 0 }
        return answer == pid ? status : nil
    }

    /// Waits for a child to die.
    public static func await(_ pid: Int32) { _ = waitpid(pid, nil, 0) }
}
