// Facts of the build itself. In C, so that another commit compiles one small file and no Swift.
#pragma once

/// The commit that is built; empty where the build did not name it.
const char *trim_commit(void);
