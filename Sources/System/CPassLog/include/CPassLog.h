// Files of encoders' statistics that lie in memory. x264 and x265 write what a first pass learns to a file by its name, and the
// worker may open none: names that begin as below are kept here, and every other goes to the C library.
#pragma once
#include <stddef.h>

/// What the names of such files begin with. No such folder can be there.
#define TRIM_PASSLOG_PREFIX "/proc/trimd-passlog/"

/// Lets a name be written, with those that begin with it; all of them together may have `most` bytes.
/// Returns 0, or ENOMEM.
int trim_passlog_open(const char *name, size_t most);

/// Forgets a name, and what was written to it and to those that begin with it.
void trim_passlog_close(const char *name);

/// Bytes that were written to a name; 0 where there are none.
size_t trim_passlog_size(const char *name);
