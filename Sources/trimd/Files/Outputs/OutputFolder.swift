// OutputFolder: a folder that is held open, so that every step of an output happens in the same folder, whatever happens to its
// path. It checks names, and renames files without losing another one. It owns its descriptor, is used on its owner's queue,
// and has no state about jobs.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// An output's folder, held open.
struct OutputFolder: ~Copyable {
    let path: String
    let descriptor: Descriptor

    /// Opens an existing folder.
    init(opening path: String) throws(MediaError) {
        do throws(SystemError) {
            descriptor = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
        } catch {
            var error = MediaError(SystemError("opening the output's folder", path, code: error.code), path)
            if error.code == .fileNotFound { error.remedy = "make it first" }
            throw error
        }
        self.path = path
    }

    /// Takes ownership of an open folder.
    init(adopting descriptor: consuming Descriptor, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens the folder of an accepted job; throws if another user passed it and it has changed since.
    static func of(_ target: OutputTarget) throws(MediaError) -> OutputFolder {
        let folder = try OutputFolder(opening: target.folder)
        guard let then = target.place else { return folder }
        if try folder.storedIdentity().isSame(asShown: then) { return folder }
        throw MediaError(
            .permissionDenied,
            "refused by policy: \(target.folder) is another folder than when the job was accepted, or has another owner, group "
                + "or mode",
            remedy: "submit the job again")
    }

    /// The identity of the folder and its rights.
    func storedIdentity() throws(MediaError) -> StoredIdentity {
        let identity = try forUser(path) { () throws(SystemError) in
            try FileStatus(of: descriptor, path).identity
        }
        return StoredIdentity(identity, rights: try rights())
    }

    /// The rights that decide who may write in it.
    func rights() throws(MediaError) -> FolderRights {
        try forUser(path) { () throws(SystemError) in try FolderRights(of: descriptor, path) }
    }

    /// Throws if a file may not be replaced on behalf of another user: in a sticky folder only a file's owner may replace it,
    /// and trimd owns the outputs of all users.
    func checkReplacing(_ name: String) throws(MediaError) {
        let path = path(of: name)
        let found = try forUser(path) { () throws(SystemError) in try FileStatus(of: name, in: descriptor) }
        guard found != nil, try rights().isSticky else { return }
        throw MediaError(
            .permissionDenied,
            "refused by policy: \(path) exists, and nothing is replaced for others in a sticky folder",
            remedy: "name another one")
    }

    /// The path of a name in the folder.
    func path(of name: String) -> String { path == "/" ? "/" + name : path + "/" + name }

    /// Throws if this process may not create a file in it.
    func checkWritable() throws(MediaError) {
        try forUser(path) { () throws(SystemError) in try Kernel.checkWritable(descriptor, path) }
    }

    /// Its path without symbolic links, which the queue uses as a key; the path that was opened if the kernel does not report
    /// one.
    var canonicalPath: String { Kernel.noted(at: "/proc/self/fd/\(descriptor.rawValue)") ?? path }

    /// Makes a system call on a file that trimd itself keeps in it; on failure, the error names the file, or the folder if that was
    /// removed.
    @discardableResult
    func onOwnFile<Result: ~Copyable>(
        _ name: String, _ call: () throws(SystemError) -> Result
    ) throws(MediaError) -> Result {
        do throws(SystemError) {
            return try call()
        } catch {
            // So the kernel calls a folder that is open and has no name any more.
            guard error.code == ENOENT, canonicalPath.hasSuffix(" (deleted)") else {
                throw MediaError(error, path(of: name))
            }
            throw MediaError(
                .fileNotFound, "the output's folder was removed: \(path)",
                remedy: "create it, then retry the job")
        }
    }

    /// How many numbers are offered to the queue at once: more than one, since other jobs may want the same.
    private static let offered = 8

    /// The name that the queue is to reserve for an output: the requested name, or numbers whose names are free.
    /// - Parameters:
    ///   - type: the most likely extension of the output, out of `types`.
    ///   - taken: the numbers that are reserved for other jobs' outputs.
    func name(
        for target: OutputTarget, fileType type: String, of types: [String],
        taken: (_ folder: String, _ stem: String) throws(MediaError) -> Set<Int>
    ) throws(MediaError) -> OutputName {
        let folder = canonicalPath
        if let name = target.name {
            return .named(folder: folder, name: name, replaces: target.overwrite)
        }
        let taken = try taken(folder, target.stem)
        var free: [Int] = []
        for number in 1...OutputFile.mostNumbers where !taken.contains(number) {
            let name = FileName.numbered(target.stem, number, type)
            let found = try forUser(self.path(of: name)) { () throws(SystemError) in
                try FileStatus(of: name, in: descriptor)
            }
            if found == nil { free.append(number) }
            if free.count == OutputFolder.offered { break }
        }
        guard !free.isEmpty else { throw OutputFile.tooMany(self.path(of: target.stem)) }
        return .numbered(folder: folder, stem: target.stem, free: free, fileTypes: types)
    }

    /// Throws if the disk is nearly full.
    func checkSpace() throws(MediaError) {
        let free = try forUser(path) { () throws(SystemError) in try freeBytes(at: descriptor) }
        guard free >= 1 << 20 else {
            throw MediaError(
                .diskFull, "less than 1 MiB is free in \(path)", remedy: "make room there")
        }
    }

    /// The file that a name leads to; nil: there is none.
    func identity(of name: String) throws(MediaError) -> FileIdentity? {
        try forUser(path(of: name)) { () throws(SystemError) in
            try FileStatus(of: name, in: descriptor, following: true)?.identity
        }
    }

    /// Throws if an output may not have this name: it is the input, it exists, or it is not a regular file.
    func checkName(_ name: String, overwrite: Bool, source: FileIdentity) throws(MediaError) {
        let path = path(of: name)
        if let meant = try identity(of: name), meant.isSameFile(as: source) {
            throw MediaError(
                .outputIsInput, "the output is the input: \(path)", remedy: "give the output another name")
        }
        let found = try forUser(path) { () throws(SystemError) in try FileStatus(of: name, in: descriptor) }
        guard let found else { return }
        guard overwrite else {
            throw MediaError(
                .fileAlreadyExists, "the output exists: \(path)",
                remedy: found.sort == .folder ? "add a file's name" : "name another one, or give --overwrite")
        }
        guard found.sort == .file || found.sort == .link else {
            throw MediaError(
                .fileAlreadyExists,
                "the output is a \(found.sort.rawValue), which is never replaced: \(path)",
                remedy: "name another one")
        }
    }

    /// Renames a file within the folder. Without `replacing`, an existing name is EEXIST.
    func rename(_ old: String, to new: String, replacing: Bool) throws(SystemError) {
        if replacing { return try Kernel.rename(old, to: new, in: descriptor) }
        try Kernel.renameWithoutReplacing(old, to: new, in: descriptor)
    }

    /// Removes a name; a missing name is no error.
    func remove(_ name: String) throws(SystemError) {
        do throws(SystemError) {
            try Kernel.remove(name, in: descriptor)
        } catch {
            if error.code != ENOENT { throw error }
        }
    }

    /// Renames and removals so far survive a power loss once this returns.
    func sync() throws(MediaError) {
        try forUser(path) { () throws(SystemError) in try Kernel.sync(descriptor, path) }
    }
}
