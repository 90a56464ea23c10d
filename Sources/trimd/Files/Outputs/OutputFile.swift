// OutputFile: the output of one attempt, from its temporary file to its final name. It is invisible under the requested name
// until `publish`; from then on it is complete and on the disk. It owns the descriptors of the folder and the file and is used
// on its job's queue. After a failure or a cancellation the caller calls `discard`; nothing is removed implicitly.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The output of one attempt.
struct OutputFile: ~Copyable {
    let folder: OutputFolder
    let target: OutputTarget
    /// The file's name until it is published.
    let temporaryName: String
    /// The temporary file, open for reading and writing.
    let descriptor: Descriptor
    let identity: FileIdentity

    /// Creates the temporary file with access for its owner only, after checking folder, space and name.
    init(_ target: OutputTarget, job: Int64, attempt: Int, source: FileIdentity) throws(MediaError) {
        let folder = try OutputFolder.of(target)
        try folder.checkWritable()
        try folder.checkSpace()
        if let name = target.name { try folder.checkName(name, overwrite: target.overwrite, source: source) }
        let name = FileName.temporary(for: target.name ?? target.stem, job: job, attempt: attempt)
        let path = folder.path(of: name)
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(
                opening: name, in: folder.descriptor, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        } catch {
            // The file may exist despite the error; the name belongs to this attempt alone.
            if error.code != EEXIST { try? folder.remove(name) }
            throw MediaError(error, path)
        }
        do throws(SystemError) {
            identity = try FileStatus(of: file, path).identity
        } catch {
            // No caller has the file yet, so none can discard it.
            try? folder.remove(name)
            throw MediaError(error, path)
        }
        descriptor = file
        temporaryName = name
        self.folder = folder
        self.target = target
    }

    /// The temporary file of an attempt that a crash interrupted; nil if it is gone or replaced.
    init?(recovering publication: Publication, _ target: OutputTarget, job: Int64, attempt: Int) {
        let name = FileName.temporary(for: target.name ?? target.stem, job: job, attempt: attempt)
        guard let folder = try? OutputFolder.of(target),
            let file = try? Descriptor(opening: name, in: folder.descriptor, O_RDWR | O_NOFOLLOW),
            let status = try? FileStatus(of: file, name),
            publication.isOf(status.identity)
        else { return nil }
        identity = status.identity
        descriptor = file
        temporaryName = name
        self.folder = folder
        self.target = target
    }

    /// Reserves disk space, so that concurrent jobs do not count on the same space. Where the file system cannot reserve, this
    /// only checks the free space. Throws if there is too little.
    func reserve(_ bytes: Int64) throws(MediaError) {
        guard bytes > 0 else { return }
        do throws(SystemError) {
            return try Kernel.reserve(bytes, in: descriptor, temporaryName)
        } catch {
            // RLIMIT_FSIZE is smaller than the reservation, which is an upper estimate; writing fails if the file reaches the
            // limit.
            if error.code == EFBIG { return }
            guard [EOPNOTSUPP, ENOSYS, ENOSPC, EDQUOT].contains(error.code) else {
                throw MediaError(error, folder.path(of: temporaryName))
            }
            let free = try forUser(target.folder) { () throws(SystemError) in try freeBytes(at: descriptor) }
            if free >= bytes, error.code == EOPNOTSUPP || error.code == ENOSYS { return }
            let needed = "the output may need \((bytes + 999_999) / 1_000_000) MB"
            // There may be room, which this user may not have.
            guard error.code != EDQUOT, free < bytes else {
                throw MediaError(
                    .diskFull, "\(needed) in \(target.folder): \(SystemError.reason(error.code))",
                    remedy: "make room there, or raise the quota")
            }
            throw MediaError(
                .diskFull, "\(needed), and \(free / 1_000_000) MB are free in \(target.folder)",
                remedy: "make room there")
        }
    }

    /// Makes the file empty again, and its offset zero.
    func empty() throws(MediaError) {
        try folder.onOwnFile(temporaryName) { () throws(SystemError) in
            try Kernel.cut(descriptor, to: 0, temporaryName)
        }
        lseek(descriptor.rawValue, 0, SEEK_SET)
    }

    /// Frees the space that was reserved beyond the file's end.
    func settle() throws(MediaError) {
        let size = try size()
        try folder.onOwnFile(temporaryName) { () throws(SystemError) in
            try Kernel.cut(descriptor, to: size, temporaryName)
        }
    }

    /// Bytes written so far.
    func size() throws(MediaError) -> Int64 {
        try forUser(target.folder) { () throws(SystemError) in
            try FileStatus(of: descriptor, "the output").identity.size
        }
    }

    /// The temporary file, reopened read-only for the verifier.
    func openForReading() throws(MediaError) -> Descriptor {
        let file = try folder.onOwnFile(temporaryName) { () throws(SystemError) in
            try Descriptor(opening: temporaryName, in: folder.descriptor, O_RDONLY | O_NOFOLLOW)
        }
        let now = try forUser(target.folder) { () throws(SystemError) in
            try FileStatus(of: file, temporaryName)
        }
        guard now.identity.isSameFile(as: identity) else {
            throw MediaError(
                .inputOutput, "\(folder.path(of: temporaryName)) was replaced while it was written")
        }
        return file
    }

    /// Flushes the bytes to the disk. After an error they are lost, even if a second call succeeds.
    func sync() throws(MediaError) {
        try folder.onOwnFile(temporaryName) { () throws(SystemError) in
            try Kernel.sync(descriptor, "the output")
        }
    }

    /// Sets the file's final mode, renames it and syncs the folder. `record` stores each step before it happens; it may be
    /// called again with another name. Returns the name.
    func publish(
        fileType: String, mode: mode_t, source: FileIdentity,
        record: (Publication) throws(MediaError) -> Void
    ) throws(MediaError) -> String {
        let path = folder.path(of: temporaryName)
        let file = descriptor.rawValue
        let rights = target.place == nil ? nil : try folder.rights()
        // Another user's file gets the folder's group. A setgid folder has set it already; where trimd is not a member of the
        // group, the file keeps its own.
        if let rights { _ = fchown(file, .max, rights.group) }
        try forUser(path) { () throws(SystemError) in
            _ = try SystemError.check("setting the mode of", path) { fchmod(file, rights?.fileMode ?? mode) }
        }
        let replaces = target.overwrite && target.name != nil
        // Starts at its own number: lower ones belong to jobs that were accepted earlier.
        for number in (target.number ?? 1)...max(OutputFile.mostNumbers, target.number ?? 1) {
            let name = target.name ?? FileName.numbered(target.stem, number, fileType)
            if target.name == nil, try isTaken(name) { continue }
            if target.name != nil {
                try folder.checkName(name, overwrite: target.overwrite, source: source)
                if target.place != nil, target.overwrite { try folder.checkReplacing(name) }
            }
            do throws(MediaError) {
                try record(Publication(device: identity.device, inode: identity.inode, name: name))
            } catch {
                // The name is reserved for another job's output.
                if error.code == .fileAlreadyExists, target.name == nil { continue }
                throw error
            }
            do throws(SystemError) {
                try folder.rename(temporaryName, to: name, replacing: replaces)
            } catch {
                // The rename may have happened despite the error (NFS reports one if a reply was lost).
                if hasName(name) {
                    try? folder.remove(temporaryName)
                    return try settled(name, replacing: replaces)
                }
                if error.code == EEXIST, target.name == nil { continue }
                if error.code == EEXIST {
                    throw MediaError(
                        .fileAlreadyExists,
                        "the output exists since the export began: \(folder.path(of: name))",
                        remedy: "name another one, or give --overwrite")
                }
                throw MediaError(error, folder.path(of: name))
            }
            return try settled(name, replacing: replaces)
        }
        throw OutputFile.tooMany(folder.path(of: target.stem))
    }

    /// The error for a stem whose numbers are used up.
    static func tooMany(_ path: String) -> MediaError {
        MediaError(
            .fileAlreadyExists, "\(path) has \(OutputFile.mostNumbers) numbered outputs already",
            remedy: "name the output")
    }

    /// Makes the name durable: it survives a power loss once this returns. If the sync fails, the state after a power loss is
    /// unknown: the attempt fails and the file is removed, unless it has replaced another one.
    private func settled(_ name: String, replacing replaces: Bool) throws(MediaError) -> String {
        do throws(MediaError) {
            try folder.sync()
        } catch {
            if !replaces, hasName(name) { try? folder.remove(name) }
            throw error
        }
        return name
    }

    /// Whether a name in the folder refers to this file.
    private func hasName(_ name: String) -> Bool {
        guard let found = try? FileStatus(of: name, in: folder.descriptor) else { return false }
        return found.identity.isSameFile(as: identity)
    }

    /// The number of numbered names that are tried.
    static let mostNumbers = 9999

    /// The file that it is to replace; nil: none.
    func replaced() throws(MediaError) -> FileIdentity? {
        guard target.overwrite, let name = target.name else { return nil }
        return try folder.identity(of: name)
    }

    private func isTaken(_ name: String) throws(MediaError) -> Bool {
        try forUser(folder.path(of: name)) { () throws(SystemError) in
            try FileStatus(of: name, in: folder.descriptor) != nil
        }
    }

    /// Removes the temporary file.
    func discard() throws(MediaError) {
        try folder.onOwnFile(temporaryName) { () throws(SystemError) in
            try folder.remove(temporaryName)
        }
    }
}
