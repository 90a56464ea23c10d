// Sandboxing interfaces, and wrappers for declarations that Swift does not import: libseccomp's variadic rules, Landlock and
// the capabilities (for which glibc has no names), limits, fork. No policy: Swift code sets the allowed calls.
//
// Each function returns 0 (or the call's result), or a negative errno.
#pragma once
#include <errno.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static inline int64_t trim_result(long code) { return code < 0 ? -(int64_t)errno : (int64_t)code; }

/// A system call with up to six integer arguments, for the self-test.
static inline int64_t trim_call(int number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
    return trim_result(syscall(number, a, b, c, d, e, f));
}

// MARK: libseccomp

static const uint32_t trim_act_kill = SCMP_ACT_KILL_PROCESS;
static const uint32_t trim_act_allow = SCMP_ACT_ALLOW;
static inline uint32_t trim_act_errno(int number) { return SCMP_ACT_ERRNO((uint16_t)number); }

/// Sets the action for a call, whatever its arguments.
static inline int trim_seccomp_rule(scmp_filter_ctx filter, uint32_t action, int call) {
    return seccomp_rule_add(filter, action, call, 0);
}

/// Sets the action for a call if an argument matches: `how` with `a` (SCMP_CMP_MASKED_EQ: the mask) and `b`.
static inline int trim_seccomp_rule_where(
    scmp_filter_ctx filter, uint32_t action, int call, unsigned int argument, int how, uint64_t a, uint64_t b) {
    return seccomp_rule_add(
        filter, action, call, 1, SCMP_CMP64(argument, (enum scmp_compare)how, a, b));
}

static const int trim_cmp_equal = SCMP_CMP_EQ;
static const int trim_cmp_unequal = SCMP_CMP_NE;
static const int trim_cmp_masked = SCMP_CMP_MASKED_EQ;

/// Kills processes of other architectures (32 bits, x32); a failed load returns the kernel's errno.
static inline int trim_seccomp_strict(scmp_filter_ctx filter) {
    int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (code == 0) code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
    if (code == 0) code = seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1);
    // A binary tree if libseccomp supports it: a list of a hundred calls is noticeably slower.
    if (code == 0) (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    return code;
}

/// Compiles a filter to the program that `seccomp_load` would load. Writes at most `most` instructions; returns their number.
static inline int64_t trim_seccomp_export(scmp_filter_ctx filter, uint64_t *program, size_t most) {
    int file = (int)syscall(SYS_memfd_create, "filter", 1u);
    if (file < 0) return trim_result(-1);
    int64_t code = seccomp_export_bpf(filter, file);
    if (code == 0) code = trim_result(pread(file, program, most * sizeof *program, 0));
    close(file);
    if (code < 0) return code;
    // As many as there is room for: there may be more.
    if (code % 8 != 0 || (size_t)code == most * 8) return -EINVAL;
    return code / 8;
}

/// Whether an instruction jumps where the accumulator is `value`.
static inline int trim_bpf_compares(uint64_t instruction, uint32_t value) {
    struct sock_filter filter;
    memcpy(&filter, &instruction, sizeof filter);
    return filter.code == (BPF_JMP | BPF_JEQ | BPF_K) && filter.k == value;
}

/// An instruction with another constant.
static inline uint64_t trim_bpf_constant(uint64_t instruction, uint32_t value) {
    struct sock_filter filter;
    memcpy(&filter, &instruction, sizeof filter);
    filter.k = value;
    memcpy(&instruction, &filter, sizeof filter);
    return instruction;
}

/// Loads a program as `seccomp_load` does.
static inline int trim_seccomp_load(const uint64_t *program, unsigned short count) {
    struct sock_fprog all = {count, (struct sock_filter *)program};
    return (int)trim_result(syscall(SYS_seccomp, 1u, 0u, &all));
}

// MARK: Landlock (linux/landlock.h of a newer kernel than Debian's headers)

struct trim_landlock_ruleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

/// The Landlock ABI version; negative if unavailable.
static inline int trim_landlock_abi(void) { return (int)trim_result(syscall(444, (void *)0, 0, 1u)); }

/// Restricts this thread, and those it starts, from everything that the ruleset handles. `size`: the size of the ruleset that
/// the kernel knows, in bytes.
static inline int trim_landlock_restrict(const struct trim_landlock_ruleset *rules, size_t size) {
    int64_t ruleset = trim_result(syscall(444, rules, size, 0u));
    if (ruleset < 0) return (int)ruleset;
    int64_t code = trim_result(syscall(446, (int)ruleset, 0u));
    close((int)ruleset);
    return (int)code;
}

// MARK: rights and limits

static inline int trim_set_no_new_privs_code(void) {
    return (int)trim_result(prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL));
}

static inline int trim_set_undumpable(void) { return (int)trim_result(prctl(PR_SET_DUMPABLE, 0UL, 0, 0, 0)); }

/// Drops every capability.
static inline int trim_drop_capabilities(void) {
    struct {
        uint32_t version;
        int pid;
    } header = {0x20080522u, 0};
    uint32_t none[6] = {0, 0, 0, 0, 0, 0};
    return (int)trim_result(syscall(SYS_capset, &header, none));
}

static inline int trim_limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit limit = {soft, hard};
    return (int)trim_result(setrlimit((__rlimit_resource_t)resource, &limit));
}

/// The hard limit of a resource; all ones: unlimited or unknown.
static inline uint64_t trim_limit_hard(int resource) {
    struct rlimit limit;
    return getrlimit((__rlimit_resource_t)resource, &limit) == 0 ? limit.rlim_max : ~0ULL;
}

static const int trim_limit_as = RLIMIT_AS;
static const int trim_limit_cpu = RLIMIT_CPU;
static const int trim_limit_fsize = RLIMIT_FSIZE;
static const int trim_limit_nofile = RLIMIT_NOFILE;
static const int trim_limit_core = RLIMIT_CORE;

static inline int trim_fork(void) { return (int)trim_result(fork()); }

/// Forks a process whose parent becomes the nearest subreaper above this one; before the return in this process. Returns 0 in
/// the new process, its PID here, or a negative errno.
///
/// The process between the two is made by vfork: it shares this one's memory, which stands still meanwhile, and does nothing but
/// fork and exit; so the memory's tables are copied once, not twice. The new process has a copy of the stack, and may return.
__attribute__((noinline)) static inline int trim_fork_orphan(void) {
    volatile int child = -EAGAIN;
    pid_t between = vfork();
    if (between == 0) {
        pid_t made = fork();
        if (made == 0) return 0;
        child = made < 0 ? -errno : made;
        _exit(0);
    }
    if (between < 0) return -errno;
    // A process that can be waited for has already given its children away.
    while (waitpid(between, (int *)0, 0) < 0 && errno == EINTR) {}
    return child;
}

// MARK: numbers of calls, for the self-test

static const int trim_sys_openat = SYS_openat, trim_sys_unlinkat = SYS_unlinkat, trim_sys_execve = SYS_execve,
                 trim_sys_mount = SYS_mount, trim_sys_clone = SYS_clone, trim_sys_clone3 = SYS_clone3,
                 trim_sys_ptrace = SYS_ptrace, trim_sys_process_vm_readv = SYS_process_vm_readv,
                 trim_sys_kill = SYS_kill, trim_sys_tgkill = SYS_tgkill, trim_sys_pidfd_open = SYS_pidfd_open,
                 trim_sys_pidfd_send_signal = SYS_pidfd_send_signal, trim_sys_prlimit64 = SYS_prlimit64,
                 trim_sys_unshare = SYS_unshare, trim_sys_socket = SYS_socket,
                 trim_sys_socketpair = SYS_socketpair, trim_sys_mmap = SYS_mmap, trim_sys_mprotect = SYS_mprotect,
                 trim_sys_io_uring_setup = SYS_io_uring_setup, trim_sys_bpf = SYS_bpf,
                 trim_sys_perf_event_open = SYS_perf_event_open, trim_sys_keyctl = SYS_keyctl,
                 trim_sys_userfaultfd = SYS_userfaultfd, trim_sys_prctl = SYS_prctl;
