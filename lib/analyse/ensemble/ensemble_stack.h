/*
 * What members of an ensemble share: stack passes. A pass sees a stream of lines and
 * finds at which depth of the LRU stack (of all lines, or of its set) each one is; a
 * cache of n lines (or ways) misses those at depth n and beyond. So all sizes of a
 * pass cost one: they are its branches. What a branch misses is the stream of the
 * passes behind it, its next levels. A machine is a path through this tree. It may end
 * in a tail: levels of other policies, which a simulator of their own does, from what
 * reaches them.
 *
 * A reference may ask for several lines. They stand next to each other in a stream,
 * with the number of the reference; it counts once, for the farthest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/machine.h"

struct ml_buf;
struct ml_bytes;
struct ml_distance;
struct ml_sim;

/* Lines asked for, in order. */
struct ml_lines {
	uint64_t *line; /* numbers */
	uint32_t *ref;  /* who asks: index in the block of references */
	size_t count, line_cap, ref_cap;
};

void ml_lines_reserve(struct ml_lines *l, size_t count);
void ml_lines_release(struct ml_lines *l);

struct ml_stack_branch {
	uint32_t size;       /* lines of a fully associative cache, else ways */
	uint32_t *missed;    /* by bin: references of which a line was missed */
	struct ml_stack *of; /* the pass */
	struct ml_stack_branch *before; /* that misses what comes here; NULL: the first */
	struct ml_stack *next;          /* passes over what is missed, a list */
	struct ml_stack_tail *tails;    /* simulators of it, a list */
	struct ml_stack_branch *more;   /* of the same pass while the tree is built */
};

/* The levels of one machine behind its last branch. */
struct ml_stack_tail {
	struct ml_machine machine; /* of these levels alone */
	struct ml_sim *sim;
	struct ml_stack_branch level[ML_LEVELS]; /* for their counts */
	struct ml_stack_tail *other;             /* the next of a list */
};

struct ml_stack {
	unsigned bits;                   /* log2 of the line */
	unsigned within;                 /* the same of the stream that comes in */
	uint32_t sets;                   /* 1: fully associative */
	uint32_t max;                    /* the largest branch */
	struct ml_stack_branch **branch; /* ascending */
	size_t count;
	struct ml_distance *distance; /* where it is fully associative... */
	uint64_t *way;    /* ...else sets * most lines + 1, the last used first */
	uint16_t *bucket; /* branches up to a depth, for small depths */
	uint32_t *hits;   /* count + 1: by bucket, of the bin */
	struct ml_stack_branch *branches; /* while the tree is built */
	struct ml_stack *other;           /* the next of a list */
	size_t behind; /* of a first one: passes and tails further on */
};

/* All machines of a trace that are paths. */
struct ml_stack_tree {
	struct ml_stack *first; /* a list; different bits see different streams */
	size_t bins;
	struct ml_arena arena;
};

/*
 * Whether it is a path: one core; the first levels LRU, allocating, neither inclusive
 * nor exclusive; and those behind them such that they neither change what is before them
 * nor depend on anything but what they are asked for.
 */
bool ml_stack_fits(const struct ml_machine *m);
/* Adds a machine; the answer is its last level. */
struct ml_stack_branch *ml_stack_add(struct ml_stack_tree *t, const struct ml_machine *m);
/* When all are added: makes the passes ready. */
void ml_stack_start(struct ml_stack_tree *t);
void ml_stack_release(struct ml_stack_tree *t);
size_t ml_stack_passes(const struct ml_stack_tree *t); /* and tails */

/* The references whose lines come in: the first one's position, and bits of a bin. */
struct ml_stack_block {
	uint64_t position;
	unsigned bin_bits;
};
/* What a run needs for itself; one for each thread, zero at first. */
struct ml_stack_scratch {
	struct ml_stack_level {
		uint32_t *depth;
		size_t depth_cap;
		struct ml_lines in, out;
		uint64_t *addr; /* for simulators */
		uint16_t *what, *outcome;
		size_t addr_cap, what_cap, outcome_cap;
	} level[ML_LEVELS];
};
void ml_stack_scratch_release(struct ml_stack_scratch *x);

/* One pass with all behind it. */
void ml_stack_run(struct ml_stack *s, const struct ml_lines *in,
		  const struct ml_stack_block *b, struct ml_stack_scratch *x);

/* The state of a pass with all behind it, with the counts of the first `bins` bins. */
void ml_stack_save(const struct ml_stack *s, size_t bins, struct ml_buf *out);
/* Of a pass that has started; false when the bytes are none. */
bool ml_stack_restore(struct ml_stack *s, size_t bins, struct ml_bytes *in);
