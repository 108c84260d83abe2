/*
 * Layout experiments: other strides for a container, without changing the program.
 *
 *	B=col            the first dimension is contiguous
 *	B=row            the last one is
 *	B=order:2,0,1    dimensions from the slowest to the contiguous one
 *	B=pad:16         the contiguous dimension rounded up to 16 elements
 *	B=offset:3       three elements in front of the first
 *	B=align:4096     the storage begins at a multiple of 4096 bytes
 *	B=col+pad:8      several at once
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct ml_arena;
struct ml_flow;
struct ml_flow_container;

/* A copy of the flow's containers, to be changed by layouts. */
struct ml_flow_container *ml_layout_copy(struct ml_arena *a, const struct ml_flow *f);
/* Applies one text to a copy. */
bool ml_layout_apply(struct ml_arena *a, const struct ml_flow *f,
		     struct ml_flow_container *containers, const char *text,
		     struct ml_err *err);
