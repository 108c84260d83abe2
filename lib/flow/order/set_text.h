/*
 * Integer sets and relations as the text that isl reads: iterations of loops, conditions,
 * sizes. Symbol 7 is p7 if it is a parameter and v7 if it is the variable of a loop.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"

struct ml_arena;
struct ml_flow;
struct ml_sym;

/* Text for isl; bad: something is not affine. */
struct ml_set_text {
	struct ml_buf b;
	const struct ml_flow *f;
	bool bad;
};

void ml_set_number(struct ml_set_text *t, const struct ml_sym *e);
/* "[p0, p1] -> { ", to be closed by the caller. */
void ml_set_parameters(struct ml_set_text *t);
/* " and p0 >= 1" for all of them. */
void ml_set_sizes(struct ml_set_text *t);
/*
 * " and ..." for bounds and guards of all that is around a node. What is not affine is
 * left out, which makes the set larger; false: something was.
 */
bool ml_set_domain(struct ml_set_text *t, struct ml_arena *a, uint32_t node);
