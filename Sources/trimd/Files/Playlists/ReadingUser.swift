// ReadingUser: the user for whom the files of a playlist are opened. The daemon's own user and root need no proof. For another, the
// folder lies beneath a root, and each folder on the way and each file grants the right by the kernel's rules: a descriptor of the
// playlist proves nothing of its neighbours. A value; any thread.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// Whose rights decide what is read.
struct ReadingUser: Sendable {
    /// The user, for turns.
    let user: UInt32
    /// The user's credentials; nil: no proof is needed.
    let peer: PeerCredentials?
    /// The folders beneath which this user's files may be read.
    let roots: [String]
    /// Files must not have changed since; nil: they may.
    let since: Moment?

    /// The most folders between a root and a file.
    private static let deepest = 64
}

extension ReadingUser {
    /// The user of a request.
    init(of access: CallerAccess) {
        user = access.peer.uid
        peer = access.isNeeded ? access.peer : nil
        roots = access.roots.read
        since = nil
    }

    /// The user of a job, with the groups that the user had when it was accepted.
    init(of job: Job, roots: Roots, own: UInt32 = geteuid()) {
        user = job.user
        let reader = job.request.reader
        let isNeeded = job.user != 0 && job.user != own
        let groups = reader?.groups ?? []
        peer =
            isNeeded
            ? PeerCredentials(pid: 0, uid: job.user, gid: groups.first ?? .max, groups: groups) : nil
        self.roots = roots.read
        since = reader?.since
    }

    /// Opens a folder as a path, if the user may enter it.
    func open(_ folder: String) throws(MediaError) -> Descriptor {
        guard let peer else {
            return try forUser(folder) { () throws(SystemError) in
                try Descriptor(opening: folder, trim_O_PATH | O_DIRECTORY)
            }
        }
        for candidate in Roots.rootedPaths(of: folder, in: roots) {
            guard let found = try? Roots.open(candidate, trim_O_PATH | O_DIRECTORY) else { continue }
            try checkWay(to: found, folder, root: candidate.root, peer)
            return found
        }
        throw MediaError(
            .permissionDenied, "refused by policy: \(folder) is not under a root of this trimd",
            remedy: "move the playlist and its files there, or use --standalone")
    }

    /// Opens a file as a path, if the user may enter its folder. A link in a root leads to folders that nobody has asked about, and is
    /// refused.
    func openFile(_ path: String) throws(MediaError) -> Descriptor {
        guard peer != nil, let (folder, name) = FileName.split(path) else {
            return try forUser(path) { () throws(SystemError) in try Descriptor(opening: path, trim_O_PATH) }
        }
        let place = try open(folder)
        let handle = try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: name, in: place, trim_O_PATH | O_NOFOLLOW)
        }
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: handle, path) }
        guard status.sort != .link else {
            throw MediaError(
                .permissionDenied, "refused by policy: \(path) is a link", remedy: "name the file itself")
        }
        return handle
    }

    /// Throws if the user may not read a file.
    func check(_ file: borrowing Descriptor, _ path: String) throws(MediaError) {
        try require("read", file, path) { $0.allowsReading(by: $1) }
    }

    /// Throws if the user may not enter a folder.
    func checkEntering(_ folder: borrowing Descriptor, _ path: String) throws(MediaError) {
        try require("enter", folder, path) { $0.allowsEntering(by: $1) }
    }

    private func require(
        _ act: String, _ place: borrowing Descriptor, _ path: String,
        _ allows: (FolderRights, PeerCredentials) -> Bool
    ) throws(MediaError) {
        guard let peer else { return }
        let rights = try forUser(path) { () throws(SystemError) in try FolderRights(of: place, path) }
        guard allows(rights, peer) else {
            throw MediaError(
                .permissionDenied, "refused by policy: you may not \(act) \(path)",
                remedy: "let its owner give you the right to \(act) it")
        }
    }

    /// Throws if the user may not enter a folder beneath a root, or one on the way to it.
    private func checkWay(
        to folder: borrowing Descriptor, _ path: String, root: String, _ peer: PeerCredentials
    ) throws(MediaError) {
        let end = try forUser(root) { () throws(SystemError) in
            let open = try Descriptor(opening: root, trim_O_PATH | O_DIRECTORY)
            return try FileStatus(of: open, root).identity
        }
        var here = try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: ".", in: folder, O_RDONLY | O_DIRECTORY)
        }
        for _ in 0..<ReadingUser.deepest {
            try checkEntering(here, path)
            let identity = try forUser(path) { () throws(SystemError) in
                try FileStatus(of: here, path).identity
            }
            if identity.isSameFile(as: end) { return }
            here = try forUser(path) { () throws(SystemError) in
                try Descriptor(opening: "..", in: here, O_RDONLY | O_DIRECTORY)
            }
        }
        throw MediaError(.permissionDenied, "refused by policy: \(path) lies too deep beneath \(root)")
    }
}
