// Stands before a program in PATH, under its name, and has a program that is kept ready (server.c) do the work: with this process's
// descriptors, folder, words and environment, and to the same end. Where none takes the call the program itself is started.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "call.h"

/// Starts the program that PATH names behind the folder of the clients.
static int start(const char *folder, const char *name, char **words) {
    char *rest = strdup(getenv("PATH") ?: "/usr/bin"), path[4096];
    for (char *place; (place = strsep(&rest, ":"));) {
        if (folder && strcmp(place, folder) == 0) continue;
        snprintf(path, sizeof path, "%s/%s", place, name);
        execv(path, words);
    }
    fprintf(stderr, "%s: is not in PATH\n", name);
    return 127;
}

static uint32_t count_of(char **strings, size_t *bytes) {
    uint32_t count = 0;
    for (; strings[count]; count++) *bytes += strlen(strings[count]) + 1;
    return count;
}

static char *append(char *text, char **strings) {
    for (; *strings; strings++) text = stpcpy(text, *strings) + 1;
    return text;
}

/// 1 once a program that is kept ready has taken the call.
static int send_call(int server, char **words) {
    size_t bytes = 0;
    struct call call = {.words = count_of(words, &bytes), .names = count_of(environ, &bytes)};
    char *text = malloc(bytes);
    int folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (!text || folder < 0 || bytes > CALL_LONGEST) return 0;
    call.bytes = (uint32_t)bytes;
    append(append(text, words), environ);
    int files[CALL_FILES] = {0, 1, 2, folder};
    union { struct cmsghdr head; char space[CMSG_SPACE(sizeof files)]; } control = {0};
    struct iovec part = {&call, sizeof call};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof files), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), files, sizeof files);
    char accepted;
    return sendmsg(server, &message, MSG_NOSIGNAL) == sizeof call && write_all(server, text, bytes) && read_all(server, &accepted, 1);
}

int main(int count, char **words) {
    (void)count;
    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0], *folder = getenv("TRIM_TOOLS");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (!folder || snprintf(address.sun_path, sizeof address.sun_path, "%s/%s.socket", folder, name) >= (int)sizeof address.sun_path
        || connect(server, (struct sockaddr *)&address, sizeof address) || !send_call(server, words))
        return start(folder, name, words);
    int status;
    if (!read_all(server, &status, sizeof status)) {
        fprintf(stderr, "%s: the program that was kept ready went away\n", name);
        return 125;
    }
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
