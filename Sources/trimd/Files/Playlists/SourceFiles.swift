// SourceFiles: opens the files that are a source's parts for the worker that reads it: those of a request with several sources, by their
// numbers, or those that a playlist names. The worker's word counts for nothing, since the film may have taken it over. Of a playlist trimd
// sees for itself that the source begins as one, another worker lists the names in its text (PlaylistLister), and no other name is opened:
// regular files beneath the source's own folder only, through no link, none that is hidden. All are opened only if the user whom it acts for
// may read them by the kernel's rules. Each file must stay the one that it was at its first opening. Any thread; opening runs on a lane of
// the user.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Synchronization
internal import Text
internal import Wire

/// The files of a source.
final class SourceFiles: Sendable {
    /// A file, or why it is not opened.
    typealias Answer = Result<OpenedFile, MediaError>

    /// The folder, open as a path.
    private final class Handle: Sendable {
        let descriptor: Descriptor
        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
    }

    private struct State {
        var handle: Handle?
        var known: [String: FileIdentity] = [:]
        /// The names in the source; nil: it was not looked at yet.
        var named: PlaylistLister.Names?
        /// The names in the playlists that it names, by their own names.
        var nested: [String: Set<[UInt8]>] = [:]
    }

    /// The paths of several sources, of which the worker asks for numbers; nil: the source may be a playlist.
    private let paths: [String]?
    /// The identities that they had when they were accepted; empty: they are being accepted.
    private let accepted: [FileIdentity]
    /// The source's path and identity.
    private let path: String
    private let source: FileIdentity
    /// The file that the output is to replace; nil: none.
    private let replaced: FileIdentity?
    private let reader: ReadingUser
    private let lanes: PathLanes
    private let lister: PlaylistLister
    private let state = Mutex(State())

    /// The most files of one source.
    static let mostFiles = 32_768
    /// The most playlists that a source names and a worker reads: a variant, and its audio and subtitles.
    private static let mostPlaylists = 64

    /// The files of a source that is open; what else they need is opened when a file is asked for.
    /// - Parameters:
    ///   - sources: all sources, where they are several.
    ///   - accepted: their identities when they were accepted; empty: they are being accepted.
    ///   - replaced: the file that the output is to replace, which is none of them; nil: there is none.
    init(
        of path: String, _ sources: [SourcePart]?, accepted: [FileIdentity] = [], _ source: FileIdentity,
        replacing replaced: FileIdentity? = nil,
        for reader: ReadingUser, lanes: PathLanes, lister: PlaylistLister
    ) {
        self.path = path
        paths = sources?.map(\.path)
        self.accepted = accepted
        self.source = source
        self.replaced = replaced
        self.reader = reader
        self.lanes = lanes
        self.lister = lister
    }

    /// The files of a request.
    convenience init(
        of request: ExportRequest, _ source: FileIdentity, replacing replaced: FileIdentity? = nil,
        for reader: ReadingUser, lanes: PathLanes, lister: PlaylistLister
    ) {
        self.init(
            of: request.input, request.sources,
            accepted: (request.sourceIdentities ?? []).compactMap { StoredVersion($0)?.identity }, source,
            replacing: replaced, for: reader, lanes: lanes, lister: lister)
    }

    /// Opens each of several sources once; returns their identities in order, or nil where there is one. It may wait for a disk.
    /// - Parameter isShared: other nodes may do the job.
    func identities(isShared: Bool) throws(MediaError) -> [FileIdentity]? {
        try paths?.indices.map { number throws(MediaError) in
            let file = try open("\(number)")
            return isShared ? try file.sharedIdentity() : file.identity
        }
    }

    /// Opens files by their relative names, or their numbers, in order; `then` is called once, on another thread.
    func open(_ names: [String], then: @escaping @Sendable ([Answer]) -> Void) {
        let isOver = Once()
        lanes.run(for: reader.user) { [self] in
            let answers = names.map { name in Result { () throws(MediaError) in try self.open(name) } }
            if isOver.take() { then(answers) }
        } tooLong: {
            if isOver.take() { then(names.map { _ in .failure(ShortRequests.noAnswer) }) }
        }
    }

    /// Throws if a file that was opened was replaced or changed since. It may wait for a disk.
    func check() throws(MediaError) {
        for (name, then) in state.withLock({ $0.known }) {
            let path = try place(of: name)
            guard try identity(of: name, path)?.isUnchanged(since: then) == true else {
                throw SourceFiles.changed(path, "it was first read")
            }
        }
    }

    /// The present identity of a file; nil if it is not there any more.
    private func identity(of name: String, _ path: String) throws(MediaError) -> FileIdentity? {
        do throws(MediaError) {
            let handle = try handle(of: name, path)
            return try forUser(path) { () throws(SystemError) in try FileStatus(of: handle, path).identity }
        } catch {
            guard error.code == .fileNotFound || error.code == .playlist else { throw error }
            return nil
        }
    }

    private func open(_ name: String) throws(MediaError) -> OpenedFile {
        let path = try place(of: name)
        let isPlaylist = paths == nil ? try isNamedAsPlaylist(name) : false
        let handle = try handle(of: name, path)
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: handle, path) }
        if let since = reader.since, status.changed / 1_000_000 > since.milliseconds {
            throw SourceFiles.changed(path, "the job was accepted")
        }
        let file = try InputFile(reopening: handle, path)
        try reader.check(file.descriptor, path)
        let identity = file.identity
        if paths != nil, let number = Int(name), accepted.indices.contains(number) {
            var now = identity
            if accepted[number].digest != nil { now.digest = try file.digest(size: now.size) }
            guard now.isUnchanged(since: accepted[number]) else {
                throw SourceFiles.changed(path, "the job was accepted")
            }
        }
        if let replaced, identity.isSameFile(as: replaced) {
            throw MediaError(
                .outputIsInput, "the output is a file that the source names: \(path)",
                remedy: "give the output another name")
        }
        guard paths != nil || !identity.isSameFile(as: source) else {
            throw MediaError(
                .playlist, "\(path) is the playlist itself", remedy: "a segment is expected there")
        }
        let (isKnown, isFull) = state.withLock { state in
            let then = state.known[name]
            let isFull = then == nil && state.known.count >= SourceFiles.mostFiles
            if then == nil, !isFull { state.known[name] = identity }
            return (then.map { identity.isUnchanged(since: $0) } ?? true, isFull)
        }
        guard !isFull else {
            throw MediaError(.limitReached, "a playlist may name at most \(SourceFiles.mostFiles) files")
        }
        guard isKnown else { throw SourceFiles.changed(path, "it was first read") }
        let opened = OpenedFile(file)
        if isPlaylist { try list(opened, name) }
        return opened
    }

    /// Whether a file that the source names is a playlist itself. Throws if neither the source nor one of its playlists names it.
    private func isNamedAsPlaylist(_ name: String) throws(MediaError) -> Bool {
        let bytes = Array(name.utf8)
        let named = try named()
        if named.names.contains(bytes) { return named.arePlaylists }
        guard !state.withLock({ $0.nested.values.contains { $0.contains(bytes) } }) else { return false }
        throw stranger("\(try place(of: name)), which \(path) does not name")
    }

    /// The error of a worker that asks for another file. Where the source was changed meanwhile, it may have been right.
    private func stranger(_ what: String) -> MediaError {
        if paths == nil {
            do throws(MediaError) { _ = try playlist() } catch { return error }
        }
        return MediaError(
            .sandboxViolation, "the worker was ended: it asked for \(what); the file may be an attack")
    }

    /// The files that the source names.
    private func named() throws(MediaError) -> PlaylistLister.Names {
        if let known = state.withLock({ $0.named }) { return known }
        let file = try playlist()
        guard PlaylistLister.isPlaylist(file) else {
            throw stranger("other files than \(path), which is no playlist")
        }
        let names = try lister.names(file, FileName.split(path)?.name ?? path).get()
        state.withLock { $0.named = names }
        return names
    }

    /// Notes what a playlist names that the source names.
    private func list(_ file: OpenedFile, _ name: String) throws(MediaError) {
        let (isListed, isFull) = state.withLock { state in
            (state.nested[name] != nil, state.nested.count >= SourceFiles.mostPlaylists)
        }
        guard !isListed else { return }
        guard !isFull else {
            throw MediaError(
                .limitReached, "at most \(SourceFiles.mostPlaylists) playlists that \(path) names are read")
        }
        guard PlaylistLister.isPlaylist(file) else {
            throw MediaError(
                .fileFailedToParse, "\(try place(of: name)) does not begin with \(PlaylistSignature.line)",
                remedy: "a playlist is expected there")
        }
        let found = try lister.names(file, name).get()
        // The source is the only one that may name playlists.
        guard !found.arePlaylists else { return }
        let bytes = Array(name.utf8)
        let folder = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[...$0] } ?? []
        state.withLock { $0.nested[name] = Set(found.names.map { folder + $0 }) }
    }

    /// The source, opened anew; throws if it is not the file that it was.
    private func playlist() throws(MediaError) -> OpenedFile {
        let file = try InputFile(reopening: try handle(of: try folder().descriptor), path)
        guard file.identity.isUnchanged(since: source) else {
            throw SourceFiles.changed(path, "it was first read")
        }
        return OpenedFile(file)
    }

    /// A file, open as a path.
    private func handle(of name: String, _ path: String) throws(MediaError) -> Descriptor {
        guard paths == nil else { return try reader.openFile(path) }
        return try SegmentPath(name, path).open(in: try folder().descriptor, for: reader)
    }

    private func handle(of folder: borrowing Descriptor) throws(MediaError) -> Descriptor {
        let name = FileName.split(path)?.name ?? path
        return try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: name, in: folder, trim_O_PATH)
        }
    }

    private static func changed(_ path: String, _ since: String) -> MediaError {
        MediaError(
            .sourceChanged, "\(path) was written to, or replaced, since \(since)",
            remedy: "submit it again once all of its files are complete")
    }

    /// The path of a file that a worker asks for.
    private func place(of name: String) throws(MediaError) -> String {
        if let paths {
            guard let number = Int(name), paths.indices.contains(number) else {
                throw stranger("the file '\(name.prefix(80))', which is none of the sources")
            }
            return paths[number]
        }
        let folder = FileName.split(path)?.folder ?? ""
        return (folder == "/" ? "" : folder) + "/" + name
    }

    /// The folder, if the source still lies in it.
    private func folder() throws(MediaError) -> Handle {
        if let known = state.withLock({ $0.handle }) { return known }
        guard let (folder, name) = FileName.split(path) else {
            throw MediaError(.invalidRequest, "the path of the input has no name: '\(path)'")
        }
        let handle = Handle(try reader.open(folder))
        let found = try forUser(path) { () throws(SystemError) in
            try FileStatus(of: name, in: handle.descriptor, following: true)
        }
        guard let found, found.identity.isSameFile(as: source) else {
            throw MediaError(
                .sourceChanged, "\(path) is another file than when it was opened", remedy: "try again")
        }
        state.withLock { $0.handle = handle }
        return handle
    }
}

extension FileIdentity {
    /// A text that differs where the file or its version does, the same on all machines.
    var version: String { "\(inode) \(size) \(modified)" }
}
