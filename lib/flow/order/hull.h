/*
 * The bounds of a loop that hold for all iterations of other loops: what remains when
 * those move inside it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ml_arena;
struct ml_flow_node;
struct ml_sym;

/*
 * Sets from and to of loop n without the variables of `others`: the widest bounds that
 * those allow. Equal to n->from and n->to where these do not depend on them. False where
 * the dependence is not monotonic, as far as this sees it (sums, multiples, minimum,
 * maximum, division by a positive constant).
 */
bool ml_hull(struct ml_arena *a, const struct ml_flow_node *others, size_t count,
	     const struct ml_flow_node *n, const struct ml_sym **from,
	     const struct ml_sym **to);
