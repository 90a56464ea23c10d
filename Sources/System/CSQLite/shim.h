// SQLite, and wrappers for declarations that Swift does not import.
#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast, which is not imported.
static inline int trim_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
