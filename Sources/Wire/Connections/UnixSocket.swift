// Unix stream sockets: create, bind, connect, adopt, and peer credentials. The caller owns the results. All descriptors close
// on exec. Any thread; connect blocks, the rest does not. It handles no lines and no messages.
internal import CLinux
internal import Glibc
internal import Media
public import Platform
internal import Text

/// Unix stream sockets.
public enum UnixSocket {
    /// Maximum bytes of a socket path.
    public static let pathLimit = Int(trim_sun_path_max)

    /// Listens at a path. A stale socket is replaced; a live one is an error. The folder is locked meanwhile (flock), so that
    /// of two daemons starting at once one wins.
    public static func listen(
        at path: String, mode: UInt32 = 0o600, backlog: Int32 = 128
    ) throws(WireError) -> Descriptor {
        try checkLength(path)
        let lock = try lockFolder(of: path)
        let socket = try makeSocket()
        let raw = socket.rawValue
        // On Linux the file gets the mode of the unbound socket: it is never wider than requested.
        try asWireError { () throws(SystemError) in
            try SystemError.check("setting the mode of", path) { fchmod(raw, mode) }
        }
        try bind(raw, to: path)
        try asWireError { () throws(SystemError) in
            try SystemError.check("setting the mode of", path) { unsafe chmod(path.nameBytes, mode) }
            try SystemError.check("listening on", path) { Glibc.listen(raw, backlog) }
            try socket.setNonBlocking()
        }
        _ = consume lock
        return socket
    }

    /// Connects to a listening socket.
    /// - Parameter waiting: false: a full backlog is an error, and the socket is non-blocking.
    public static func connect(to path: String, waiting: Bool = true) throws(WireError) -> Descriptor {
        try checkLength(path)
        let socket = try makeSocket()
        let raw = socket.rawValue
        if !waiting { try asWireError { () throws(SystemError) in try socket.setNonBlocking() } }
        do throws(SystemError) {
            try SystemError.check("connecting to", path) { unsafe trim_connect_path(raw, path.nameBytes) }
        } catch {
            throw .noDaemon(path: path, reason: SystemError.reason(error.code))
        }
        return socket
    }

    /// Accepts one connection; nil if none is pending.
    public static func accept(_ listening: borrowing Descriptor) throws(SystemError) -> Descriptor? {
        try accept(listening.rawValue)
    }

    static func accept(_ raw: Int32) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return Descriptor(
                adopting: try SystemError.check("accepting on", "the socket") { trim_accept(raw) })
        } catch {
            // ECONNABORTED: the pending peer has gone; a later event reports the next one.
            if error.code == EAGAIN || error.code == ECONNABORTED { return nil }
            throw error
        }
    }

    /// Adopts a listening socket from a parent (systemd's socket activation).
    public static func adoptListening(_ raw: Int32) throws(WireError) -> Descriptor {
        let socket = try adopt(raw, listening: true)
        try asWireError { () throws(SystemError) in try socket.setNonBlocking() }
        return socket
    }

    /// Adopts a connected socket from a parent (the worker's end of the pair).
    public static func adoptConnected(_ raw: Int32) throws(WireError) -> Descriptor {
        try adopt(raw, listening: false)
    }

    /// Shuts down sending; the peer can still respond.
    public static func finishSending(_ socket: borrowing Descriptor) throws(SystemError) {
        let raw = socket.rawValue
        try SystemError.check("half-closing", "the socket") { shutdown(raw, Int32(SHUT_WR)) }
    }

    /// Shuts down both directions; blocked readers wake up. The descriptor stays open.
    static func shutDown(_ raw: Int32) {
        _ = shutdown(raw, Int32(SHUT_RDWR))
    }

    private static func checkLength(_ path: String) throws(WireError) {
        let bytes = path.nameLength
        guard bytes <= pathLimit else { throw .pathTooLong(path: path, bytes: bytes, limit: pathLimit) }
    }

    private static func makeSocket() throws(WireError) -> Descriptor {
        let raw = try asWireError { () throws(SystemError) in
            try SystemError.check("making", "a socket") { trim_socket_stream() }
        }
        return Descriptor(adopting: raw)
    }

    private static func adopt(_ raw: Int32, listening: Bool) throws(WireError) -> Descriptor {
        guard trim_socket_domain(raw) == AF_UNIX, trim_socket_is_stream(raw) == 1 else {
            throw .unsuitable(descriptor: raw, reason: "is not a Unix stream socket")
        }
        guard (trim_socket_is_listening(raw) == 1) == listening else {
            throw .unsuitable(descriptor: raw, reason: listening ? "does not listen" : "is not connected")
        }
        let socket = Descriptor(adopting: raw)
        try asWireError { () throws(SystemError) in try socket.setCloseOnExec() }
        return socket
    }
}

// MARK: - Stale sockets

extension UnixSocket {
    /// The identity of a socket's file, to recognize it later.
    struct SocketFile: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
    }

    /// The identity of the socket at a path; nil if there is none or the file is not a socket.
    static func identity(at path: String) -> SocketFile? {
        var status = stat()
        guard unsafe lstat(path.nameBytes, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            return nil
        }
        return SocketFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Removes a socket's file, if it is still the same one.
    static func remove(_ path: String, if identity: SocketFile) {
        if self.identity(at: path) == identity { _ = unsafe unlink(path.nameBytes) }
    }

    private static func bind(_ raw: Int32, to path: String) throws(WireError) {
        for attempt in 0... {
            if unsafe trim_bind_path(raw, path.nameBytes) == 0 { return }
            let code = errno
            guard code == EADDRINUSE, attempt < 3 else {
                throw .system(SystemError("binding", path, code: code))
            }
            try removeStale(path)
        }
    }

    private static func removeStale(_ path: String) throws(WireError) {
        guard let found = identity(at: path) else {
            if unsafe access(path.nameBytes, F_OK) != 0 && errno == ENOENT { return }
            throw .inTheWay(path: path)
        }
        let probe = try makeSocket()
        let raw = probe.rawValue
        // A full backlog must not block: connect returns EAGAIN, which means the socket is live.
        try asWireError { () throws(SystemError) in try probe.setNonBlocking() }
        let answer = unsafe trim_connect_path(raw, path.nameBytes)
        let code = errno
        guard answer == -1, code == ECONNREFUSED || code == ENOENT else {
            throw .alreadyListening(path: path)
        }
        remove(path, if: found)
    }

    private static func lockFolder(of path: String) throws(WireError) -> Descriptor {
        var folder = String(path.reversed().drop { $0 != "/" }.reversed())
        if folder.isEmpty { folder = "." }
        let lock: Descriptor
        do throws(SystemError) {
            lock = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
        } catch {
            throw .system(SystemError("binding", path, code: error.code))
        }
        // In a shared folder anybody may hold this lock: wait a short time for a daemon that is starting.
        let raw = lock.rawValue
        for _ in 0..<100 {
            if flock(raw, LOCK_EX | LOCK_NB) == 0 { break }
            SocketIO.pause(milliseconds: 10)
        }
        return lock
    }
}
