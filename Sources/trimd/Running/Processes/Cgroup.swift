// Cgroup: the control group of one worker. It limits the worker and kills it as a whole, so that no process it may have started
// outlives it. The Worker owns it. Any thread. Errors are ignored: if the kernel lacks a limit, the worker's rlimits remain.
internal import Glibc
internal import Platform
internal import Wire

/// One worker's control group.
struct Cgroup: Sendable {
    /// Its folder.
    let path: String

    /// Limits memory in bytes, without swap, and the number of processes and threads.
    func limit(memory: Int64, tasks: Int) {
        try? Kernel.set(path + "/memory.max", "\(memory)")
        try? Kernel.set(path + "/memory.swap.max", "0")
        // An out-of-memory kill ends the whole group: no part of a worker is useful alone.
        try? Kernel.set(path + "/memory.oom.group", "1")
        try? Kernel.set(path + "/pids.max", "\(tasks)")
    }

    /// Kills all processes in it.
    func kill() { try? Kernel.set(path + "/cgroup.kill", "1") }

    /// Removes it after its process was reaped; kills any process left in it.
    func remove() {
        for _ in 0..<50 {
            do throws(SystemError) {
                return try Kernel.removeFolder(path)
            } catch {
                guard error.code == EBUSY else { return }
                kill()
                usleep(1000)
            }
        }
    }
}
