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
        /// Not root's, nor the daemon's own user's.
        let isStrangers: Bool
        let client: ObjectIdentifier
        var bytes: Int64 = 0
        var jobs: [Int64] = []
    }

    let root: SpoolRoot
    /// Bytes of input that one user may have here at once.
    private let limit: Int64
    /// The bytes that are free where a file lies.
    private let free: @Sendable (borrowing Descriptor) throws(SystemError) -> Int64
    private let folders = Mutex<[String: Folder]>([:])

    /// The most folders of a user.
    static let mostFolders = 64
    /// Bytes that stay free on the disk, for the queue.
    private static let spared: Int64 = 256 << 20
    /// The part of what is free that the input of a stranger may take.
    private static let strangersPart: Int64 = 10
    private static let inputName = "stdin"

    /// A spool in a folder that exists. Files in it are of an earlier daemon, and are removed.
    init(
        in root: SpoolRoot, limit: Int64,
        free: @escaping @Sendable (borrowing Descriptor) throws(SystemError) -> Int64 = {
            file throws(SystemError) in
            try freeBytes(at: file)
        }
    ) {
        self.root = root
        self.limit = limit
        self.free = free
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
            folders[folder] = Folder(user: caller.uid, isStrangers: !caller.seesAll, client: client)
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
        let file = try forUser(params.path) { () throws(SystemError) in
            try Descriptor(opening: params.path, O_WRONLY | O_APPEND | O_NOFOLLOW)
        }
        let free = try forUser(params.path) { () throws(SystemError) in try self.free(file) }
        let bytes = try reserve(Int64(data.count), in: folder, free: free)
        try forUser(params.path) { () throws(SystemError) in
            guard free >= Spool.spared + Int64(data.count) else {
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
    private func reserve(_ count: Int64, in folder: String, free: Int64) throws(MediaError) -> Int64 {
        let answer = folders.withLock { folders -> Result<Int64, MediaError> in
            guard let own = folders[folder] else { return .success(0) }
            let all = folders.values.reduce(into: Int64(0)) { if $1.user == own.user { $0 += $1.bytes } }
            guard all + count <= limit else {
                return .failure(
                    MediaError(
                        .limitReached,
                        "more than \(limit >> 20) MiB came through a pipe, which is limits.spoolMiB",
                        remedy: Spool.remedy + ", or raise limits.spoolMiB in trimd.json"))
            }
            let share = (all + free) / Spool.strangersPart
            guard !own.isStrangers || all + count <= share else {
                return .failure(
                    MediaError(
                        .limitReached,
                        "more than \(share >> 20) MiB came through a pipe, which is a tenth of what is free where trimd keeps them",
                        remedy: Spool.remedy + ", or use --standalone"))
            }
            folders[folder]?.bytes += count
            return .success(own.bytes + count)
        }
        return try answer.get()
    }

    private static let remedy = "write the input to a file and export that"

    private static func missing(_ path: String) -> MediaError {
        MediaError(
            .fileNotFound, "\(path) is no open file of the spool",
            remedy: "it lives as long as the connection that asked for it with spool.open")
    }
}
