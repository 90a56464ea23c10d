// A call of a program that is kept ready: sent by client.c, taken by server.c.
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

/// The head of a call; its strings follow.
struct call {
    uint32_t words;  // the program's name and arguments
    uint32_t names;  // the environment
    uint32_t bytes;  // the length of all of them, each with its NUL
};

/// Descriptors that come with a call: stdin, stdout, stderr and the working folder.
enum { CALL_FILES = 4 };
/// Linux takes no more for a program either (ARG_MAX).
enum { CALL_LONGEST = 2 << 20 };

static int read_all(int file, void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t read_now = read(file, (char *)bytes + done, count - done);
        if (read_now <= 0) return 0;
        done += (size_t)read_now;
    }
    return 1;
}

static int write_all(int file, const void *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t written = send(file, (const char *)bytes + done, count - done, MSG_NOSIGNAL);
        if (written <= 0) return 0;
        done += (size_t)written;
    }
    return 1;
}
