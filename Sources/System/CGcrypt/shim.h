// libgcrypt: hashes of files, for which libsystemd has loaded it already.
#pragma once
#include <gcrypt.h>

/// Initialises the library, once a process; 0 if it is older than its header. gcry_control has variable arguments, which Swift
/// cannot pass. Locked memory is for secrets, of which there are none here.
static inline int trimd_gcrypt_begin(void) {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P)) return 1;
    if (!gcry_check_version(GCRYPT_VERSION)) return 0;
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return 1;
}
