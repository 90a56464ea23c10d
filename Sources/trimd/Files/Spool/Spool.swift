// Spool: files of clients that have no path: input that comes from a pipe, and verified output that goes into one. They lie in the
// state folder, where only trimd can open them; what a client may do follows from the user's number in the folder's name. A
// folder lives as long as the connection that opened it: jobs that use it are cancelled with it. Files that a crash leaves are removed
// at the next start. It reads no byte of media. Any thread; it may wait for the disk of the state folder.
internal import FoundationEssentials
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Wire

/// The spool.
final class Spool: Sendable {
    /// A folder whose client is gone, and the jobs that use it.
    struct Abandoned: Sendable {
        let folder: String
        let jobs: [Int64]
    }

    private struct Folder {
        let user: UInt32
        let client: ObjectIdentifier
        var bytes: Int64 = 0
        var jobs: [Int64] = []
    }

    let root: SpoolRoot
    /// Bytes of input that one user may have here at once.
    private let limit: Int64
    private let folders = Mutex<[String: Folder]>([:])

    /// The most folders of a user.
    static let mostFolders = 64
    /// Bytes that stay free on the disk, for the queue.
    private static let spared: Int64 = 256 << 20
    private static let inputName = "stdin"

    /// A spool in a folder that exists. Files in it are of an earlier daemon, and are removed.
    init(in root: SpoolRoot, limit: Int64) {
        self.root = root
        self.limit = limit
        for name in Kernel.names(in: root.path) where name != "." && name != ".." {
            remove(root.path + "/" + name)
        }
    }

    /// Opens a folder for a client.
    func open(for caller: Caller, _ client: ObjectIdentifier) throws(MediaError) -> SpoolResult {
        let folder = root.folder(of: caller.uid, UInt64.random(in: .min ... .max))
        let isFree = folders.withLock { folders in
            guard folders.values.count(where: { $0.user == caller.uid }) < Spool.mostFolders else {
                return false
            }
            folders[folder] = Folder(user: caller.uid, client: client)
            return true
        }
        guard isFree else {
            throw MediaError(
                .limitReached, "you have \(Spool.mostFolders) exports from or to a pipe already",
                remedy: "wait until one has ended")
        }
        let input = folder + "/" + Spool.inputName
        do throws(MediaError) {
            try forUser(folder) { () throws(SystemError) in
                _ = try Kernel.makeFolder(folder, mode: 0o700)
                _ = try Descriptor(opening: input, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            }
        } catch {
            remove(folder)
            throw error
        }
        return SpoolResult(folder: folder + "/", input: input, limit: limit)
    }

    /// `spool.write`: appends to an input.
    func write(_ params: SpoolWriteParams, _ caller: Caller) throws(MediaError) -> SpoolWritten {
        let folder = try self.folder(of: params.path, caller)
        guard params.path == folder + "/" + Spool.inputName else { throw Spool.missing(params.path) }
        guard let data = Data(base64Encoded: params.data), data.count <= SpoolWriteParams.mostBytes else {
            throw MediaError(
                .invalidRequest,
                "data: is not at most \(SpoolWriteParams.mostBytes) bytes in Base64")
        }
        let bytes = try reserve(Int64(data.count), in: folder)
        try forUser(params.path) { () throws(SystemError) in
            let file = try Descriptor(opening: params.path, O_WRONLY | O_APPEND | O_NOFOLLOW)
            guard try freeBytes(at: file) >= Spool.spared + Int64(data.count) else {
                throw SystemError("writing", params.path, code: ENOSPC)
            }
            try Kernel.write(Array(data), to: file, params.path)
        }
        return SpoolWritten(bytes: bytes)
    }

    /// `spool.read`: the bytes of an output from an offset on.
    func read(_ params: SpoolReadParams, _ caller: Caller) throws(MediaError) -> SpoolPiece {
        _ = try folder(of: params.path, caller)
        let bytes = try forUser(params.path) { () throws(SystemError) in
            let file = try Descriptor(opening: params.path, O_RDONLY | O_NOFOLLOW)
            return try Kernel.read(file, SpoolWriteParams.mostBytes, at: params.offset)
        }
        return SpoolPiece(data: Data(bytes).base64EncodedString())
    }

    /// Notes a job that uses paths here: it ends with their client.
    func note(_ job: Int64, uses paths: [String?]) {
        for folder in Set(paths.compactMap { $0.flatMap(root.folder) }) {
            folders.withLock { $0[folder]?.jobs.append(job) }
        }
    }

    /// Takes the folders of a client that has disconnected: the caller cancels the jobs, then removes the folders.
    func abandon(_ client: ObjectIdentifier) -> [Abandoned] {
        folders.withLock { folders in
            let gone = folders.filter { $0.value.client == client }
            for folder in gone.keys { folders[folder] = nil }
            return gone.map { Abandoned(folder: $0, jobs: $1.jobs) }
        }
    }

    /// Removes a folder with its files; a missing one is no error.
    func remove(_ folder: String) {
        folders.withLock { $0[folder] = nil }
        for name in Kernel.names(in: folder) where name != "." && name != ".." {
            try? Kernel.remove(folder + "/" + name)
        }
        try? Kernel.removeFolder(folder)
    }

    /// The open folder of a path, if this caller may use it.
    private func folder(of path: String, _ caller: Caller) throws(MediaError) -> String {
        guard let folder = root.folder(of: path), let known = folders.withLock({ $0[folder] }),
            caller.sees(jobsOf: known.user)
        else { throw Spool.missing(path) }
        return folder
    }

    /// Counts bytes before they are written; returns the folder's count.
    private func reserve(_ count: Int64, in folder: String) throws(MediaError) -> Int64 {
        let bytes: Int64? = folders.withLock { folders in
            guard let user = folders[folder]?.user else { return 0 }
            let all = folders.values.reduce(into: Int64(0)) { if $1.user == user { $0 += $1.bytes } }
            guard all + count <= limit else { return nil }
            folders[folder]?.bytes += count
            return folders[folder]?.bytes ?? 0
        }
        if let bytes { return bytes }
        throw MediaError(
            .limitReached, "more than \(limit >> 20) MiB came through a pipe, which is limits.spoolMiB",
            remedy: "write the input to a file and export that, or raise limits.spoolMiB in trimd.json")
    }

    private static func missing(_ path: String) -> MediaError {
        MediaError(
            .fileNotFound, "\(path) is no open file of the spool",
            remedy: "it lives as long as the connection that asked for it with spool.open")
    }
}
