// Cgroups: the tree of control groups that systemd delegates to this service (Delegate=), with one branch per worker. The
// daemon first moves itself into a branch, since a group whose branches have controllers cannot hold processes. Without
// delegation or cgroup v2 there is no tree, and trimd works without it.
//
// `unsafe` here: fgetxattr fills a buffer.
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import Wire

/// The delegated tree.
struct Cgroups: Sendable {
    /// The service's group.
    let path: String

    /// The most tasks (processes and threads) of one worker: encoders start a few per processor.
    static let mostTasks = 1024

    /// This process's tree; set up on first use, before the first worker.
    static let own: Cgroups? = {
        guard let path = delegated(ProcessTable.read("/proc/self/cgroup") ?? "") else { return nil }
        return Cgroups(taking: path)
    }()

    /// Prepares a delegated group for branches; nil on failure.
    init?(taking path: String) {
        self.path = path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix("worker-") {
            // Left by a daemon that died.
            let old = Cgroup(path: path + "/" + name)
            old.kill()
            old.remove()
        }
        do throws(SystemError) {
            _ = try Kernel.makeFolder(path + "/daemon", mode: 0o755)
            try Kernel.set(path + "/daemon/cgroup.procs", "\(getpid())")
        } catch { return nil }
        for controller in ["memory", "pids"] {
            try? Kernel.set(path + "/cgroup.subtree_control", "+" + controller)
        }
    }

    /// Moves a newly started process into a new branch; nil if it cannot be moved.
    func enclose(_ pid: pid_t) -> Cgroup? {
        let group = Cgroup(path: "\(path)/worker-\(pid)")
        do throws(SystemError) {
            guard try Kernel.makeFolder(group.path, mode: 0o755) else { return nil }
            group.limit(memory: Cgroups.memory, tasks: Cgroups.mostTasks)
            try Kernel.set(group.path + "/cgroup.procs", "\(pid)")
            return group
        } catch {
            group.remove()
            return nil
        }
    }

    /// Three quarters of the machine's memory: a single worker cannot exhaust it.
    private static let memory: Int64 =
        Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) / 4 * 3

    /// The group named in `/proc/self/cgroup`, if systemd has delegated it to the service.
    private static func delegated(_ table: String) -> String? {
        guard let relative = path(in: table) else { return nil }
        let path = "/sys/fs/cgroup" + relative
        guard Kernel.mayAccess(path + "/cgroup.procs", W_OK),
            let folder = try? Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
        else { return nil }
        var value = [UInt8](repeating: 0, count: 8)
        let count = unsafe trim_fgetxattr(folder.rawValue, "user.delegate", &value, value.count)
        return count >= 1 && value[0] == UInt8(ascii: "1") ? path : nil
    }

    /// The cgroup v2 path in the text of `/proc/PID/cgroup`; nil if there is none, or it is the root.
    static func path(in table: String) -> String? {
        let line = table.split(separator: "\n").first { $0.hasPrefix("0::/") }
        guard let path = line?.dropFirst(3), path != "/", !path.contains("/../") else { return nil }
        return String(path)
    }
}
