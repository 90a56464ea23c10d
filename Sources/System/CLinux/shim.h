// Linux interfaces that the Glibc module does not export: GNU names, ancillary data, process descriptors. No state, no policy:
// each function is one system call (or one macro) under a name that Swift imports. All return the call's result, -1 with errno
// set on failure, unless documented otherwise.
//
// No _GNU_SOURCE: headers like <fcntl.h> come from the prebuilt Glibc module, without the GNU names, and a header read here
// with other macros than there clashes with it (fd_set). So constants are spelled out, and calls go through syscall(2).
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/fs.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: constants

static const int trim_O_TMPFILE = 020000000 | O_DIRECTORY;  // the same on x86-64, arm64 and riscv64
static const int trim_O_PATH = 010000000;
static const int trim_AT_EMPTY_PATH = 0x1000;
static const int trim_MSG_NOSIGNAL = 0x4000;
static const int trim_MSG_DONTWAIT = 0x40;
/// The longest path of a Unix socket in bytes, without its NUL.
static const int trim_sun_path_max = (int)sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
/// The most descriptors per trim_sendmsg_fds or trim_recvmsg_fds.
#define TRIM_FDS_MAX 32
static const int trim_fds_max = TRIM_FDS_MAX;

// MARK: files

/// Renames without replacing: EEXIST if the new name exists, EINVAL if the file system does not support this.
static inline int trim_rename_noreplace(int olddir, const char *oldpath, int newdir, const char *newpath) {
    return (int)syscall(SYS_renameat2, olddir, oldpath, newdir, newpath, 1u /* RENAME_NOREPLACE */);
}

/// Links an O_TMPFILE descriptor to a name, without CAP_DAC_READ_SEARCH (through /proc/self/fd).
static inline int trim_link_tmpfile(int fd, int newdir, const char *newpath) {
    char from[40];
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, from, newdir, newpath, 0x400 /* AT_SYMLINK_FOLLOW */);
}

/// Whether a file is on btrfs; 0 where it is not known.
static inline int trim_is_btrfs(int fd) {
    struct statfs facts;
    return fstatfs(fd, &facts) == 0 && (uint32_t)facts.f_type == 0x9123683e /* BTRFS_SUPER_MAGIC */;
}

/// Reserves blocks beyond the end without changing the file's size.
static inline int trim_fallocate_keep_size(int fd, int64_t offset, int64_t length) {
    return (int)syscall(SYS_fallocate, fd, 1 /* FALLOC_FL_KEEP_SIZE */, offset, length);
}

/// Gives a file blocks of another one, which both then share on the disk.
static inline int trim_clone_range(int fd, int64_t offset, int source, int64_t from, int64_t length) {
    struct file_clone_range range = {source, (uint64_t)from, (uint64_t)length, (uint64_t)offset};
    return (int)syscall(SYS_ioctl, fd, FICLONERANGE, &range);
}

/// Copies bytes between two files in the kernel; the number of them, which may be smaller.
static inline long trim_copy_file_range(int source, int64_t from, int fd, int64_t offset, long length) {
    return syscall(SYS_copy_file_range, source, &from, fd, &offset, length, 0u);
}

/// An anonymous file in memory, close-on-exec.
static inline int trim_memfd_create(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */);
}

/// The same, and it can be sealed.
static inline int trim_memfd_create_sealable(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 3u /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
}

/// Seals a file in memory: nobody can change it, or unseal it.
static inline int trim_memfd_seal(int fd) {
    return fcntl(fd, 1033 /* F_ADD_SEALS */, 15 /* SEAL, SHRINK, GROW, WRITE */);
}

/// A pipe, both ends close-on-exec: fds[0] reads, fds[1] writes.
static inline int trim_pipe(int *fds) { return (int)syscall(SYS_pipe2, fds, O_CLOEXEC); }

/// Closes every descriptor from first to last, inclusive.
static inline int trim_close_range(unsigned int first, unsigned int last) {
    return (int)syscall(SYS_close_range, first, last, 0u);
}

/// Marks every descriptor from first to last close-on-exec.
static inline int trim_close_range_on_exec(unsigned int first, unsigned int last) {
    return (int)syscall(SYS_close_range, first, last, 4u /* CLOSE_RANGE_CLOEXEC */);
}

/// The argument of openat2(2) (struct open_how).
struct trim_open_how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};

/// Opens a relative path beneath an open folder: EXDEV if a link or `..` leads out of it, ELOOP for links of /proc, ENOSYS if
/// the kernel lacks the call. Close-on-exec.
static inline int trim_open_beneath(int folder, const char *path, int flags) {
    struct trim_open_how how = {(uint64_t)(unsigned int)(flags | O_CLOEXEC), 0, 0x08 /* BENEATH */ | 0x02 /* NO_MAGICLINKS */};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// The same, through no link at all: ELOOP.
static inline int trim_open_beneath_no_links(int folder, const char *path, int flags) {
    struct trim_open_how how = {(uint64_t)(unsigned int)(flags | O_CLOEXEC), 0,
                                0x08 /* BENEATH */ | 0x04 /* NO_SYMLINKS */ | 0x02 /* NO_MAGICLINKS */};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// Reads an extended attribute of an open file; returns its size in bytes.
static inline int64_t trim_fgetxattr(int fd, const char *name, void *value, size_t size) {
    return (int64_t)syscall(SYS_fgetxattr, fd, name, value, size);
}

/// The result of statx(2) (struct statx): the fields used here, padded to its size.
struct trim_statx {
    uint8_t before_mode[28];
    uint16_t mode;
    uint8_t after_mode[226];
};

/// fstat by its own system call: that of glibc 2.33 to 2.38 is newfstatat, which takes a path and is refused to a sealed process.
static inline int trim_fstat(int fd, struct stat *status) { return (int)syscall(SYS_fstat, fd, status); }

/// The file type of an open descriptor, as in st_mode & S_IFMT. Queries no remote server and no FUSE program
/// (AT_STATX_DONT_SYNC), so that it never blocks on one.
static inline int trim_file_type(int fd) {
    struct trim_statx status;
    if (syscall(SYS_statx, fd, "", trim_AT_EMPTY_PATH | 0x4000 /* AT_STATX_DONT_SYNC */, 1u /* STATX_TYPE */, &status) == 0)
        return status.mode & S_IFMT;
    // Seccomp filters of old container runtimes reject statx as unknown.
    struct stat old;
    return trim_fstat(fd, &old) == 0 ? (int)(old.st_mode & S_IFMT) : -1;
}

static inline int64_t trim_getrandom(void *buffer, size_t count) {
    return (int64_t)syscall(SYS_getrandom, buffer, count, 0u);
}

/// Locks a whole file for its open file description (F_OFD_SETLK): ends with it, is carried by NFS. -1 and EAGAIN: locked elsewhere.
static inline int trim_try_lock(int fd) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
    return fcntl(fd, 37 /* F_OFD_SETLK, the same on all Linux */, &whole);
}

// MARK: processes

static inline int trim_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0u); }

static inline int trim_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, (void *)0, 0u);
}

/// Limits the size of the files that a process writes; a lower limit is kept.
static inline int trim_limit_file_size(int pid, uint64_t bytes) {
    struct { uint64_t soft, hard; } limit;
    if (syscall(SYS_prlimit64, pid, 1 /* RLIMIT_FSIZE */, (void *)0, &limit) < 0) return -1;
    if (limit.hard <= bytes) return 0;
    limit.soft = bytes;
    limit.hard = bytes;
    return (int)syscall(SYS_prlimit64, pid, 1, &limit, (void *)0);
}

/// The number of processors that this process may run on; -1 on failure.
static inline int trim_affinity_count(void) {
    unsigned char mask[1024];
    long bytes = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long i = 0; i < bytes; i++) count += __builtin_popcount(mask[i]);
    return bytes < 0 ? -1 : count;
}

/// Gives a thread (a process that has one) a nice value.
static inline int trim_set_nice(int tid, int nice) { return (int)syscall(SYS_setpriority, 0 /* PRIO_PROCESS */, tid, nice); }

/// Lets a thread (a process that has one) run only while others leave processors idle.
static inline int trim_set_idle(int tid) {
    int priority = 0;
    return (int)syscall(SYS_sched_setscheduler, tid, 5 /* SCHED_IDLE */, &priority);
}

/// Reaps a child as waitpid does; `peak` becomes the most memory that it had resident, in bytes.
static inline int trim_reap(int pid, int *status, int64_t *peak) {
    struct { long times[4], maxrss, rest[13]; } usage;
    int answer = (int)syscall(SYS_wait4, pid, status, WNOHANG, &usage);
    if (answer > 0) *peak = (int64_t)usage.maxrss * 1024;
    return answer;
}

static inline int trim_wifexited(int status) { return WIFEXITED(status) ? 1 : 0; }
static inline int trim_wexitstatus(int status) { return WEXITSTATUS(status); }
static inline int trim_wifsignaled(int status) { return WIFSIGNALED(status) ? 1 : 0; }
static inline int trim_wtermsig(int status) { return WTERMSIG(status); }
static inline int trim_wcoredump(int status) { return (status & 0x80) != 0 ? 1 : 0; }

/// Makes this process the parent of descendants whose own parent exits.
static inline int trim_set_child_subreaper(void) {
    return prctl(36 /* PR_SET_CHILD_SUBREAPER */, 1UL, 0UL, 0UL, 0UL);
}

static inline int trim_set_dumpable(int on) { return prctl(PR_SET_DUMPABLE, (unsigned long)on, 0, 0, 0); }
static inline int trim_set_no_new_privs(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL); }
/// Names the calling thread; the kernel truncates to 15 bytes.
static inline int trim_set_thread_name(const char *name) {
    return prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
}

/// Limits glibc's arenas; 1 on success, 0 on failure.
static inline int trim_mallopt_arena_max(int count) { return mallopt(M_ARENA_MAX, count); }

/// Has glibc merge small freed blocks with their neighbours at once, for all threads; 1 on success, 0 on failure. It otherwise keeps them
/// aside, and goes through all of them each time a block is freed at the end of an arena. Aligned blocks, which FFmpeg's all are, free
/// such a block with each allocation. Each thread keeps some small blocks of its own either way.
static inline int trim_merge_freed_memory(void) { return mallopt(M_MXFAST, 0); }

/// Has glibc fill the blocks that malloc returns from now on with a byte below 255, but for those of a KiB and less that were used before;
/// 1 on success, 0 on failure.
static inline int trim_fill_new_memory(int byte) { return mallopt(M_PERTURB, ~byte & 0xFF); }

/// Has glibc leave the blocks that malloc returns from now on as they are; 1 on success, 0 on failure.
static inline int trim_leave_new_memory(void) { return mallopt(M_PERTURB, 0); }

/// Gives the calling thread's arena room for `bytes`, a multiple of 2 MiB, at once, in huge pages where the kernel has them: an arena
/// otherwise grows by a few pages at a time, and each page costs a fault. Memory that is not used afterwards costs addresses only. For
/// a thread whose arena is new and not that of the program's first thread: glibc places it at a multiple of 64 MiB. Elsewhere nothing
/// is gained, and nothing breaks: the kernel takes the call for advice.
static inline void trim_reserve_arena(size_t bytes) {
    const uintptr_t huge = 2u << 20;
    const int huge_pages = 14; // MADV_HUGEPAGE
    // This block is a mapping of its own. Its release makes glibc take smaller blocks from the arena, and keep them there.
    char *volatile block = malloc(bytes + huge);
    free(block);
    char *volatile first = malloc(64);
    const uintptr_t start = (uintptr_t)first & ~(huge - 1);
    syscall(SYS_madvise, start + huge, bytes, huge_pages);
    // The arena's own words make small pages of its first 2 MiB. The rest of those is passed over for good. The words behind the room
    // come to lie in a small page as well: within it, they would make its last huge page resident.
    block = malloc(start + huge - (uintptr_t)first - 4096);
    block = malloc(bytes + 4096);
    free(block);
    free(first);
}

/// Gives the calling thread the next `bytes` of its stack at once, which it has: page by page, each costs a fault. Where the kernel, before
/// 5.14, does not know how, nothing is gained.
static inline void trim_reserve_stack(size_t bytes) {
    const uintptr_t page = 4096;
    const int populate_write = 23; // MADV_POPULATE_WRITE
    volatile char here = 0;
    syscall(SYS_madvise, (((uintptr_t)&here & ~(page - 1)) - bytes), bytes, populate_write);
}

/// Returns free memory of all arenas to the system; 1 if there was some.
static inline int trim_malloc_trim(void) { return malloc_trim(0); }

/// In a child made by posix_spawn: closes every descriptor from first on. Returns an error number, as posix_spawn does.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
static inline int trim_spawn_addclosefrom(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// MARK: loaded libraries

/// A library as it is mapped: its path, the bytes that its linker stored to identify it (NULL if none), and its code.
struct trim_library {
    const char *path;
    const uint8_t *build;
    size_t build_size;
    const uint8_t *code;
    size_t code_size;
};

/// The beginning of struct dl_phdr_info, a GNU name.
struct trim_phdr_info {
    ElfW(Addr) base;
    const char *name;
    const ElfW(Phdr) *headers;
    ElfW(Half) count;
};
extern int dl_iterate_phdr(int (*)(struct trim_phdr_info *, size_t, void *), void *);

struct trim_library_walk {
    void (*visit)(const struct trim_library *, void *);
    void *context;
};

/// Finds the note NT_GNU_BUILD_ID among those of a segment.
static inline void trim_find_build(struct trim_library *library, const uint8_t *notes, size_t size, size_t align) {
    size_t mask = align == 8 ? 7 : 3;
    size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= size) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note;
        size_t bytes = at + ((sizeof note + note.n_namesz + mask) & ~mask);
        if (bytes > size || note.n_descsz > size - bytes) return;
        if (note.n_type == 3 /* NT_GNU_BUILD_ID */ && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4)) {
            library->build = notes + bytes;
            library->build_size = note.n_descsz;
            return;
        }
        at = bytes + ((note.n_descsz + mask) & ~mask);
    }
}

static inline int trim_visit_library(struct trim_phdr_info *info, size_t size, void *walk) {
    struct trim_library library = {info->name, NULL, 0, NULL, 0};
    (void)size;
    for (int i = 0; i < info->count; i++) {
        const ElfW(Phdr) *header = &info->headers[i];
        const uint8_t *begin = (const uint8_t *)(info->base + header->p_vaddr);
        if (header->p_type == PT_NOTE && !library.build)
            trim_find_build(&library, begin, header->p_memsz, header->p_align);
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) && !library.code) {
            library.code = begin;
            library.code_size = header->p_filesz;
        }
    }
    const struct trim_library_walk *to = (const struct trim_library_walk *)walk;
    to->visit(&library, to->context);
    return 0;
}

/// Calls a function for each library that is mapped, the program first (its path is empty). Opens no file.
static inline void trim_each_library(void (*visit)(const struct trim_library *, void *), void *context) {
    struct trim_library_walk walk = {visit, context};
    dl_iterate_phdr(trim_visit_library, &walk);
}

/// The data of a library in memory: what the linker made read-only after relocation ends at `relocated`, the rest can be written.
struct trim_library_data {
    uint8_t *begin, *relocated, *end;
};
struct trim_data_walk {
    struct trim_library_data data[512];
    int count;
};

static inline int trim_visit_data(struct trim_phdr_info *info, size_t size, void *context) {
    struct trim_data_walk *walk = (struct trim_data_walk *)context;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    uintptr_t begin = 0, end = 0, protected_from = 0, protected_to = 0;
    int segments = 0;
    (void)size;
    for (int i = 0; i < info->count; i++) {
        const ElfW(Phdr) *header = &info->headers[i];
        const uintptr_t first = info->base + header->p_vaddr, last = first + header->p_memsz;
        if (header->p_type == PT_LOAD && (header->p_flags & (PF_W | PF_X)) == PF_W) {
            begin = first & ~page;
            end = (last + page) & ~page;
            segments++;
        }
        if (header->p_type == PT_GNU_RELRO) {
            // As ld.so protects it: whole pages only.
            protected_from = first & ~page;
            protected_to = last & ~page;
        }
    }
    if (protected_from >= protected_to) protected_from = protected_to = begin;
    // Of any other shape than linkers give it, it stays as it is.
    if (segments != 1 || walk->count == 512 || protected_from != begin || protected_to > end) return 0;
    walk->data[walk->count++] = (struct trim_library_data){(uint8_t *)begin, (uint8_t *)protected_to, (uint8_t *)end};
    return 0;
}

/// Maps bytes of a file in memory, which it gives the bytes that lie there now, in their place; 0 on success. Pages of zeros stay holes.
/// Where the kernel takes the old pages away and then fails, this process is of no use any more, and ends.
static inline int trim_replace_by_copy(uint8_t *begin, uint8_t *end, int file, off_t at, int protection) {
    static const uint8_t zeros[4096];
    for (uint8_t *page = begin; page < end; page += sizeof zeros)
        if (memcmp(page, zeros, sizeof zeros) && pwrite(file, page, sizeof zeros, at + (page - begin)) != sizeof zeros) return -1;
    void *placed = mmap(begin, (size_t)(end - begin), protection, MAP_PRIVATE | MAP_FIXED, file, at);
    if (placed != (void *)begin) _exit(5);
    return 0;
}

/// Replaces the data of the program and of all libraries by private mappings of one file in memory with the same bytes. A page that was
/// written, as most of these were by relocation, is copied to the page tables of each fork, with what the kernel has to know of it; one
/// of a file is not. In a process with one thread, which loads nothing afterwards. Data that cannot be replaced stay as they are.
/// - Returns: bytes that were replaced; below zero where there is no such file.
static inline long trim_share_library_data(void) {
    struct trim_data_walk walk = {.count = 0};
    if (sysconf(_SC_PAGESIZE) != 4096) return -1;
    const int file = trim_memfd_create_sealable("data");
    if (file < 0) return -1;
    dl_iterate_phdr(trim_visit_data, &walk);
    off_t size = 0;
    for (int i = 0; i < walk.count; i++) size += walk.data[i].end - walk.data[i].begin;
    long done = 0;
    off_t at = 0;
    for (int i = 0; i < walk.count && ftruncate(file, size) == 0; i++) {
        const struct trim_library_data *data = &walk.data[i];
        const off_t rest = at + (data->relocated - data->begin);
        if (data->relocated > data->begin && trim_replace_by_copy(data->begin, data->relocated, file, at, PROT_READ) == 0)
            done += data->relocated - data->begin;
        if (data->end > data->relocated
            && trim_replace_by_copy(data->relocated, data->end, file, rest, PROT_READ | PROT_WRITE) == 0)
            done += data->end - data->relocated;
        at += data->end - data->begin;
    }
    // No fork can change what the others see, whatever it gets hold of.
    if (trim_memfd_seal(file) != 0) _exit(5);
    close(file);
    return done;
}

/// A walk through the mappings of code and constants.
struct trim_code_walk {
    int memory;
    int done;
};

/// Whether workers run so much of a library that forks are to have its pages.
static inline bool trim_is_in_most_use(const char *path) {
    static const char *const names[] = {"libavcodec.so.", "libavformat.so.", "libavutil.so.", "libc.so.", "libm.so."};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    // The program's own path is empty.
    if (!*name) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static inline int trim_visit_code(struct trim_phdr_info *info, size_t size, void *context) {
    struct trim_code_walk *walk = (struct trim_code_walk *)context;
    (void)size;
    for (int i = 0; i < info->count && trim_is_in_most_use(info->name); i++) {
        const ElfW(Phdr) *header = &info->headers[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W) || header->p_filesz == 0) continue;
        const uint8_t *last = (const uint8_t *)(info->base + header->p_vaddr + header->p_filesz - 1);
        if (pwrite(walk->memory, last, 1, (off_t)(uintptr_t)last) == 1) walk->done++;
    }
    return 0;
}

/// Gives forks the pages of code and constants that this process has used, of the program and of the libraries that workers run most. In a
/// mapping of a file that has no page of its own, Linux leaves each page to a fault, and a short job took 500 of those. So each such
/// mapping gets one: its last byte is written anew, with its own value. In a process with one thread, once it has used what forks will.
/// - Returns: the number of mappings; 0 where the kernel refuses to write in such memory.
static inline int trim_keep_code_mapped(void) {
    struct trim_code_walk walk = {open("/proc/self/mem", O_RDWR | O_CLOEXEC), 0};
    if (walk.memory < 0) return 0;
    dl_iterate_phdr(trim_visit_code, &walk);
    close(walk.memory);
    return walk.done;
}

// MARK: time and waiting

static const uint32_t trim_EPOLLIN = EPOLLIN;
static const uint32_t trim_EPOLLOUT = EPOLLOUT;
static const uint32_t trim_EPOLLERR = EPOLLERR;
static const uint32_t trim_EPOLLHUP = EPOLLHUP;

/// An epoll set, close-on-exec.
static inline int trim_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Adds a descriptor to a set, with no events enabled. Edge-triggered until then, so that a hang-up is reported only once.
static inline int trim_epoll_add(int set, int fd) {
    struct epoll_event event = {.events = EPOLLET, .data.fd = fd};
    return epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
}

/// Sets the events to watch on a descriptor of the set; 0 for none.
static inline int trim_epoll_watch(int set, int fd, uint32_t events) {
    struct epoll_event event = {.events = events != 0 ? events : EPOLLET, .data.fd = fd};
    return epoll_ctl(set, EPOLL_CTL_MOD, fd, &event);
}

/// The ready events of a set's only descriptor, without waiting; 0 for none.
static inline uint32_t trim_epoll_ready(int set) {
    struct epoll_event event;
    return epoll_wait(set, &event, 1, 0) == 1 ? event.events : 0;
}

/// Nanoseconds of the monotonic clock.
static inline int64_t trim_monotonic_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// poll(2) of one descriptor for events, and of a second one (or -1) for input. Returns bit 0: the first is readable or hung
/// up; bit 1: it is writable or broken; bit 2: the second is readable; 0: timeout.
static inline int trim_poll(int fd, int read, int write, int second, int timeout_ms) {
    struct pollfd set[2];
    set[0].fd = fd;
    set[0].events = (short)((read ? POLLIN : 0) | (write ? POLLOUT : 0));
    set[0].revents = 0;
    set[1].fd = second;
    set[1].events = POLLIN;
    set[1].revents = 0;
    int n = poll(set, 2, timeout_ms);
    if (n <= 0) return n;
    int answer = 0;
    if (set[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) answer |= 1;
    if (set[0].revents & (POLLOUT | POLLERR | POLLNVAL)) answer |= 2;
    if (set[1].revents != 0) answer |= 4;
    return answer;
}

// MARK: sockets

static inline int trim_socket_stream(void) {
    return socket(AF_UNIX, (int)SOCK_STREAM | (int)SOCK_CLOEXEC, 0);
}

static inline int trim_socketpair(int *fds) {
    return socketpair(AF_UNIX, (int)SOCK_STREAM | (int)SOCK_CLOEXEC, 0, fds);
}

/// A pair that keeps the bounds of messages.
static inline int trim_socketpair_packets(int *fds) {
    return socketpair(AF_UNIX, (int)SOCK_SEQPACKET | (int)SOCK_CLOEXEC, 0, fds);
}

/// Accepts without blocking; the new descriptor is close-on-exec.
static inline int trim_accept(int fd) {
    return (int)syscall(SYS_accept4, fd, (void *)0, (void *)0, (int)SOCK_CLOEXEC);
}

/// Fills an address; 0, or -1 with ENAMETOOLONG.
static inline int trim_sockaddr_un(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

static inline int trim_bind_path(int fd, const char *path) {
    struct sockaddr_un address;
    if (trim_sockaddr_un(&address, path) < 0) return -1;
    return bind(fd, (const struct sockaddr *)&address, sizeof address);
}

static inline int trim_connect_path(int fd, const char *path) {
    struct sockaddr_un address;
    if (trim_sockaddr_un(&address, path) < 0) return -1;
    return connect(fd, (const struct sockaddr *)&address, sizeof address);
}

/// An int option of level SOL_SOCKET; -1 with errno set if it cannot be read.
static inline int trim_socket_option(int fd, int option) {
    int value = 0;
    socklen_t size = sizeof value;
    if (getsockopt(fd, SOL_SOCKET, option, &value, &size) < 0) return -1;
    return value;
}

static inline int trim_socket_domain(int fd) { return trim_socket_option(fd, 39 /* SO_DOMAIN */); }
static inline int trim_socket_type(int fd) { return trim_socket_option(fd, SO_TYPE); }
static inline int trim_socket_is_listening(int fd) { return trim_socket_option(fd, SO_ACCEPTCONN); }
static inline int trim_socket_is_stream(int fd) { return trim_socket_type(fd) == (int)SOCK_STREAM ? 1 : 0; }

/// The peer's credentials (struct ucred, which the Glibc module hides).
struct trim_ucred {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

static inline int trim_peer_credentials(int fd, struct trim_ucred *peer) {
    socklen_t size = sizeof *peer;
    return getsockopt(fd, SOL_SOCKET, 17 /* SO_PEERCRED */, peer, &size);
}

/// The peer's supplementary groups, at most `room` of them; returns their number, or -1 (ERANGE: there are more).
static inline int trim_peer_groups(int fd, uint32_t *groups, int room) {
    socklen_t size = (socklen_t)room * (socklen_t)sizeof(uint32_t);
    if (getsockopt(fd, SOL_SOCKET, 59 /* SO_PEERGROUPS */, groups, &size) < 0) return -1;
    return (int)(size / sizeof(uint32_t));
}

/// sendmsg(2) with descriptors (none: fd_count 0) and without SIGPIPE. EINVAL if there are more than trim_fds_max.
static inline int64_t trim_sendmsg_fds(
    int fd, const void *bytes, size_t count, const int *fds, size_t fd_count, int flags) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * TRIM_FDS_MAX)];
    } control;
    struct iovec part = {(void *)bytes, count};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (fd_count > TRIM_FDS_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (fd_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = 1 /* SCM_RIGHTS */;
        header->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
        memcpy(CMSG_DATA(header), fds, sizeof(int) * fd_count);
    }
    return (int64_t)sendmsg(fd, &message, flags | trim_MSG_NOSIGNAL);
}

/// recvmsg(2) with descriptors, close-on-exec. Returns at most fd_room (count in *fd_count) and closes the others; *truncated
/// is set if any was lost, here or in the kernel.
static inline int64_t trim_recvmsg_fds(
    int fd, void *bytes, size_t room, int *fds, size_t fd_room, size_t *fd_count, int *truncated, int flags) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * TRIM_FDS_MAX)];
    } control;
    struct iovec part = {bytes, room};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    *fd_count = 0;
    *truncated = 0;
    ssize_t n = recvmsg(fd, &message, flags | 0x40000000 /* MSG_CMSG_CLOEXEC */);
    if (n < 0) return -1;
    if (message.msg_flags & MSG_CTRUNC) *truncated = 1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != 1 /* SCM_RIGHTS */) continue;
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int received;
            memcpy(&received, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (*fd_count < fd_room) {
                fds[(*fd_count)++] = received;
            } else {
                close(received);
                *truncated = 1;
            }
        }
    }
    return (int64_t)n;
}
