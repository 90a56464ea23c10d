// ProcessIdentity: how a process is known again after a restart, when its number may be another's. A value, read by
// ProcessTable.

/// What tells one process from every other of the machine's life.
public struct ProcessIdentity: Hashable, Sendable {
    /// Its number, which another process may have later.
    public var pid: Int32
    /// When it began, in ticks since the machine did.
    public var start: Int64
    /// The life of the machine it belongs to.
    public var boot: String

    /// An identity from its parts.
    public init(pid: Int32, start: Int64, boot: String) {
        self.pid = pid
        self.start = start
        self.boot = boot
    }
}
