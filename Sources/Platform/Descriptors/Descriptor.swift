// A file descriptor with one owner: closed when the owner goes, on every path. Everything made here closes on exec.
// It lives wherever its owner does and takes no lock. It does not interpret what is read or written.
internal import CLinux
internal import Glibc
internal import Media

/// The only owner of an open file descriptor.
public struct Descriptor: ~Copyable, Sendable {
    /// The number, for calls that borrow it. Whoever reads it must keep the owner alive meanwhile.
    public let rawValue: Int32

    /// Takes over a descriptor that nobody else will close.
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

    /// Opens a file beneath an open folder; `O_CLOEXEC` is added.
    public init(
        opening path: String, in folder: borrowing Descriptor, _ flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let folder = folder.rawValue
        rawValue = try SystemError.check("opening", path) {
            unsafe openat(folder, path.nameBytes, flags | O_CLOEXEC, mode)
        }
    }

    /// A second descriptor of the same open file, closed on exec.
    public static func duplicating(_ rawValue: Int32) throws(SystemError) -> Descriptor {
        let copy = try SystemError.check("duplicating", "descriptor \(rawValue)") {
            fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
        }
        return Descriptor(adopting: copy)
    }

    /// A pipe, both ends closed on exec: what is written to `second` is read from `first`.
    public static func pipe() throws(SystemError) -> DescriptorPair {
        var ends: (Int32, Int32) = (-1, -1)
        try SystemError.check("making", "a pipe") {
            unsafe withUnsafeMutableBytes(of: &ends) {
                unsafe trim_pipe($0.bindMemory(to: Int32.self).baseAddress)
            }
        }
        return DescriptorPair(first: Descriptor(adopting: ends.0), second: Descriptor(adopting: ends.1))
    }

    /// Two connected Unix stream sockets, closed on exec, for a parent and its child.
    public static func socketPair() throws(SystemError) -> DescriptorPair {
        var ends = [Int32](repeating: -1, count: 2)
        try SystemError.check("making", "a socket pair") { unsafe trim_socketpair(&ends) }
        return DescriptorPair(first: Descriptor(adopting: ends[0]), second: Descriptor(adopting: ends[1]))
    }

    /// Gives the descriptor away unclosed.
    public consuming func release() -> Int32 {
        let value = rawValue
        discard self
        return value
    }

    /// Marks it to be closed on exec, or to stay open.
    public func setCloseOnExec(_ on: Bool = true) throws(SystemError) {
        try SystemError.check("marking", "descriptor \(rawValue)") {
            fcntl(rawValue, F_SETFD, on ? FD_CLOEXEC : 0)
        }
    }

    /// Makes calls on the open file return at once, or wait.
    public func setNonBlocking(_ on: Bool = true) throws(SystemError) {
        let flags = try SystemError.check("reading the flags of", "descriptor \(rawValue)") {
            fcntl(rawValue, F_GETFL)
        }
        try SystemError.check("setting the flags of", "descriptor \(rawValue)") {
            fcntl(rawValue, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK)
        }
    }
}

/// Two descriptors made by one call; each is taken once.
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
