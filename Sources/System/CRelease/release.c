#include "CRelease.h"

#ifndef TRIMD_COMMIT
#define TRIMD_COMMIT ""
#endif

const char *trim_commit(void) { return TRIMD_COMMIT; }
