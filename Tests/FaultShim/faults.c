// A library that is loaded before others (LD_PRELOAD) and lets one call of a program fail, or ends the program at it: the Nth of
// those that make, change, look at or give away files, descriptors and processes. Which one, and how, is said in a file that
// program and test map: TRIM_FAULTS names it. So one program can be struck again and again while it runs, and the test reads how
// many calls there were, and which one was struck.
//
// Calls of libdispatch are left alone: it ends the process where its own fail, which is not what is tested. The library's
// children do not load it unless they inherit the environment.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/// The orders of a test, and the answers to it. Tests/SystemTests/Faults/FaultShim.swift has the same layout.
struct control {
    _Atomic int64_t count;   // calls so far, while `mode` is not OFF
    _Atomic int64_t target;  // the call that is struck, counted from 1
    _Atomic int32_t mode;    // see below
    _Atomic int32_t code;    // the errno of a call that fails
    _Atomic int32_t struck;  // 1 once the call was struck
    int32_t changing;        // 1: only calls that change something are counted
    char what[64];           // its name
    char only[32];           // calls of this name alone are counted; empty: all
};
enum { OFF = 0, KILL = 1, FAIL = 2, FAIL_AFTER = 3, FAIL_FROM = 4 };

static struct control *control;
static __thread int within;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("TRIM_FAULTS");
    if (!path) return;
    within = 1;
    int (*real_open)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    int file = real_open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0) {
        void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) control = memory;
        int (*real_close)(int) = dlsym(RTLD_NEXT, "close");
        real_close(file);
    }
    within = 0;
}

/// 0: the call is made. FAIL: it is not, and fails. FAIL_AFTER: it is made, and fails all the same.
static int strike(const char *what, int changes, void *caller) {
    if (!control || within) return 0;
    int mode = atomic_load(&control->mode);
    if (mode == OFF || (control->changing && !changes)) return 0;
    if (control->only[0] && strcmp(control->only, what) != 0) return 0;
    Dl_info from;
    within = 1;
    int known = dladdr(caller, &from) && from.dli_fname;
    within = 0;
    if (known && (strstr(from.dli_fname, "ispatch") || strstr(from.dli_fname, "libc.so"))) return 0;
    int64_t count = atomic_fetch_add(&control->count, 1) + 1, target = atomic_load(&control->target);
    if (mode == FAIL_FROM ? count < target : count != target) return 0;
    strncpy(control->what, what, sizeof control->what - 1);
    atomic_store(&control->struck, 1);
    if (mode == KILL) {
        static long (*real)(long, ...);
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
        real(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    return mode == FAIL_FROM ? FAIL : mode;
}

#define REAL(type, name, ...)                                     \
    static type (*real)(__VA_ARGS__);                             \
    if (!real) {                                                  \
        within++;                                                 \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);      \
        within--;                                                 \
    }

/// A function of libc: strikes before the call or after it.
#define WRAP(type, name, changes, parameters, arguments)                                        \
    type name parameters {                                                                      \
        static type(*real) parameters;                                                          \
        if (!real) {                                                                            \
            within++;                                                                           \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                 \
            within--;                                                                           \
        }                                                                                       \
        int how = strike(#name, changes, __builtin_return_address(0));                          \
        if (how == FAIL) {                                                                      \
            errno = atomic_load(&control->code);                                                \
            return (type)-1;                                                                    \
        }                                                                                       \
        type answer = real arguments;                                                           \
        if (how == FAIL_AFTER && answer != (type)-1) {                                          \
            undo(#name, (long)answer);                                                          \
            errno = atomic_load(&control->code);                                                \
            return (type)-1;                                                                    \
        }                                                                                       \
        return answer;                                                                          \
    }

/// Of a call that made a descriptor nobody will hear of: it is closed.
static void undo(const char *name, long answer) {
    static const char *const makers[] = {"open", "openat", "dup", "accept", "socket", "epoll_create1"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strncmp(name, makers[i], strlen(makers[i])) == 0) {
            within++;
            close((int)answer);
            within--;
            return;
        }
    }
}

// Names and their files.
WRAP(int, rename, 1, (const char *a, const char *b), (a, b))
WRAP(int, renameat, 1, (int c, const char *a, int d, const char *b), (c, a, d, b))
WRAP(int, link, 1, (const char *a, const char *b), (a, b))
WRAP(int, linkat, 1, (int c, const char *a, int d, const char *b, int f), (c, a, d, b, f))
WRAP(int, unlink, 1, (const char *a), (a))
WRAP(int, unlinkat, 1, (int d, const char *a, int f), (d, a, f))
WRAP(int, symlink, 1, (const char *a, const char *b), (a, b))
WRAP(int, mkdir, 1, (const char *a, mode_t m), (a, m))
WRAP(int, rmdir, 1, (const char *a), (a))
WRAP(int, chmod, 1, (const char *a, mode_t m), (a, m))
WRAP(int, fchmod, 1, (int f, mode_t m), (f, m))
WRAP(int, fchown, 1, (int f, uid_t u, gid_t g), (f, u, g))
WRAP(int, access, 0, (const char *a, int m), (a, m))
WRAP(int, faccessat, 0, (int d, const char *a, int m, int f), (d, a, m, f))
WRAP(ssize_t, readlink, 0, (const char *a, char *b, size_t n), (a, b, n))

// The contents of files.
WRAP(ssize_t, write, 1, (int f, const void *b, size_t n), (f, b, n))
WRAP(ssize_t, pwrite, 1, (int f, const void *b, size_t n, off_t o), (f, b, n, o))
WRAP(ssize_t, pwrite64, 1, (int f, const void *b, size_t n, off64_t o), (f, b, n, o))
WRAP(ssize_t, writev, 1, (int f, const struct iovec *v, int n), (f, v, n))
WRAP(int, ftruncate, 1, (int f, off_t n), (f, n))
WRAP(int, ftruncate64, 1, (int f, off64_t n), (f, n))
WRAP(int, fsync, 1, (int f), (f))
WRAP(int, fdatasync, 1, (int f), (f))
WRAP(ssize_t, read, 0, (int f, void *b, size_t n), (f, b, n))
WRAP(ssize_t, pread, 0, (int f, void *b, size_t n, off_t o), (f, b, n, o))
WRAP(ssize_t, pread64, 0, (int f, void *b, size_t n, off64_t o), (f, b, n, o))

// The state of files.
WRAP(int, stat, 0, (const char *a, struct stat *s), (a, s))
WRAP(int, stat64, 0, (const char *a, struct stat64 *s), (a, s))
WRAP(int, lstat, 0, (const char *a, struct stat *s), (a, s))
WRAP(int, lstat64, 0, (const char *a, struct stat64 *s), (a, s))
WRAP(int, fstat, 0, (int f, struct stat *s), (f, s))
WRAP(int, fstat64, 0, (int f, struct stat64 *s), (f, s))
WRAP(int, fstatat, 0, (int d, const char *a, struct stat *s, int f), (d, a, s, f))
WRAP(int, fstatvfs, 0, (int f, struct statvfs *s), (f, s))

// Descriptors.
WRAP(int, dup, 1, (int f), (f))
WRAP(int, flock, 1, (int f, int h), (f, h))
WRAP(int, socket, 1, (int d, int t, int p), (d, t, p))
WRAP(int, socketpair, 1, (int d, int t, int p, int *f), (d, t, p, f))
WRAP(int, bind, 1, (int f, const struct sockaddr *a, socklen_t n), (f, a, n))
WRAP(int, listen, 1, (int f, int n), (f, n))
WRAP(int, connect, 1, (int f, const struct sockaddr *a, socklen_t n), (f, a, n))
WRAP(int, shutdown, 1, (int f, int h), (f, h))
WRAP(ssize_t, sendmsg, 1, (int f, const struct msghdr *m, int g), (f, m, g))
WRAP(ssize_t, recvmsg, 1, (int f, struct msghdr *m, int g), (f, m, g))
WRAP(int, epoll_create1, 1, (int g), (g))

/// Only to add a descriptor takes memory, or one of the user's watches: the rest does not fail for want of anything.
int epoll_ctl(int set, int act, int file, struct epoll_event *event) {
    REAL(int, "epoll_ctl", int, int, int, struct epoll_event *)
    int how = act == EPOLL_CTL_ADD ? strike("epoll_ctl", 1, __builtin_return_address(0)) : OFF;
    if (how != OFF) {
        errno = atomic_load(&control->code);
        return -1;
    }
    return real(set, act, file, event);
}

// Processes.
WRAP(int, kill, 1, (pid_t p, int s), (p, s))
WRAP(pid_t, waitpid, 1, (pid_t p, int *s, int o), (p, s, o))

/// Closed in any case, as the kernel does it.
int close(int file) {
    REAL(int, "close", int)
    int how = strike("close", 1, __builtin_return_address(0));
    int answer = real(file);
    if (how == OFF) return answer;
    errno = atomic_load(&control->code);
    return -1;
}

/// Shared by the functions that open: the mode is there only where a file may be made.
#define OPENS(name, first, parameters, arguments)                                     \
    int name parameters {                                                             \
        mode_t mode = 0;                                                              \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                        \
            va_list rest;                                                             \
            va_start(rest, flags);                                                    \
            mode = va_arg(rest, mode_t);                                              \
            va_end(rest);                                                             \
        }                                                                             \
        REAL(int, #name, first const char *, int, ...)                                \
        int how = strike(#name, 1, __builtin_return_address(0));                      \
        if (how == FAIL) {                                                            \
            errno = atomic_load(&control->code);                                      \
            return -1;                                                                \
        }                                                                             \
        int answer = real arguments;                                                  \
        if (how == FAIL_AFTER && answer >= 0) {                                       \
            undo(#name, answer);                                                      \
            errno = atomic_load(&control->code);                                      \
            return -1;                                                                \
        }                                                                             \
        return answer;                                                                \
    }
#define NOTHING
#define FOLDER int,
OPENS(open, NOTHING, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, NOTHING, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, FOLDER, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, FOLDER, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

/// Locks, copies and marks of descriptors; the third argument is an int or a pointer, passed on as it is.
#define CONTROLS(name)                                                                       \
    int name(int file, int command, ...) {                                                   \
        va_list rest;                                                                        \
        va_start(rest, command);                                                             \
        void *value = va_arg(rest, void *);                                                  \
        va_end(rest);                                                                        \
        REAL(int, #name, int, int, ...)                                                      \
        int changes = command != F_GETFL && command != F_GETFD;                              \
        int how = strike(#name, changes, __builtin_return_address(0));                       \
        if (how != OFF) {                                                                    \
            errno = atomic_load(&control->code);                                             \
            return -1;                                                                       \
        }                                                                                    \
        return real(file, command, value);                                                   \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

/// Of mappings those of files.
#define MAPS(name, offset)                                                                          \
    void *name(void *at, size_t size, int protection, int flags, int file, offset place) {          \
        REAL(void *, #name, void *, size_t, int, int, int, offset)                                  \
        int how = file >= 0 ? strike(#name, 1, __builtin_return_address(0)) : OFF;                  \
        if (how != OFF) {                                                                           \
            errno = atomic_load(&control->code);                                                    \
            return MAP_FAILED;                                                                      \
        }                                                                                           \
        return real(at, size, protection, flags, file, place);                                      \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

DIR *opendir(const char *path) {
    REAL(DIR *, "opendir", const char *)
    if (strike("opendir", 0, __builtin_return_address(0)) != OFF) {
        errno = atomic_load(&control->code);
        return NULL;
    }
    return real(path);
}

/// It answers the error's number.
int posix_spawn(
    pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const arguments[], char *const environment[]) {
    REAL(
        int, "posix_spawn", pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
        char *const[], char *const[])
    if (strike("posix_spawn", 1, __builtin_return_address(0)) != OFF) return atomic_load(&control->code);
    return real(pid, path, actions, attributes, arguments, environment);
}

/// A clone of blocks on a file system that shares none: copies them, if there is TRIM_CLONES. Where that is `spoil`, somebody writes to
/// the source while more than its beginning is cloned.
static int copy_clone(int fd, const struct file_clone_range *range) {
    static char buffer[1 << 16];
    if ((range->src_offset | range->src_length | range->dest_offset) % 4096) {
        errno = EINVAL;
        return -1;
    }
    within++;
    for (uint64_t done = 0; done < range->src_length;) {
        ssize_t got = pread((int)range->src_fd, buffer, sizeof buffer, (off_t)(range->src_offset + done));
        if (got > (ssize_t)(range->src_length - done)) got = (ssize_t)(range->src_length - done);
        if (got <= 0 || pwrite(fd, buffer, (size_t)got, (off_t)(range->dest_offset + done)) != got) {
            within--;
            errno = EINVAL;
            return -1;
        }
        done += (uint64_t)got;
    }
    if (range->dest_offset > 0 && strcmp(getenv("TRIM_CLONES"), "spoil") == 0) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", (int)range->src_fd);
        int source = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        if (write(source, "more", 4) != 4) abort();
        close(source);
    }
    within--;
    return 0;
}

/// Calls that libc has no name for.
long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
    va_end(rest);
    REAL(long, "syscall", long, ...)
    const char *name = NULL;
    int changes = 1;
    switch (number) {
        case SYS_renameat2: name = "renameat2"; break;
        case SYS_fallocate: name = "fallocate"; break;
        case SYS_pipe2: name = "pipe2"; break;
        case SYS_openat2: name = "openat2"; break;
        case SYS_accept4: name = "accept4"; break;
        case SYS_pidfd_open: name = "pidfd_open"; break;
        case SYS_pidfd_send_signal: name = "pidfd_send_signal"; break;
        case SYS_close_range: name = "close_range"; break;
        case SYS_ioctl: name = a[1] == (long)FICLONERANGE ? "clone" : NULL; break;
        case SYS_copy_file_range: name = "copy_file_range"; break;
        case SYS_fgetxattr: name = "fgetxattr"; changes = 0; break;
        default: break;
    }
    int how = name ? strike(name, changes, __builtin_return_address(0)) : OFF;
    if (how == FAIL) {
        errno = atomic_load(&control->code);
        return -1;
    }
    if (number == SYS_ioctl && a[1] == (long)FICLONERANGE && getenv("TRIM_CLONES")) {
        return copy_clone((int)a[0], (const struct file_clone_range *)a[2]);
    }
    long answer = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (how != OFF && answer != -1) {
        if (number == SYS_openat2 || number == SYS_accept4 || number == SYS_pidfd_open) undo("open", answer);
        errno = atomic_load(&control->code);
        return -1;
    }
    return answer;
}
