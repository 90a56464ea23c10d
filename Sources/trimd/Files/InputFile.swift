// InputFile: opens a source and explains clearly why one cannot be opened. It opens a file for reading only once it is known to
// be a regular file: a FIFO would block the daemon, and opening a device can have side effects. It parses no byte of media; the
// descriptor goes to a worker. The caller owns it.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// An open source and its identity when it was opened.
struct InputFile: ~Copyable {
    let path: String
    let descriptor: Descriptor
    let identity: FileIdentity

    /// Opens a source for reading; throws an error that the user can act on.
    /// - Parameters:
    ///   - what: its role, for the error.
    ///   - wanted: what it should be, for the error.
    init(
        opening path: String, _ what: String = "the input", wanted: String = InputFile.media
    ) throws(MediaError) {
        try AbsolutePath.check(path, what)
        // O_PATH opens the path without opening the file: no side effects for any file type.
        let handle: Descriptor
        do throws(MediaError) {
            handle = try forUser(path) { () throws(SystemError) in try Descriptor(opening: path, trim_O_PATH)
            }
        } catch {
            // Of a source trimctl knows better: it looks for names like it.
            guard error.code == .fileNotFound, error.remedy == nil, wanted != InputFile.media else {
                throw error
            }
            throw MediaError(error.code, error.message, remedy: "give the path of \(wanted)")
        }
        try self.init(reopening: handle, path, wanted: wanted)
        _ = consume handle
    }

    /// The words for a source.
    static let media = "a video or audio file"

    /// Reopens an O_PATH descriptor for reading.
    init(
        reopening handle: borrowing Descriptor, _ path: String, wanted: String = InputFile.media
    ) throws(MediaError) {
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: handle, path) }
        guard status.sort == .file else {
            throw MediaError(
                .notARegularFile, "\(path) is a \(status.sort.rawValue), not a file",
                remedy: "give the path of \(wanted)")
        }
        let name = "/proc/self/fd/\(handle.rawValue)"
        descriptor = try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
        identity = status.identity
        self.path = path
    }

    /// The hash of its first and last bytes.
    func digest(size: Int64) throws(MediaError) -> String {
        try forUser(path) { () throws(SystemError) in try FileDigest.of(descriptor, size: size) }
    }

    /// Throws if the file was replaced or changed.
    func check(against then: FileIdentity) throws(MediaError) {
        var now = try forUser(path) { [path] () throws(SystemError) in
            try FileStatus(of: descriptor, path).identity
        }
        if then.digest != nil { now.digest = try digest(size: now.size) }
        guard !now.isUnchanged(since: then) else { return }
        let what = now.isSameFile(as: then) ? "was written to" : "is another file than"
        throw MediaError(
            .sourceChanged,
            "\(path) \(what) \(now.isSameFile(as: then) ? "since" : "when") the job was accepted",
            remedy: "submit it again once the file is complete")
    }
}

extension FileIdentity {
    /// The file's identity, to be stored.
    var storedIdentity: StoredIdentity { StoredIdentity(self) }
}

/// Paths that users may pass to the daemon.
enum AbsolutePath {
    /// Throws if a path is relative or empty; `what` names its role in the error.
    static func check(_ path: String, _ what: String) throws(MediaError) {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw MediaError(
                .invalidRequest, "the path of \(what) is not absolute: '\(path)'",
                remedy: "the daemon does not know your folder; begin with '/'")
        }
        guard !path.utf8.contains(0) else {
            throw MediaError(.invalidRequest, "the path of \(what) holds a NUL character")
        }
    }
}
