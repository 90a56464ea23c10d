// A library that is loaded before others (LD_PRELOAD) and keeps a program ready: it is linked once, and each call of it is a fork. The
// tests call ffmpeg and ffprobe some thousand times, and each start links 170 libraries: 75 ms of a processor, more than most calls work.
//
// Instead of the program's main it serves the socket that TRIM_TOOL_SOCKET names as a descriptor, until it is killed. A client (client.c)
// sends its descriptors, its folder, its words and its environment, and is told the wait status. A client that goes away takes its call
// with it. A client of another user or in another mount namespace is turned away, and starts the program itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"

typedef int (*entry)(int, char **, char **);
static entry program;

/// 1 where a process sees the files that this one sees.
static int same_view(pid_t process) {
    char path[64];
    struct stat own, other;
    snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)process);
    return stat("/proc/self/ns/mnt", &own) == 0 && stat(path, &other) == 0 && own.st_ino == other.st_ino;
}

/// Reads what a client sent: the words and then the environment, each ended by NUL; the descriptors go to `files`.
static char *receive(int client, struct call *call, int files[CALL_FILES]) {
    union { struct cmsghdr head; char space[CMSG_SPACE(sizeof(int) * CALL_FILES)]; } control;
    struct iovec part = {call, sizeof *call};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(client, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != sizeof *call) return NULL;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_len != CMSG_LEN(sizeof(int) * CALL_FILES) || call->bytes > CALL_LONGEST) return NULL;
    memcpy(files, CMSG_DATA(head), sizeof(int) * CALL_FILES);
    char *text = malloc(call->bytes);
    return text && read_all(client, text, call->bytes) ? text : NULL;
}

/// The strings that follow one another in `text`, as main takes them; `text` then stands behind them.
static char **strings(char **text, uint32_t count) {
    char **list = calloc(count + 1, sizeof *list);
    for (uint32_t index = 0; list && index < count; index++) {
        list[index] = *text;
        *text += strlen(*text) + 1;
    }
    return list;
}

/// A call that is under way.
struct running {
    int client;
    pid_t process;
};
/// More than checks make at once; clients wait in the socket's queue meanwhile.
enum { MOST = 64 };
static struct running calls[MOST];
/// The listener; then for each call its client, which may go away, and its process, which may end.
static struct pollfd ends[1 + 2 * MOST];
static int count;

/// Does what a client asked, in a process of its own.
static void run(struct call *call, char *text, int files[CALL_FILES]) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int index = 0; index < 3; index++) dup2(files[index], index);
    if (fchdir(files[3])) _exit(126);
    char **words = strings(&text, call->words), **names = strings(&text, call->names);
    if (!words || !names) _exit(126);
    environ = names;
    exit(program((int)call->words, words, names));
}

/// Takes a call; a client that is turned away finds its socket closed.
static void take(int client) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    struct call call;
    int files[CALL_FILES] = {-1, -1, -1, -1};
    char *text = NULL, accepted = 1;
    if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid() && same_view(peer.pid)
        && (text = receive(client, &call, files)) && write_all(client, &accepted, 1)) {
        pid_t process = fork();
        if (process == 0) run(&call, text, files);
        int end = process < 0 ? -1 : (int)syscall(SYS_pidfd_open, process, 0);
        if (end >= 0) {
            ends[1 + 2 * count] = (struct pollfd){client, POLLRDHUP, 0};
            ends[2 + 2 * count] = (struct pollfd){end, POLLIN, 0};
            calls[count++] = (struct running){client, process};
            client = -1;
        }
    }
    for (int index = 0; index < CALL_FILES; index++)
        if (files[index] >= 0) close(files[index]);
    free(text);
    if (client >= 0) close(client);
}

/// Tells a client how its call ended; the last call takes the place of this one.
static void finish(int index) {
    int status = 0;
    waitpid(calls[index].process, &status, 0);
    write_all(calls[index].client, &status, sizeof status);
    close(calls[index].client);
    close(ends[2 + 2 * index].fd);
    count--;
    calls[index] = calls[count];
    ends[1 + 2 * index] = ends[1 + 2 * count];
    ends[2 + 2 * index] = ends[2 + 2 * count];
}

static int serve(int number, char **words, char **names) {
    (void)number, (void)words, (void)names;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // On a kernel without descriptors of processes, clients find nobody and start the program.
    int own = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (own < 0) return 1;
    close(own);
    ends[0] = (struct pollfd){atoi(getenv("TRIM_TOOL_SOCKET")), POLLIN, 0};
    for (;;) {
        ends[0].events = count < MOST ? POLLIN : 0;
        if (poll(ends, 1 + 2 * (nfds_t)count, -1) < 0) continue;
        for (int index = count - 1; index >= 0; index--) {
            if (ends[2 + 2 * index].revents) {
                finish(index);
            } else if (ends[1 + 2 * index].revents) {
                kill(calls[index].process, SIGKILL);
                ends[1 + 2 * index].fd = -1;
            }
        }
        if (ends[0].revents & POLLIN) {
            int client = accept4(ends[0].fd, NULL, NULL, SOCK_CLOEXEC);
            if (client >= 0) take(client);
        }
    }
}

/// In place of the C library's: it begins the server, or the program, where no socket is named.
int __libc_start_main(entry main, int count, char **words, void (*init)(void), void (*fini)(void), void (*linker)(void), void *end) {
    typedef int (*starter)(entry, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    starter start = (starter)dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return start(getenv("TRIM_TOOL_SOCKET") ? serve : main, count, words, init, fini, linker, end);
}
