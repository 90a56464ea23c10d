// ProcessTable: identifies processes through /proc, so that one from before a restart is not confused with a new one that
// reused its PID. It kills processes only by full identity. Any thread; no state.
internal import Glibc

/// The processes of this machine.
public enum ProcessTable {
    /// The identity of a running process; nil if there is none.
    public static func identity(of pid: Int32) -> ProcessIdentity? {
        guard let text = read("/proc/\(pid)/stat"), let name = text.lastIndex(of: ")") else { return nil }
        // The name may contain any character; the fields from the third on follow it. The start time is the 22nd.
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 19, let start = Int64(fields[19]) else { return nil }
        return ProcessIdentity(pid: pid, start: start, boot: boot)
    }

    /// The boot ID.
    public static let boot: String = {
        let text = read("/proc/sys/kernel/random/boot_id") ?? "unknown"
        return String(text.prefix { !$0.isNewline })
    }()

    /// Kills a process and its group, if its identity still matches. True once it is gone.
    public static func end(_ process: ProcessIdentity, waiting milliseconds: Int = 2000) -> Bool {
        for _ in 0...(milliseconds / 10) {
            guard identity(of: process.pid) == process, !isZombie(process.pid) else { return true }
            kill(-process.pid, SIGKILL)
            kill(process.pid, SIGKILL)
            usleep(10_000)
        }
        return false
    }

    private static func isZombie(_ pid: pid_t) -> Bool {
        guard let text = read("/proc/\(pid)/stat"), let name = text.lastIndex(of: ")") else { return true }
        return text[text.index(after: name)...].hasPrefix(" Z")
    }

    /// The beginning of a small kernel file (procfs, cgroupfs).
    public static func read(_ path: String) -> String? {
        guard let file = try? Descriptor(opening: path, O_RDONLY), let bytes = try? Kernel.read(file, 4096)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
