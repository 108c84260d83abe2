/*
 * Which machines make sense. machine.c reads the words; here they are held against
 * each other, and every refusal says why.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/cache/machine.h"

/*
 * Ways and sets of a level that has its size and line: full is one set; ways that
 * nobody said give way to a level that has fewer lines.
 */
bool ml_machine_geometry(struct ml_level_spec *s, uint32_t ways, bool full, bool said,
			 struct ml_err *err);

/* The levels against each other. */
bool ml_machine_check(const struct ml_machine *m, struct ml_err *err);
