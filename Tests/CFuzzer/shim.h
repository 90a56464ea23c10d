// The door to libFuzzer, which comes with the compiler (`-sanitize=fuzzer`) and has no header for it.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with its own arguments; does not return before it is done.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
