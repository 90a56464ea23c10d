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

/// From this size on a block gets all of its pages at once: one by one, each costs a fault.
static const size_t large = 64u << 10;

/// The size of a huge page. x264 asks for huge pages for such blocks, but once they are here: a page that is there before stays small.
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
    char *block = found;
    const int cleans = atomic_load(&is_clean);
    if (size < large) return cleans ? memset(block, 0, size) : block;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)(((uintptr_t)block + page - 1) & ~(page - 1));
    char *last = (char *)(((uintptr_t)block + size) & ~(page - 1));
    if (cleans) {
        // The kernel clears pages that it has been given back.
        if (madvise(first, last - first, MADV_DONTNEED) != 0) return memset(block, 0, size);
        memset(block, 0, first - block);
        memset(last, 0, block + size - last);
    }
    // Both are for speed alone: kernels before 5.14 do not know the second, and the pages come as they are used.
    if (size >= huge) madvise(first, (last - first) & ~(huge - 1), MADV_HUGEPAGE);
    madvise(first, last - first, MADV_POPULATE_WRITE);
    return block;
}
