// The attempts of the self-test: one small operation each, harmless where it succeeds. Data that only an unsandboxed process can
// get (its parent's PID, a path to write to) is prepared before sealing.
//
// `unsafe` here: C strings and buffers that live as long as a call.
internal import CLinux
internal import CSeccomp
internal import Glibc

/// An operation that a sandboxed worker must not be able to do.
struct SandboxAttempt: Sendable {
    /// The result of an attempt.
    struct Result: Sendable {
        let name: String
        let isRefused: Bool
        let how: String
    }

    /// The target of an attempt.
    struct Target: Sendable {
        /// The process to attack: this one's parent, which is unsandboxed and has the same user.
        let parent: Int32
    }

    let name: String
    /// Negative: refused, with this errno.
    let attempt: @Sendable (Target) -> Int64

    init(_ name: String, _ attempt: @escaping @Sendable (Target) -> Int64) {
        self.name = name
        self.attempt = attempt
    }

    /// Runs before the process is sealed.
    func prepare() -> Target { Target(parent: getppid()) }

    func result(_ isRefused: Bool, _ how: String) -> Result {
        Result(name: name, isRefused: isRefused, how: how)
    }

    /// A raw system call, without a library function.
    private static func call(
        _ number: Int32, _ a: Int64 = 0, _ b: Int64 = 0, _ c: Int64 = 0, _ d: Int64 = 0, _ e: Int64 = 0,
        _ f: Int64 = 0
    ) -> Int64 { trim_call(number, a, b, c, d, e, f) }

    private static func number(_ pointer: UnsafeRawPointer) -> Int64 {
        Int64(Int(bitPattern: pointer))
    }

    private static func opening(_ path: String, _ flags: Int32) -> Int64 {
        unsafe path.withCString { unsafe call(trim_sys_openat, -100, number($0), Int64(flags), 0o600) }
    }

    private static func mapping(_ protection: Int32) -> Int64 {
        let anonymous: Int64 = 0x22
        let code = call(trim_sys_mmap, 0, 4096, Int64(protection), anonymous, -1, 0)
        return code < 0 && code > -4096 ? code : 0
    }

    /// All attempts.
    static let all: [SandboxAttempt] = files + processes + others

    private static let files = [
        SandboxAttempt("read a file") { _ in opening("/etc/passwd", O_RDONLY) },
        SandboxAttempt("list a folder") { _ in opening("/", O_RDONLY | O_DIRECTORY) },
        SandboxAttempt("make a file") { _ in
            let path = "/tmp/trim-worker-selftest-\(getpid())"
            let code = opening(path, O_WRONLY | O_CREAT | O_EXCL)
            if code >= 0 { unsafe unlink(path) }
            return code
        },
        SandboxAttempt("remove a file") { _ in
            let code = unsafe "/trim-worker-selftest-none".withCString {
                unsafe call(trim_sys_unlinkat, -100, number($0), 0)
            }
            // Without the sandbox the call returns ENOENT.
            return code == -Int64(ENOENT) ? 0 : code
        },
        SandboxAttempt("run a program") { _ in
            unsafe "/bin/true".withCString { path in
                var arguments = unsafe [UnsafePointer(path), nil]
                var none: [UnsafePointer<CChar>?] = unsafe [nil]
                return unsafe call(trim_sys_execve, number(path), number(&arguments), number(&none))
            }
        },
        SandboxAttempt("mount a file system") { _ in
            unsafe "none".withCString {
                unsafe call(trim_sys_mount, number($0), number($0), number($0), 0, 0)
            }
        },
    ]

    private static let processes = [
        SandboxAttempt("fork") { _ in
            let child = call(trim_sys_clone, Int64(SIGCHLD))
            if child == 0 { _exit(0) }
            return child
        },
        SandboxAttempt("fork with clone3") { _ in
            var arguments = [UInt64](repeating: 0, count: 8)
            arguments[4] = UInt64(SIGCHLD)
            let child = unsafe call(trim_sys_clone3, number(&arguments), 64)
            if child == 0 { _exit(0) }
            return child
        },
        SandboxAttempt("be traced") { _ in call(trim_sys_ptrace, 0) },
        SandboxAttempt("trace its starter") { target in
            let attach: Int64 = 0x4206  // PTRACE_SEIZE
            let code = call(trim_sys_ptrace, attach, Int64(target.parent))
            if code == 0 { _ = call(trim_sys_ptrace, 17, Int64(target.parent)) }
            return code
        },
        SandboxAttempt("read its starter's memory") { target in
            var byte: [UInt64] = [0]
            return unsafe byte.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                var here: [Int64] = [unsafe number(base), 8]
                // The same address: the parent forked this process.
                var there = here
                return unsafe call(
                    trim_sys_process_vm_readv, Int64(target.parent), number(&here), 1, number(&there), 1, 0)
            }
        },
        SandboxAttempt("open its starter's memory") { target in
            opening("/proc/\(target.parent)/mem", O_RDONLY)
        },
        SandboxAttempt("open its own memory") { _ in opening("/proc/self/mem", O_RDWR) },
        SandboxAttempt("signal its starter") { target in call(trim_sys_kill, Int64(target.parent), 0) },
        SandboxAttempt("signal its starter's thread") { target in
            call(trim_sys_tgkill, Int64(target.parent), Int64(target.parent), 0)
        },
        SandboxAttempt("signal by pidfd") { target in
            let file = call(trim_sys_pidfd_open, Int64(target.parent), 0)
            return file < 0 ? file : call(trim_sys_pidfd_send_signal, file, 0, 0, 0)
        },
        SandboxAttempt("raise its limits of another") { target in
            var old: [UInt64] = [0, 0]
            return unsafe call(trim_sys_prlimit64, Int64(target.parent), 7, 0, number(&old))
        },
        SandboxAttempt("unshare its name spaces") { _ in call(trim_sys_unshare, 0x1000_0000) },
    ]

    private static let others = [
        SandboxAttempt("connect to the network") { _ in call(trim_sys_socket, 2, 1, 0) },
        SandboxAttempt("make a Unix socket") { _ in call(trim_sys_socket, 1, 1, 0) },
        SandboxAttempt("make a netlink socket") { _ in call(trim_sys_socket, 16, 3, 0) },
        SandboxAttempt("make a pair of sockets") { _ in
            var pair: [Int32] = [0, 0]
            return unsafe call(trim_sys_socketpair, 1, 1, 0, number(&pair))
        },
        SandboxAttempt("make memory that is written and run") { _ in
            mapping(PROT_READ | PROT_WRITE | PROT_EXEC)
        },
        SandboxAttempt("make memory that is run") { _ in mapping(PROT_READ | PROT_EXEC) },
        SandboxAttempt("make its memory run") { _ in
            let page = call(trim_sys_mmap, 0, 4096, Int64(PROT_READ | PROT_WRITE), 0x22, -1, 0)
            return page < 0 && page > -4096
                ? 0 : call(trim_sys_mprotect, page, 4096, Int64(PROT_READ | PROT_EXEC))
        },
        SandboxAttempt("use io_uring") { _ in
            var parameters = [UInt64](repeating: 0, count: 32)
            return unsafe call(trim_sys_io_uring_setup, 1, number(&parameters))
        },
        SandboxAttempt("load a program into the kernel") { _ in
            var attributes = [UInt64](repeating: 0, count: 16)
            return unsafe call(trim_sys_bpf, 0, number(&attributes), 128)
        },
        SandboxAttempt("watch the processor") { _ in
            var attributes = [UInt64](repeating: 0, count: 16)
            attributes[0] = 128 << 32
            return unsafe call(trim_sys_perf_event_open, number(&attributes), 0, -1, -1, 0)
        },
        SandboxAttempt("use keys of the kernel") { _ in call(trim_sys_keyctl, 0, -3, 0) },
        SandboxAttempt("use user faults") { _ in call(trim_sys_userfaultfd, 1) },
        SandboxAttempt("become dumpable") { _ in call(trim_sys_prctl, 4, 1) },
    ]
}
