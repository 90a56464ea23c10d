// Definitions of fopen and related functions that take precedence over the C library's in the encoder libraries. A file is a
// growing block of memory; it belongs to the name that was allowed, and is freed with it. One lock covers everything: encoders
// write a few lines per frame.
#define _GNU_SOURCE
#include "CPassLog.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A name that may be written, and its size limit.
struct owner {
    char *name;
    size_t used, most;
    struct owner *next;
};

/// A file that belongs to an owner.
struct file {
    char *name;
    char *bytes;
    size_t size, room;
    struct owner *owner;
    struct file *next;
};

/// An open file and its position.
struct stream {
    char *name;
    size_t at;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct owner *owners;
static struct file *files;

static int is_ours(const char *name) {
    return name && strncmp(name, TRIM_PASSLOG_PREFIX, sizeof TRIM_PASSLOG_PREFIX - 1) == 0;
}

static struct owner *owner_of(const char *name) {
    for (struct owner *owner = owners; owner; owner = owner->next)
        if (strncmp(name, owner->name, strlen(owner->name)) == 0) return owner;
    return NULL;
}

static struct file *find(const char *name) {
    for (struct file *file = files; file; file = file->next)
        if (strcmp(file->name, name) == 0) return file;
    return NULL;
}

static void forget(struct file *file) {
    for (struct file **place = &files; *place; place = &(*place)->next) {
        if (*place != file) continue;
        *place = file->next;
        break;
    }
    if (file->owner) file->owner->used -= file->size;
    free(file->name);
    free(file->bytes);
    free(file);
}

int trim_passlog_open(const char *name, size_t most) {
    struct owner *owner = calloc(1, sizeof *owner);
    char *copy = strdup(name);
    if (!owner || !copy) {
        free(owner);
        free(copy);
        return ENOMEM;
    }
    pthread_mutex_lock(&lock);
    owner->name = copy;
    owner->most = most;
    owner->next = owners;
    owners = owner;
    pthread_mutex_unlock(&lock);
    return 0;
}

void trim_passlog_close(const char *name) {
    pthread_mutex_lock(&lock);
    for (struct owner **place = &owners; *place;) {
        struct owner *owner = *place;
        if (strcmp(owner->name, name) != 0) {
            place = &owner->next;
            continue;
        }
        for (struct file *file = files, *next; file; file = next) {
            next = file->next;
            if (file->owner == owner) forget(file);
        }
        *place = owner->next;
        free(owner->name);
        free(owner);
    }
    pthread_mutex_unlock(&lock);
}

size_t trim_passlog_size(const char *name) {
    pthread_mutex_lock(&lock);
    struct file *file = find(name);
    size_t size = file ? file->size : 0;
    pthread_mutex_unlock(&lock);
    return size;
}

size_t trim_passlog_read(const char *name, void *bytes, size_t count) {
    pthread_mutex_lock(&lock);
    struct file *file = find(name);
    if (!file) count = 0;
    if (file && count > file->size) count = file->size;
    if (count) memcpy(bytes, file->bytes, count);
    pthread_mutex_unlock(&lock);
    return count;
}

// MARK: streams

static ssize_t stream_read(void *cookie, char *buffer, size_t count) {
    struct stream *stream = cookie;
    pthread_mutex_lock(&lock);
    struct file *file = find(stream->name);
    size_t left = file && stream->at < file->size ? file->size - stream->at : 0;
    if (count > left) count = left;
    if (count) memcpy(buffer, file->bytes + stream->at, count);
    stream->at += count;
    pthread_mutex_unlock(&lock);
    return (ssize_t)count;
}

/// The number of bytes written, 0 if there is no space (fopencookie(3) allows no negative numbers here).
static ssize_t stream_write(void *cookie, const char *buffer, size_t count) {
    struct stream *stream = cookie;
    ssize_t done = 0;
    pthread_mutex_lock(&lock);
    struct file *file = find(stream->name);
    size_t end = stream->at + count;
    size_t more = file && end > file->size ? end - file->size : 0;
    if (!file || !file->owner || more > file->owner->most - file->owner->used) {
        errno = ENOSPC;
    } else {
        if (end > file->room) {
            size_t room = file->room ? file->room : 4096;
            while (room < end) room *= 2;
            char *bytes = realloc(file->bytes, room);
            if (bytes) {
                file->bytes = bytes;
                file->room = room;
            }
        }
        if (end <= file->room) {
            memcpy(file->bytes + stream->at, buffer, count);
            stream->at = end;
            file->size += more;
            file->owner->used += more;
            done = (ssize_t)count;
        } else {
            errno = ENOMEM;
        }
    }
    pthread_mutex_unlock(&lock);
    return done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
    struct stream *stream = cookie;
    pthread_mutex_lock(&lock);
    struct file *file = find(stream->name);
    off64_t size = file ? (off64_t)file->size : 0;
    off64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off64_t)stream->at : size;
    off64_t to = from + *offset;
    int is_right = to >= 0 && to <= size;
    if (is_right) {
        stream->at = (size_t)to;
        *offset = to;
    }
    pthread_mutex_unlock(&lock);
    if (!is_right) errno = EINVAL;
    return is_right ? 0 : -1;
}

static int stream_close(void *cookie) {
    struct stream *stream = cookie;
    free(stream->name);
    free(stream);
    return 0;
}

/// Replaces any file of this name with an empty one.
static int create(const char *name) {
    struct owner *owner = owner_of(name);
    struct file *file = owner ? calloc(1, sizeof *file) : NULL;
    char *copy = file ? strdup(name) : NULL;
    if (!copy) {
        free(file);
        errno = owner ? ENOMEM : ENOENT;
        return -1;
    }
    struct file *old = find(name);
    if (old) forget(old);
    file->name = copy;
    file->owner = owner;
    file->next = files;
    files = file;
    return 0;
}

static FILE *open_ours(const char *name, const char *mode) {
    pthread_mutex_lock(&lock);
    int failed = 0;
    if (mode[0] == 'w') {
        failed = create(name);
    } else if (!find(name)) {
        errno = ENOENT;
        failed = -1;
    }
    pthread_mutex_unlock(&lock);
    if (failed) return NULL;
    struct stream *stream = calloc(1, sizeof *stream);
    char *copy = stream ? strdup(name) : NULL;
    if (!copy) {
        free(stream);
        return NULL;
    }
    stream->name = copy;
    cookie_io_functions_t io = {stream_read, stream_write, stream_seek, stream_close};
    FILE *file = fopencookie(stream, mode, io);
    if (!file) stream_close(stream);
    return file;
}

int trim_passlog_write(const char *name, const void *bytes, size_t count) {
    FILE *file = open_ours(name, "wb");
    if (!file) return errno ? errno : ENOMEM;
    size_t written = fwrite(bytes, 1, count, file);
    int code = written == count ? 0 : errno ? errno : ENOSPC;
    if (fclose(file) != 0 && code == 0) code = errno ? errno : ENOSPC;
    return code;
}

// MARK: the C library's names

FILE *fopen(const char *restrict name, const char *restrict mode) {
    if (is_ours(name)) return open_ours(name, mode);
    FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return next ? next(name, mode) : NULL;
}

FILE *fopen64(const char *restrict name, const char *restrict mode) {
    if (is_ours(name)) return open_ours(name, mode);
    FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen64");
    return next ? next(name, mode) : NULL;
}

int rename(const char *from, const char *to) {
    if (!is_ours(from) || !is_ours(to)) {
        int (*next)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
        return next ? next(from, to) : -1;
    }
    char *copy = strdup(to);
    pthread_mutex_lock(&lock);
    struct file *file = find(from);
    if (file && copy) {
        struct file *old = find(to);
        if (old && old != file) forget(old);
        free(file->name);
        file->name = copy;
        copy = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!file) errno = ENOENT;
    int is_done = file && !copy;
    free(copy);
    return is_done ? 0 : -1;
}

int unlink(const char *name) {
    if (!is_ours(name)) {
        int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
        return next ? next(name) : -1;
    }
    pthread_mutex_lock(&lock);
    struct file *file = find(name);
    if (file) forget(file);
    pthread_mutex_unlock(&lock);
    if (!file) errno = ENOENT;
    return file ? 0 : -1;
}
