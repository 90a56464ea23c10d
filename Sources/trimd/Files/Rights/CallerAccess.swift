// What a caller other than the daemon's own user proves for a request: the input and the output's folder, opened
// by themselves. trimd opens the same paths beneath its roots and goes on only where both are one file and one
// folder, so that it never does for a user what the kernel would not let them do. It borrows the descriptors
// and owns what it opens. On a lane of the user who asks (PathLanes), since a file of a user's own file system may keep
// whoever looks at it waiting.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The rights shown with one request.
struct CallerAccess: Sendable {
    /// Who asks.
    let peer: PeerCredentials
    /// The user trimd runs as.
    let own: UInt32
    /// Where trimd acts for others.
    let roots: Roots
    /// What came with the request: the input, then the output's folder.
    let descriptors: Descriptors

    /// Whether rights have to be shown at all: root and the daemon's own user need none.
    var isNeeded: Bool { peer.uid != 0 && peer.uid != own }

    /// The source at a path, where this user could open it for reading.
    func source(_ path: String) throws(MediaError) -> OpenedFile {
        try file(path, "the input", descriptor: 0)
    }

    /// A picture that is to be put into the output, where this user could open it for reading: what it is, for later.
    func artwork(_ path: String) throws(MediaError) -> OpenedFile {
        try file(path, "the artwork", descriptor: 2)
    }

    /// A finished file that is to be judged, where this user could open it for reading.
    func judged(_ path: String) throws(MediaError) -> OpenedFile {
        try file(path, "the output", descriptor: 2)
    }

    private func file(
        _ path: String, _ what: String, descriptor: Int
    ) throws(MediaError) -> OpenedFile {
        try AbsolutePath.check(path, what)
        guard isNeeded else { return try OpenedFile(opening: path) }
        let places = try places(of: path, in: roots.read, "read")
        let shown = try shown(descriptor, what, path)
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: shown, path) }
        guard status.sort == .file else {
            throw MediaError(
                .notARegularFile, "\(path) is a \(status.sort.rawValue), not a file",
                remedy: "give the path of a film or a sound file")
        }
        for place in places {
            guard let found = try? Roots.open(place, trim_O_PATH),
                let own = try? FileStatus(of: found, path), own.identity.isSameFile(as: status.identity),
                let file = try? InputFile(reopening: found, path)
            else { continue }
            return OpenedFile(file)
        }
        throw refusal(
            places, "\(path) cannot be opened there by trimd as the file that you opened",
            remedy:
                "let the user trimd runs as (\(own)) read it and enter its folders; no link may lead out of the root"
        )
    }

    /// The output's folder, where this user may make files in it and trimd may too; what it is, for later.
    func folder(_ path: String) throws(MediaError) -> OutputFolder {
        guard isNeeded else { return try OutputFolder(opening: path) }
        let places = try places(of: path, in: roots.write, "write")
        let shown = try shown(1, "the output's folder", path)
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: shown, path) }
        guard status.sort == .folder else {
            throw MediaError(.notAFolder, "\(path) is a \(status.sort.rawValue), not a folder")
        }
        for place in places {
            guard let found = try? Roots.open(place, O_RDONLY | O_DIRECTORY | O_NONBLOCK),
                let own = try? FileStatus(of: found, path), own.identity.isSameFile(as: status.identity)
            else { continue }
            let rights = try forUser(path) { () throws(SystemError) in try FolderRights(of: found, path) }
            guard rights.allowsWriting(by: peer) else {
                throw refusal(
                    [place], "you may not write in \(path)", remedy: "name a folder in which you may")
            }
            guard (try? Kernel.checkWritable(found, path)) != nil else {
                throw refusal(
                    [place], "trimd may not write in \(path)",
                    remedy: "let the user trimd runs as (\(self.own)) write there, by a group or setfacl")
            }
            return OutputFolder(adopting: found, path)
        }
        throw refusal(
            places, "\(path) cannot be opened there by trimd as the folder that you opened",
            remedy: "let the user trimd runs as (\(own)) read and enter it; no link may lead out of the root")
    }

    private func places(
        of path: String, in list: [String], _ act: String
    ) throws(MediaError) -> [Roots.Place] {
        let places = Roots.places(of: path, in: list)
        guard places.isEmpty else { return places }
        let known =
            list.isEmpty
            ? "there is none to \(act) beneath" : "to \(act) there is \(list.joined(separator: ", "))"
        throw MediaError(
            .permissionDenied, "refused by policy: \(path) lies beneath no root of this trimd; \(known)",
            remedy: "move it there, use --standalone, or have `roots` in trimd.json extended")
    }

    /// A descriptor that was passed, where it proves the right to read.
    private func shown(_ index: Int, _ what: String, _ path: String) throws(MediaError) -> Descriptor {
        if let type = descriptors.refused[index] {
            throw MediaError(
                .notARegularFile, "the descriptor of \(what) is a \(type), not a file or folder: \(path)")
        }
        if descriptors.loss == .share {
            throw MediaError(
                .limitReached, "you have too many descriptors open in trimd at once",
                remedy: "wait for the answers to what you have asked")
        }
        guard !descriptors.truncated, let shown = descriptors.take(index) else {
            throw MediaError(
                .permissionDenied,
                "refused by policy: no descriptor of \(what) came with the request: \(path)",
                remedy: "open it and pass it with the request (SCM_RIGHTS), as trimctl does")
        }
        let flags = fcntl(shown.rawValue, F_GETFL)
        guard flags >= 0, flags & trim_O_PATH == 0, flags & O_ACCMODE != O_WRONLY else {
            throw MediaError(
                .permissionDenied,
                "refused by policy: the descriptor of \(what) is not open for reading: \(path)",
                remedy: "open it with O_RDONLY; O_PATH proves no right")
        }
        return shown
    }

    private func refusal(_ places: [Roots.Place], _ what: String, remedy: String) -> MediaError {
        let roots = places.map(\.root).joined(separator: ", ")
        return MediaError(
            .permissionDenied, "refused by policy: beneath the root \(roots), \(what)", remedy: remedy)
    }
}
