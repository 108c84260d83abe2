/*
 * Names of C++ and Rust as their authors wrote them: scope and template
 * arguments, without parameter lists and without what the library adds by
 * default (std::allocator, std::char_traits). libiberty's demangler is used, a
 * small static library in C; the one of the C++ runtime would bring that whole
 * runtime along. Anything that is not mangled stays as it is.
 */
#pragma once

#include <stdint.h>

#include "lib/trace/tables.h"

/* The number of the demangled name; a symbol version (@GLIBC_2.2.5) is cut off. */
uint32_t ml_demangle(struct ml_tables *t, const char *symbol);

/* A demangled name without default arguments: std::vector<double>; changes it in place.
 */
void ml_demangle_tidy(char *name);
