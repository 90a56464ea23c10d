// The access that a caller other than the daemon's own user proves for a request: descriptors of the input and the output's
// folder, which the caller opened. trimd opens the same paths beneath its roots and continues only if both refer to the same
// file and folder, so that it never does what the kernel would deny the user. It borrows the descriptors and owns what it
// opens. It runs on a lane of the caller (PathLanes), since a user's own file system can block any access.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// The access proved by one request.
struct CallerAccess: Sendable {
    /// The caller's credentials.
    let peer: PeerCredentials
    /// The user trimd runs as.
    let own: UInt32
    /// The roots beneath which trimd acts for other users.
    let roots: Roots
    /// The descriptors of the request: the input, then the output's folder.
    let descriptors: Descriptors
    /// Open what the source names, if it is a playlist.
    var lanes = PathLanes()
    /// Lists what it names.
    var lister = PlaylistLister.none

    /// Whether access has to be proved: root and the daemon's own user are exempt.
    var isNeeded: Bool { peer.uid != 0 && peer.uid != own }

    /// The source at a path, if this user could open it for reading.
    /// - Parameter sources: all sources, of which it is the first, where they are several.
    func source(_ path: String, _ sources: [SourcePart]? = nil) throws(MediaError) -> OpenedFile {
        let file = try inputFile(path, "the input", descriptor: 0)
        let files = SourceFiles(
            of: path, sources, file.identity, for: ReadingUser(of: self), lanes: lanes, lister: lister)
        return OpenedFile(file, files: files)
    }

    /// The artwork for the output, if this user could open it for reading, with its identity.
    func artwork(_ path: String) throws(MediaError) -> OpenedFile {
        OpenedFile(try inputFile(path, "the artwork", descriptor: 2, wanted: "a picture: .jpg or .png"))
    }

    /// The subtitles to draw, if this user could open them for reading, with their identity.
    /// - Parameter isThird: no other file comes before them but the input and the folder.
    func subtitles(_ path: String, isThird: Bool) throws(MediaError) -> OpenedFile {
        OpenedFile(
            try inputFile(
                path, "the subtitles", descriptor: isThird ? 2 : 3, wanted: CallerAccess.subtitleFile))
    }

    /// The words for a file of subtitles, for errors.
    static let subtitleFile = "a file of subtitles: .srt, .ass, .ssa or .vtt"

    /// The finished file to verify, if this user could open it for reading.
    func compared(_ path: String) throws(MediaError) -> OpenedFile {
        OpenedFile(try inputFile(path, "the output", descriptor: 2))
    }

    private func inputFile(
        _ path: String, _ what: String, descriptor: Int, wanted: String = InputFile.media
    ) throws(MediaError) -> InputFile {
        try AbsolutePath.check(path, what)
        guard isNeeded, !roots.isSpooled(path, for: peer.uid) else {
            return try InputFile(opening: path, what, wanted: wanted)
        }
        let candidates = try rootedPaths(of: path, in: roots.read, "read")
        let shown = try shown(descriptor, what, path)
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: shown, path) }
        guard status.sort == .file else {
            throw MediaError(
                .notARegularFile, "\(path) is a \(status.sort.rawValue), not a file",
                remedy: "give the path of \(wanted)")
        }
        for candidate in candidates {
            guard let found = try? Roots.open(candidate, trim_O_PATH),
                let own = try? FileStatus(of: found, path), own.identity.isSameFile(as: status.identity),
                let file = try? InputFile(reopening: found, path)
            else { continue }
            return file
        }
        throw refusal(
            candidates, "\(path) cannot be opened there by trimd as the file that you opened",
            remedy:
                "let the user trimd runs as (\(own)) read it and enter its folders; no link may lead out of the root"
        )
    }

    /// The output's folder, with its identity, if both this user and trimd may create files in it.
    func folder(_ path: String) throws(MediaError) -> OutputFolder {
        guard isNeeded, !roots.isSpooled(path, for: peer.uid) else { return try OutputFolder(opening: path) }
        let candidates = try rootedPaths(of: path, in: roots.write, "write")
        let shown = try shown(1, "the output's folder", path)
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: shown, path) }
        guard status.sort == .folder else {
            throw MediaError(.notAFolder, "\(path) is a \(status.sort.rawValue), not a folder")
        }
        for candidate in candidates {
            guard let found = try? Roots.open(candidate, O_RDONLY | O_DIRECTORY | O_NONBLOCK),
                let own = try? FileStatus(of: found, path), own.identity.isSameFile(as: status.identity)
            else { continue }
            let rights = try forUser(path) { () throws(SystemError) in try FolderRights(of: found, path) }
            guard rights.allowsWriting(by: peer) else {
                throw refusal(
                    [candidate], "you may not write in \(path)", remedy: "name a folder in which you may")
            }
            guard (try? Kernel.checkWritable(found, path)) != nil else {
                throw refusal(
                    [candidate], "trimd may not write in \(path)",
                    remedy: "let the user trimd runs as (\(self.own)) write there, by a group or setfacl")
            }
            return OutputFolder(adopting: found, path)
        }
        throw refusal(
            candidates, "\(path) cannot be opened there by trimd as the folder that you opened",
            remedy: "let the user trimd runs as (\(own)) read and enter it; no link may lead out of the root")
    }

    private func rootedPaths(
        of path: String, in list: [String], _ act: String
    ) throws(MediaError) -> [Roots.RootedPath] {
        let candidates = Roots.rootedPaths(of: path, in: list)
        guard candidates.isEmpty else { return candidates }
        let known =
            list.isEmpty
            ? "there is none to \(act) beneath" : "to \(act) there is \(list.joined(separator: ", "))"
        throw MediaError(
            .permissionDenied, "refused by policy: \(path) is not under a root of this trimd; \(known)",
            remedy: "move it there, use --standalone, or have `roots` in trimd.json extended")
    }

    /// A passed descriptor, if it proves read access.
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

    private func refusal(_ candidates: [Roots.RootedPath], _ what: String, remedy: String) -> MediaError {
        let roots = candidates.map(\.root).joined(separator: ", ")
        return MediaError(
            .permissionDenied, "refused by policy: beneath the root \(roots), \(what)", remedy: remedy)
    }
}
