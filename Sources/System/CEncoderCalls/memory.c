// A definition of memalign that takes precedence over the C library's in the encoder libraries. Blocks are the C library's, whose free
// takes them back. Any thread.
#define _GNU_SOURCE
#include "CEncoderCalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// The size from which pages are given back to the kernel, which clears them when they are used, in place of being written here: x264
/// asks for huge pages for such blocks, and a page that is written before it has asked stays small. Its own limit is 7/8 of this.
static const size_t huge = 2u << 20;

static atomic_int is_clean;

void trim_clean_memory(int on) { atomic_store(&is_clean, on); }

int trim_can_clean_memory(void) { return dlsym(RTLD_DEFAULT, "memalign") == (void *)memalign; }

void *memalign(size_t alignment, size_t size) {
    void *found = NULL;
    // Unlike memalign, it is not defined here, and takes any size everywhere.
    const int failure = posix_memalign(&found, alignment < sizeof(void *) ? sizeof(void *) : alignment, size);
    if (failure) {
        errno = failure;
        return NULL;
    }
    if (!atomic_load(&is_clean)) return found;
    char *block = found;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)(((uintptr_t)block + page - 1) & ~(page - 1));
    char *last = (char *)(((uintptr_t)block + size) & ~(page - 1));
    if (size < huge || madvise(first, last - first, MADV_DONTNEED) != 0) {
        memset(block, 0, size);
    } else {
        memset(block, 0, first - block);
        memset(last, 0, block + size - last);
    }
    return block;
}
