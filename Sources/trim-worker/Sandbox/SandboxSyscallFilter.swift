// The syscall filter: allows what FFmpeg, its codecs, glibc's threads and libdispatch's serial queues need on open descriptors,
// and nothing else. Calls that harmless code tries (opening a file, uname) return an errno; any other kills the process. Names
// unknown to this machine or libseccomp are left out.
//
// `unsafe` here: libseccomp's filter, which lives as long as one function.
internal import CSeccomp
internal import Glibc

/// The syscall filter.
enum SandboxSyscallFilter {
    // Calls that are allowed with any arguments: they use only resources of the process.

    /// Open files. None of these calls opens one.
    private static let files = """
        read write readv writev pread64 pwrite64 preadv pwritev lseek close fstat ftruncate
        fallocate fdatasync fsync fadvise64 poll ppoll
        """
    /// Non-executable memory; mmap and mprotect are below.
    private static let memory = """
        munmap mremap brk madvise mincore
        """
    /// Threads of this process only; clone and tgkill are below.
    private static let threads = """
        futex set_robust_list get_robust_list rseq set_tid_address membarrier sched_yield
        sched_getaffinity sched_get_priority_min sched_get_priority_max sched_getscheduler
        sched_getparam gettid getpid getcpu getuid geteuid getgid getegid
        """
    /// libdispatch's queues.
    private static let queues = """
        epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2 timerfd_create timerfd_settime
        """
    /// Signals to itself, time, exit.
    private static let signals = """
        rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack
        clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday getrandom getrusage
        times restart_syscall exit exit_group
        """
    private static let allowed = names([files, memory, threads, queues, signals].joined(separator: " "))

    private static func names(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Calls that libraries try but do not need: they return EPERM.
    private static let refused = """
        open openat openat2 creat stat lstat newfstatat statx access faccessat faccessat2 readlink
        readlinkat getcwd chdir fchdir getdents64 statfs fstatfs mkdir mkdirat unlink unlinkat rename
        renameat renameat2 link linkat symlink symlinkat fchmod fchown flock ioctl memfd_create
        inotify_init1 dup dup2 dup3 pipe pipe2 socket socketpair connect bind listen accept accept4
        getsockname getpeername setsockopt getsockopt shutdown sendto recvfrom kill tkill
        rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd setpriority
        getpriority ioprio_set sched_setaffinity sched_setattr sched_getattr sched_setscheduler
        sched_setparam set_mempolicy get_mempolicy mbind mlock mlock2 mlockall sysinfo uname arch_prctl
        getppid getpgrp getpgid getsid umask setsid setpgid capget landlock_create_ruleset
        landlock_add_rule landlock_restrict_self seccomp socketcall wait4 waitid alarm setitimer
        getitimer timer_create
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The purpose of a process.
    enum Role: Sendable {
        /// It serves one request.
        case worker
        /// It forks workers, which load their own filter; the stricter one counts.
        case forkServer
    }

    /// The further calls that a fork server needs: to fork, to wait, and what its forks arrange and give up before they load their own
    /// filter.
    private static let serving = names(
        """
        vfork wait4 close_range dup2 dup3 chdir getppid alarm tgkill prctl capset seccomp
        landlock_create_ruleset landlock_restrict_self
        """)

    /// Loads the filter into this process permanently.
    /// - Parameter control: the only descriptor on which messages may be sent and received.
    static func load(_ role: Role, control: Int32) -> Result<Void, SandboxFailure> {
        if role == .worker, let program = SandboxProgram.prepared(control: control) {
            return result(of: program.load())
        }
        return unsafe with(role, control: control, process: getpid()) { unsafe seccomp_load($0) }
    }

    /// Compiles the filter, without loading it.
    /// - Parameter process: the only process that a worker may signal: itself.
    static func compile(
        _ role: Role, control: Int32, process: Int32
    ) -> Result<[UInt64], SandboxFailure> {
        var program = [UInt64](repeating: 0, count: Int(UInt16.max) + 1)
        return unsafe with(role, control: control, process: process) { filter in
            let count = unsafe trim_seccomp_export(filter, &program, program.count)
            if count >= 0 { program.removeLast(program.count - Int(count)) }
            return Int32(clamping: min(0, count))
        }.map { program }
    }

    /// Passes the filter to `body`, which returns 0 or a negative errno.
    private static func with(
        _ role: Role, control: Int32, process: Int32, _ body: (UnsafeMutableRawPointer) -> Int32
    ) -> Result<Void, SandboxFailure> {
        guard let filter = unsafe seccomp_init(trim_act_kill) else {
            return .failure(SandboxFailure("libseccomp cannot make a filter"))
        }
        defer { unsafe seccomp_release(filter) }
        var code = unsafe trim_seccomp_strict(filter)
        let extra = role == .forkServer ? serving : []
        for name in allowed + extra where code == 0 {
            code = rule(name) { unsafe trim_seccomp_rule(filter, trim_act_allow, $0) }
        }
        for name in refused where code == 0 && !extra.contains(name) {
            code = rule(name) {
                unsafe trim_seccomp_rule(filter, trim_act_errno(EPERM), $0)
            }
        }
        if code == 0 { code = unsafe addSpecial(filter, special(role, control: control, process: process)) }
        if code == 0 { code = unsafe body(filter) }
        return result(of: code)
    }

    private static func result(of code: Int32) -> Result<Void, SandboxFailure> {
        guard code != 0 else { return .success(()) }
        return .failure(SandboxFailure("the kernel takes no filter of system calls (\(words(of: code)))"))
    }

    private static func rule(
        _ name: String, _ add: (Int32) -> Int32
    ) -> Int32 {
        let number = unsafe seccomp_syscall_resolve_name(name)
        // Unknown here: calls that are not listed kill the process.
        return number < 0 ? 0 : add(number)
    }
}

// MARK: Calls filtered by an argument

extension SandboxSyscallFilter {
    private struct Special {
        let action: UInt32
        let name: String
        /// The index of the argument, from 0.
        let argument: UInt32
        let how: Int32
        let a: UInt64
        var b: UInt64 = 0
    }

    private static func special(_ role: Role, control: Int32, process: Int32) -> [Special] {
        let allow = trim_act_allow
        let refuse = trim_act_errno(EPERM)
        let executable = UInt64(PROT_EXEC)
        var rules: [Special] = []
        for name in ["mmap", "mprotect"] {
            rules.append(Special(action: allow, name: name, argument: 2, how: trim_cmp_masked, a: executable))
            rules.append(
                Special(
                    action: refuse, name: name, argument: 2, how: trim_cmp_masked, a: executable,
                    b: executable))
        }
        // No CLONE_NEW…; in a worker with CLONE_VM, SIGHAND and THREAD: a thread. The filter cannot see the arguments of clone3;
        // glibc falls back to clone.
        let (mask, flags): (UInt64, UInt64) =
            role == .worker ? (0x7e03_0900, 0x1_0900) : (0x7e02_0000, 0)
        rules.append(
            Special(action: allow, name: "clone", argument: 0, how: trim_cmp_masked, a: mask, b: flags))
        rules.append(
            Special(
                action: trim_act_errno(ENOSYS), name: "clone3", argument: 0, how: trim_cmp_masked, a: 0, b: 0)
        )
        // The daemon's socket, and no other.
        for name in ["sendmsg", "recvmsg"] {
            rules.append(
                Special(action: allow, name: name, argument: 0, how: trim_cmp_equal, a: UInt64(control)))
        }
        // Only for itself (0), and without capabilities it can only lower limits.
        rules.append(Special(action: allow, name: "prlimit64", argument: 0, how: trim_cmp_equal, a: 0))
        if role == .worker {
            rules.append(
                Special(
                    action: allow, name: "tgkill", argument: 0, how: trim_cmp_equal, a: UInt64(process)))
            let setName: UInt64 = 15
            rules.append(
                Special(action: allow, name: "prctl", argument: 0, how: trim_cmp_equal, a: setName))
            rules.append(
                Special(action: refuse, name: "prctl", argument: 0, how: trim_cmp_unequal, a: setName))
        }
        // Not F_SETOWN and F_SETSIG, which send signals.
        for command in [F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC] {
            rules.append(
                Special(action: allow, name: "fcntl", argument: 1, how: trim_cmp_equal, a: UInt64(command)))
        }
        return rules
    }

    private static func addSpecial(_ filter: UnsafeMutableRawPointer, _ rules: [Special]) -> Int32 {
        for each in rules {
            let code = rule(each.name) {
                unsafe trim_seccomp_rule_where(
                    filter, each.action, $0, each.argument, each.how, each.a, each.b)
            }
            if code != 0 { return code }
        }
        return 0
    }
}
