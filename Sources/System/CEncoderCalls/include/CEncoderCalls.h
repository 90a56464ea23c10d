// Calls of encoder libraries that are answered here in place of the C library: for memory, and for the priority of threads.
#pragma once

/// Has memalign give blocks of zeros from now on, or blocks as they are: x264 reads memory that it has not
/// written, and takes all of its memory from memalign.
void trim_clean_memory(int on);

/// Whether memalign in the libraries is the one defined here: a program that does not export it gets the C library's.
int trim_can_clean_memory(void);
