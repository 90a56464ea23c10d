// Encoder statistics files in memory. x264 and x265 write the statistics of a first pass to a named file, and the worker may
// open none: names with the prefix below are kept here, and all others go to the C library.
#pragma once
#include <stddef.h>

/// The prefix of such names. No such folder can exist.
#define TRIM_PASSLOG_PREFIX "/proc/trimd-passlog/"

/// Allows writing to a name and to names that begin with it; all of them together may have `most` bytes. Returns 0, or ENOMEM.
int trim_passlog_open(const char *name, size_t most);

/// Removes a name, and all data written to it and to names that begin with it.
void trim_passlog_close(const char *name);

/// Bytes written to a name; 0 if there are none.
size_t trim_passlog_size(const char *name);

/// Copies the first `count` bytes written to a name; returns how many there were, up to `count`.
size_t trim_passlog_read(const char *name, void *bytes, size_t count);

/// Replaces what is written to a name. Returns 0, or an errno.
int trim_passlog_write(const char *name, const void *bytes, size_t count);
