// InputFile: opening what a user wants read, and saying clearly what cannot be. Nothing is opened for
// reading before it is known to be a regular file, so that no FIFO holds the daemon up and no device is
// woken. It reads no byte of media; the descriptor goes to a worker. The caller owns it.
internal import CLinux
internal import Glibc
internal import JobQueue
internal import Media
internal import Platform
internal import Wire

/// An opened source and what it was when it was opened.
struct InputFile: ~Copyable {
    let path: String
    let descriptor: Descriptor
    let identity: FileIdentity

    /// Opens a source for reading; throws what a user can act on.
    init(opening path: String) throws(MediaError) {
        try AbsolutePath.check(path, "the input")
        // O_PATH opens the name and not the thing: no side effects, whatever it is.
        let place = try forUser(path) { () throws(SystemError) in try Descriptor(opening: path, trim_O_PATH) }
        try self.init(reopening: place, path)
        _ = consume place
    }

    /// Opens for reading what a descriptor of O_PATH stands for.
    init(reopening place: borrowing Descriptor, _ path: String) throws(MediaError) {
        let status = try forUser(path) { () throws(SystemError) in try FileStatus(of: place, path) }
        guard status.sort == .file else {
            throw MediaError(
                .notARegularFile, "\(path) is a \(status.sort.rawValue), not a file",
                remedy: "give the path of a film or a sound file")
        }
        let name = "/proc/self/fd/\(place.rawValue)"
        descriptor = try forUser(path) { () throws(SystemError) in
            try Descriptor(opening: name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
        identity = status.identity
        self.path = path
    }

    /// Throws where the file is not, or no longer, what it was.
    func check(against then: FileIdentity) throws(MediaError) {
        let now = try forUser(path) { [path] () throws(SystemError) in
            try FileStatus(of: descriptor, path).identity
        }
        guard !now.isUnchanged(since: then) else { return }
        let what = now.isSameFile(as: then) ? "was written to" : "is another file than"
        throw MediaError(
            .sourceChanged,
            "\(path) \(what) \(now.isSameFile(as: then) ? "since" : "when") the job was accepted",
            remedy: "submit it again once the file is complete")
    }
}

extension FileIdentity {
    /// Which file it is, for later.
    var place: FilePlace { FilePlace(self) }
}

/// Paths as users may give them to the daemon.
enum AbsolutePath {
    /// Throws where a path is relative, or no path at all; `what` it is, for the error.
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
