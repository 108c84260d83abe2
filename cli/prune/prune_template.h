/* Texts in which {NAME} is the value of a parameter of a search space. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_arena;
struct ml_search;

/*
 * A template with its braces replaced by the values of a variant: {NAME},
 * {PERMUTATION.1}; {out} stays. option is for messages.
 */
bool prune_fill_in(const struct ml_search *s, const char *option, const char *text,
		   const int64_t *values, const char **filled, struct ml_arena *a,
		   struct ml_err *err);
