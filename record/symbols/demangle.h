/*
 * Names of C++ and Rust as their authors wrote them: with scope and template arguments,
 * without parameter lists and without default template arguments (std::allocator,
 * std::char_traits). The demangler is libiberty's, a small static library in C; the one
 * of the C++ runtime would need that whole runtime. Names that are not mangled stay as
 * they are.
 */
#pragma once

#include <stdint.h>

#include "lib/trace/tables.h"

/* The number of the demangled name; a symbol version (@GLIBC_2.2.5) is cut off. */
uint32_t ml_demangle(struct ml_tables *t, const char *symbol);

/* A demangled name without default arguments: std::vector<double>; changes it in place.
 */
void ml_demangle_tidy(char *name);
