// A file descriptor with a single owner: closed on every path when the owner's lifetime ends. Every descriptor created here is
// close-on-exec. It takes no lock and does not interpret the data.
internal import CLinux
internal import Glibc
internal import Text

/// Owns an open file descriptor.
public struct Descriptor: ~Copyable, Sendable {
    /// The raw descriptor, borrowed: the caller must keep the owner alive while using it.
    public let rawValue: Int32

    /// Takes ownership of a descriptor.
    public init(adopting rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        _ = Glibc.close(rawValue)
    }

    /// Opens a file; `O_CLOEXEC` is added.
    public init(opening path: String, _ flags: Int32, mode: UInt32 = 0o600) throws(SystemError) {
        rawValue = try SystemError.check("opening", path) {
            unsafe open(path.nameBytes, flags | O_CLOEXEC, mode)
        }
    }

    /// Opens a file relative to an open folder; `O_CLOEXEC` is added.
    public init(
        opening path: String, in folder: borrowing Descriptor, _ flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let folder = folder.rawValue
        rawValue = try SystemError.check("opening", path) {
            unsafe openat(folder, path.nameBytes, flags | O_CLOEXEC, mode)
        }
    }

    /// Duplicates a descriptor; the copy is close-on-exec.
    public static func duplicating(_ rawValue: Int32) throws(SystemError) -> Descriptor {
        let copy = try SystemError.check("duplicating", "descriptor \(rawValue)") {
            fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        }
        return Descriptor(adopting: copy)
    }

    /// A pipe, both ends close-on-exec: data written to `second` is read from `first`.
    public static func pipe() throws(SystemError) -> DescriptorPair {
        var ends: (Int32, Int32) = (-1, -1)
        try SystemError.check("making", "a pipe") {
            unsafe withUnsafeMutableBytes(of: &ends) {
                unsafe trim_pipe($0.bindMemory(to: Int32.self).baseAddress)
            }
        }
        return DescriptorPair(first: Descriptor(adopting: ends.0), second: Descriptor(adopting: ends.1))
    }

    /// Two connected Unix stream sockets, close-on-exec, for a parent and its child.
    public static func socketPair() throws(SystemError) -> DescriptorPair {
        var ends = [Int32](repeating: -1, count: 2)
        try SystemError.check("making", "a socket pair") { unsafe trim_socketpair(&ends) }
        return DescriptorPair(first: Descriptor(adopting: ends[0]), second: Descriptor(adopting: ends[1]))
    }

    /// Two connected Unix sockets that keep the bounds of messages, close-on-exec.
    public static func packetPair() throws(SystemError) -> DescriptorPair {
        var ends = [Int32](repeating: -1, count: 2)
        try SystemError.check("making", "a socket pair") { unsafe trim_socketpair_packets(&ends) }
        return DescriptorPair(first: Descriptor(adopting: ends[0]), second: Descriptor(adopting: ends[1]))
    }

    /// Releases ownership without closing.
    public consuming func release() -> Int32 {
        let value = rawValue
        discard self
        return value
    }

    /// Sets or clears close-on-exec.
    public func setCloseOnExec(_ on: Bool = true) throws(SystemError) {
        try SystemError.check("marking", "descriptor \(rawValue)") {
            fcntl(rawValue, F_SETFD, on ? FD_CLOEXEC : 0)
        }
    }

    /// Sets or clears non-blocking mode of the open file.
    public func setNonBlocking(_ on: Bool = true) throws(SystemError) {
        let flags = try SystemError.check("reading the flags of", "descriptor \(rawValue)") {
            fcntl(rawValue, F_GETFL)
        }
        try SystemError.check("setting the flags of", "descriptor \(rawValue)") {
            fcntl(rawValue, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK)
        }
    }
}

/// Two descriptors from one call; each can be taken once.
public struct DescriptorPair: ~Copyable, Sendable {
    private var first: Descriptor?
    private var second: Descriptor?

    init(first: consuming Descriptor, second: consuming Descriptor) {
        self.first = consume first
        self.second = consume second
    }

    /// The first descriptor; nil once taken.
    public mutating func takeFirst() -> Descriptor? { first.take() }

    /// The second descriptor; nil once taken.
    public mutating func takeSecond() -> Descriptor? { second.take() }
}
