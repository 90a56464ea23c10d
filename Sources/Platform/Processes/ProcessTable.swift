// ProcessTable: what /proc says of a process, so that one from before a restart can be told from a newcomer
// that got its number. It ends processes only by a whole identity. Any thread; it keeps nothing.
internal import Glibc

/// The processes of this machine.
public enum ProcessTable {
    /// The identity of a process that is there now; nil where it is not.
    public static func identity(of pid: Int32) -> ProcessIdentity? {
        guard let text = read("/proc/\(pid)/stat"), let name = text.lastIndex(of: ")") else { return nil }
        // After the name, which may hold anything, come the fields from the third on; the start is the 22nd.
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 19, let start = Int64(fields[19]) else { return nil }
        return ProcessIdentity(pid: pid, start: start, boot: boot)
    }

    /// This life of the machine.
    public static let boot: String = {
        let text = read("/proc/sys/kernel/random/boot_id") ?? "unknown"
        return String(text.prefix { !$0.isNewline })
    }()

    /// Ends a process and its group, if it is still the one that is meant. True once it is gone.
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

    /// The beginning of a small file of the kernel's.
    public static func read(_ path: String) -> String? {
        guard let file = try? Descriptor(opening: path, O_RDONLY), let bytes = try? Kernel.read(file, 4096)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
