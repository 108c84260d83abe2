/*
 * A flow as a text of loops, guards and computations, for programs whose source is not at
 * hand: an .sdfg contains the code of its tasklets, but only the names of the files that
 * they came from. A computation is written as DaCe writes tasklets: what it reads, its
 * code, what it writes.
 *
 *	map i = 0 to N - 1:
 *	    scale:
 *	        x << A[i]
 *	        y = 2 * x
 *	        y >> B[i]
 * Held by tests/flow/test_flow_text.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_buf;
struct ml_flow;

struct ml_flow_line {
	uint32_t node; /* that the line belongs to */
	uint32_t depth;
	const char *text; /* without indentation */
};

struct ml_flow_text {
	struct ml_flow_line *line;
	size_t count, cap;
};

/* Lines and texts live in the arena. */
void ml_flow_text_make(struct ml_flow_text *l, const struct ml_flow *f,
		       struct ml_arena *a);
/* The whole text, indented by four spaces a level. */
void ml_flow_text_print(const struct ml_flow_text *l, struct ml_buf *out);
