/* Private to cycles*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_cycle;
struct ml_cycles;
struct ml_work;

/* Turns, travel and the moments between which the cycle turns, from its coordinate. */
void cycles_measure(const struct ml_cycles *c, struct ml_cycle *y);
/* Coordinates from the factors of some cycles, at most ML_SIDES, that live at the same
 * levels; and measures them. */
bool cycles_smooth(struct ml_cycles *c, struct ml_cycle *const *y, size_t count,
		   const struct ml_work *work, struct ml_err *err);
/* For qsort: by persistence, then by turns times time. */
int cycles_by_importance(const void *x, const void *y);
/* Fills c->reduced. */
bool cycles_reduce(struct ml_cycles *c, size_t symbol_count, const struct ml_work *work,
		   struct ml_err *err);
