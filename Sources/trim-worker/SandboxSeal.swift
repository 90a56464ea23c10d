// Sealing: the worker drops every right it does not need, for good, while nothing but the daemon has spoken to it. Done on
// the main thread, before there is another, and before the request is read: what comes later is a request that lowers the
// limits, and media. Fail closed: where something is missing and the policy is `required`, the worker does not work.
internal import CSeccomp
internal import Glibc
internal import Libav
internal import Wire

/// Sealing this process.
enum SandboxSeal {
    /// Drops the rights of this process. Threads it starts later have as few.
    /// - Parameter control: the descriptor on which it goes on talking to the daemon.
    /// - Returns: how far it is sealed, and what is missing.
    static func apply(control: Int32) -> WorkerSeal {
        var missing: [String] = []
        resetSignals()
        warm()
        // If the machine runs out of memory, a job goes before the daemon does.
        write("500", to: "/proc/self/oom_score_adj")
        if hasThreads() { missing.append("a library has started a thread, which would stay unsealed") }
        note(trim_limit(trim_limit_core, 0, 0), "the limit of core dumps", &missing)
        // Where trimd itself has fewer, that is said when there is something to do.
        let descriptors = min(SandboxLimits.neededDescriptors, trim_limit_hard(trim_limit_nofile))
        note(trim_limit(trim_limit_nofile, descriptors, descriptors), "the limit of descriptors", &missing)
        note(unsafe chdir("/"), "going to /", &missing)
        note(trim_set_no_new_privs_code(), "no new privileges", &missing)
        note(trim_drop_capabilities(), "giving capabilities away", &missing)
        // Not to be traced, nor its memory read, by other processes of the same user.
        note(trim_set_undumpable(), "not being dumpable", &missing)
        var version: Int?
        switch SandboxLandlock.restrict() {
        case .success(let abi): version = abi
        case .failure(let failure): missing.append(failure.reason)
        }
        var isFiltered = false
        switch SandboxSyscallFilter.load(control: control) {
        case .success: isFiltered = true
        case .failure(let failure): missing.append(failure.reason)
        }
        return WorkerSeal(landlock: version, seccomp: isFiltered, missing: missing)
    }

    /// Swift's runtime catches crashes, to show a backtrace; here a crash is an end at once.
    private static func resetSignals() {
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { signal(number, SIG_DFL) }
    }

    /// Lets libraries open now what they would open later.
    private static func warm() {
        LibavLimits.warm()
        _ = physicalMemory
        // What localtime(3) reads, for libraries that write the date.
        tzset()
    }

    /// Bytes of memory the machine has. First asked for before the seal, which refuses the question.
    static let physicalMemory: UInt64 = {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        return pages > 0 ? UInt64(pages) * UInt64(max(1, sysconf(Int32(_SC_PAGESIZE)))) : .max
    }()

    private static func hasThreads() -> Bool {
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
