// Sealing: the worker permanently drops every right it does not need before it processes any input. Runs on the main thread,
// before other threads start and before the request is read: only a request that lowers the limits, and media, come later. Fails
// closed: if something is missing and the policy is `required`, the worker does not work.
internal import CSeccomp
internal import Glibc
internal import Libav
internal import Wire

/// Seals this process.
enum SandboxSeal {
    /// Drops the rights of this process, including threads it starts later.
    /// - Parameter control: the descriptor connected to the daemon.
    /// - Returns: how far it is sealed, and what is missing.
    static func apply(control: Int32) -> WorkerSeal {
        var missing: [String] = []
        // A hard limit is never raised again, and the files of a join come as soon as its request: every other request lowers it.
        // Where trimd itself has fewer, the error is reported with a request.
        let descriptors = min(SandboxLimits.joiningDescriptors, trim_limit_hard(trim_limit_nofile))
        note(trim_limit(trim_limit_nofile, descriptors, descriptors), "the limit of descriptors", &missing)
        return apply(.worker, control, missing)
    }

    /// Drops the rights of a fork server: all that a worker drops, but that it may fork, and that its forks may seal themselves.
    /// The limit of descriptors is left to them.
    /// - Parameters:
    ///   - control: the server's descriptor connected to the daemon.
    ///   - forks: that of its forks.
    static func applyToServer(control: Int32, forks: Int32) -> WorkerSeal {
        SandboxProgram.prepare(control: forks)
        return apply(.forkServer, control, [])
    }

    private static func apply(
        _ role: SandboxSyscallFilter.Role, _ control: Int32, _ before: [String]
    ) -> WorkerSeal {
        var missing = before
        resetSignals()
        _ = warm
        // If the machine runs out of memory, the kernel kills a job before the daemon. A fork has it from its server.
        write("500", to: "/proc/self/oom_score_adj")
        if hasThreads() { missing.append("a library has started a thread, which would stay unsealed") }
        note(trim_limit(trim_limit_core, 0, 0), "the limit of core dumps", &missing)
        note(unsafe chdir("/"), "going to /", &missing)
        note(trim_set_no_new_privs_code(), "no new privileges", &missing)
        note(trim_drop_capabilities(), "giving capabilities away", &missing)
        // Other processes of the same user cannot trace it or read its memory.
        note(trim_set_undumpable(), "not being dumpable", &missing)
        var version: Int?
        switch SandboxLandlock.restrict() {
        case .success(let abi): version = abi
        case .failure(let failure): missing.append(failure.reason)
        }
        var isFiltered = false
        switch SandboxSyscallFilter.load(role, control: control) {
        case .success: isFiltered = true
        case .failure(let failure): missing.append(failure.reason)
        }
        return WorkerSeal(landlock: version, seccomp: isFiltered, missing: missing)
    }

    /// Swift's runtime catches crashes to show a backtrace; here a crash must end the process at once.
    private static func resetSignals() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
    }

    /// Makes libraries open now what they would open later. Once: a fork has what its server opened.
    private static let warm: Void = {
        LibavLimits.warm()
        _ = physicalMemory
        // Loads the data of localtime(3), for libraries that write the date.
        tzset()
    }()

    /// Physical memory of the machine in bytes. First read before sealing, which forbids the call.
    static let physicalMemory: UInt64 = {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        return pages > 0 ? UInt64(pages) * UInt64(max(1, sysconf(Int32(_SC_PAGESIZE)))) : .max
    }()

    /// Whether this process has more than one thread. In a fork of a server, which may not look, there is one.
    static func hasThreads() -> Bool {
        guard let folder = unsafe opendir("/proc/self/task") else { return false }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count > 3
    }

    private static func write(_ text: String, to path: String) {
        let file = unsafe open(path, O_WRONLY)
        guard file >= 0 else { return }
        _ = unsafe Glibc.write(file, text, text.utf8.count)
        close(file)
    }

    private static func note(_ code: Int32, _ what: String, _ missing: inout [String]) {
        if code < 0 { missing.append("\(what) (\(words(of: code)))") }
    }
}
