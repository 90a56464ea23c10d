// ProcessIdentity: identifies a process across restarts, when its PID may have been reused. A value, read by ProcessTable.

/// Distinguishes one process from every other since the machine was booted.
public struct ProcessIdentity: Hashable, Sendable {
    /// Its PID, which may be reused later.
    public var pid: Int32
    /// Its start time, in clock ticks since boot.
    public var start: Int64
    /// The boot ID.
    public var boot: String

    /// An identity from its parts.
    public init(pid: Int32, start: Int64, boot: String) {
        self.pid = pid
        self.start = start
        self.boot = boot
    }
}
