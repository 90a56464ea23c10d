// OutputFile: the output of one attempt, from its temporary file to its name. Until `publish` nobody sees it
// under the name that was asked for; from then on it is whole and on the disk. It owns the folder's and the
// file's descriptors and lives on its job's queue. Who fails or cancels calls `discard`; nothing is removed
// by itself.
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// One attempt's output.
struct OutputFile: ~Copyable {
    let folder: OutputFolder
    let target: OutputTarget
    /// The file's name until it is published.
    let temporaryName: String
    /// The temporary file, open for reading and writing.
    let descriptor: Descriptor
    let identity: FileIdentity

    /// Makes the temporary file, readable by nobody else, after judging folder, space and name.
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
            // An error does not tell that there is no file; the name is this attempt's own.
            if error.code != EEXIST { try? folder.remove(name) }
            throw MediaError(error, path)
        }
        do throws(SystemError) {
            identity = try FileStatus(of: file, path).identity
        } catch {
            // Nobody has it yet who could discard it.
            try? folder.remove(name)
            throw MediaError(error, path)
        }
        descriptor = file
        temporaryName = name
        self.folder = folder
        self.target = target
    }

    /// The temporary file of an attempt that a crash interrupted, if it is still there and still the same.
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

    /// Sets disk space aside, so that what runs at once does not promise the same space twice. Where the file
    /// system cannot do that, this is a question only. Throws where there is not so much.
    func reserve(_ bytes: Int64) throws(MediaError) {
        guard bytes > 0 else { return }
        do throws(SystemError) {
            return try Kernel.reserve(bytes, in: descriptor, temporaryName)
        } catch {
            // More than a file may have here (RLIMIT_FSIZE): what is set aside errs upwards, so the writing tells.
            if error.code == EFBIG { return }
            guard [EOPNOTSUPP, ENOSYS, ENOSPC, EDQUOT].contains(error.code) else {
                throw MediaError(error, folder.path(of: temporaryName))
            }
            let free = try forUser(target.folder) { () throws(SystemError) in try freeBytes(at: descriptor) }
            if free >= bytes, error.code == EOPNOTSUPP || error.code == ENOSYS { return }
            let needed = (bytes + 999_999) / 1_000_000
            throw MediaError(
                .diskFull,
                "the output may need \(needed) MB, and \(free / 1_000_000) MB are free where \(target.folder) lies",
                remedy: "make room there")
        }
    }

    /// Gives back what was set aside beyond the file's end.
    func settle() throws(MediaError) {
        let size = try size()
        try forUser(folder.path(of: temporaryName)) { () throws(SystemError) in
            try Kernel.cut(descriptor, to: size, temporaryName)
        }
    }

    /// Bytes written so far.
    func size() throws(MediaError) -> Int64 {
        try forUser(target.folder) { () throws(SystemError) in
            try FileStatus(of: descriptor, "the output").identity.size
        }
    }

    /// The temporary file, opened again for reading only, for who verifies it.
    func openForReading() throws(MediaError) -> Descriptor {
        let file = try forUser(folder.path(of: temporaryName)) { () throws(SystemError) in
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

    /// Puts the bytes on the disk. An error here means that they are not there, whatever a second call would
    /// say.
    func sync() throws(MediaError) {
        try forUser(folder.path(of: temporaryName)) { () throws(SystemError) in
            try Kernel.sync(descriptor, "the output")
        }
    }

    /// Gives the file its final mode and its name, and syncs the folder. `record` writes down what is about
    /// to happen, before it does; it may be called again with another name. Returns the name.
    func publish(
        fileType: String, mode: mode_t, source: FileIdentity,
        record: (Publication) throws(MediaError) -> Void
    ) throws(MediaError) -> String {
        let path = folder.path(of: temporaryName)
        let file = descriptor.rawValue
        let rights = target.place == nil ? nil : try folder.rights()
        // For another user it is as the folder is. A setgid folder has given it the group already; where trimd is not
        // of that group, it keeps its own.
        if let rights { _ = fchown(file, .max, rights.group) }
        try forUser(path) { () throws(SystemError) in
            _ = try SystemError.check("setting the mode of", path) { fchmod(file, rights?.fileMode ?? mode) }
        }
        let replaces = target.overwrite && target.name != nil
        // Not before its own number: those are of jobs that were accepted earlier.
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
                // Another job's output is to have this name.
                if error.code == .fileAlreadyExists, target.name == nil { continue }
                throw error
            }
            do throws(SystemError) {
                try folder.rename(temporaryName, to: name, replacing: replaces)
            } catch {
                // An error does not tell that nothing was done (NFS says one where an answer was lost).
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

    /// The error of a stem whose numbers are used up.
    static func tooMany(_ path: String) -> MediaError {
        MediaError(
            .fileAlreadyExists, "\(path) has \(OutputFile.mostNumbers) numbered outputs already",
            remedy: "name the output")
    }

    /// The name survives a power cut once this returns. Where that cannot be had, nobody knows what a power cut would leave:
    /// the attempt has failed, and nothing of it stays, unless there is nothing any more that it replaced.
    private func settled(_ name: String, replacing replaces: Bool) throws(MediaError) -> String {
        do throws(MediaError) {
            try folder.sync()
        } catch {
            if !replaces, hasName(name) { try? folder.remove(name) }
            throw error
        }
        return name
    }

    /// Whether a name of the folder is this file's.
    private func hasName(_ name: String) -> Bool {
        guard let found = try? FileStatus(of: name, in: folder.descriptor) else { return false }
        return found.identity.isSameFile(as: identity)
    }

    /// So many numbered names are tried.
    static let mostNumbers = 9999

    private func isTaken(_ name: String) throws(MediaError) -> Bool {
        try forUser(folder.path(of: name)) { () throws(SystemError) in
            try FileStatus(of: name, in: folder.descriptor) != nil
        }
    }

    /// Removes the temporary file.
    func discard() throws(MediaError) {
        try forUser(folder.path(of: temporaryName)) { () throws(SystemError) in
            try folder.remove(temporaryName)
        }
    }
}
