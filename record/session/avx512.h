/*
 * Instructions of AVX-512 in a program: Valgrind does not know them, and the program dies
 * of SIGILL where it runs one.
 * Held by tests/record/test_avx512.c.
 */
#pragma once

#include <stdbool.h>

/*
 * Has the code of the program, which is found as a shell would find it, such
 * instructions? Only moves of vectors are looked for. Code that asks the processor before
 * it uses them looks the same, so this is a warning, not a verdict. Libraries are not
 * searched, because they do ask.
 */
bool ml_avx512_is_in(const char *program);
