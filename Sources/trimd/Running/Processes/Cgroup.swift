// Cgroup: the control group of one worker: limited, and ended as a whole, so that nothing the worker may have started
// outlives it. Its owner is the Worker. Any thread. Errors are not its user's: a limit that the kernel does not
// have here leaves the worker with its rlimits.
internal import Glibc
internal import Platform
internal import Wire

/// One worker's control group.
struct Cgroup: Sendable {
    /// Its folder.
    let path: String

    /// Limits it: bytes of memory without swap, and processes and threads.
    func limit(memory: Int64, tasks: Int) {
        try? Kernel.set(path + "/memory.max", "\(memory)")
        try? Kernel.set(path + "/memory.swap.max", "0")
        // Of a worker no part is worth anything without the others.
        try? Kernel.set(path + "/memory.oom.group", "1")
        try? Kernel.set(path + "/pids.max", "\(tasks)")
    }

    /// Ends all in it.
    func kill() { try? Kernel.set(path + "/cgroup.kill", "1") }

    /// Removes it, once its process has been reaped; what was left in it is ended.
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
