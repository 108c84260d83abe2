/*
 * Stack passes, which members of an ensemble share. A pass sees a stream of lines and
 * finds the depth of each in the LRU stack (of all lines, or of its set). A cache of n
 * lines (or ways) misses the lines at depth n and beyond, so one pass serves all sizes:
 * they are its branches. The misses of a branch are the stream of the passes behind it,
 * its next levels. A machine is a path through this tree. A path may end in a tail:
 * levels of other policies, which have a simulator of their own that takes what reaches
 * them.
 *
 * A reference may request several lines. They stand next to each other in a stream, with
 * the index of the reference, which counts once, for the farthest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/cache/machine/machine.h"

struct ml_buf;
struct ml_bytes;
struct ml_distance;
struct ml_engine;

/* A stream: requested lines, in order. */
struct ml_lines {
	uint64_t *line; /* line numbers */
	uint32_t *ref;  /* index of the reference in the block */
	size_t count, line_cap, ref_cap;
};

void ml_lines_reserve(struct ml_lines *l, size_t count);
void ml_lines_release(struct ml_lines *l);

struct ml_stack_branch {
	uint32_t size;       /* lines of a fully associative cache; else ways */
	uint32_t *missed;    /* by bin: references that missed a line */
	struct ml_stack *of; /* the pass that the branch belongs to */
	struct ml_stack_branch *before; /* the branch whose misses are the stream of this
					   pass; NULL: a first level */
	struct ml_stack *next;       /* passes over the misses of this branch, a list */
	struct ml_stack_tail *tails; /* simulators of the misses, a list */
	/* the next branch of the pass, while the tree is built */
	struct ml_stack_branch *more;
};

/* The levels of one machine behind its last branch. */
struct ml_stack_tail {
	struct ml_machine machine; /* these levels alone */
	struct ml_engine *engine;
	struct ml_stack_branch level[ML_LEVELS]; /* for the counts of the levels */
	struct ml_stack_tail *other;             /* the next of a list */
};

struct ml_stack {
	unsigned bits;   /* log2 of the line size */
	unsigned within; /* log2 of the line size of the incoming stream */
	uint32_t sets;   /* 1: fully associative */
	uint32_t max;    /* the largest branch */
	struct ml_stack_branch **branch; /* ascending */
	size_t count;
	struct ml_distance *distance; /* if fully associative... */
	uint64_t *way; /* ...else [sets * max] lines + 1, the last used first */
	/* by depth, for small depths: the number of branches that hit */
	uint16_t *bucket;
	uint32_t *hits; /* [count + 1]: by bucket, for the current bin */
	struct ml_stack_branch *branches; /* while the tree is built */
	struct ml_stack *other;           /* the next of a list */
	size_t behind; /* for a first pass: passes and tails behind it */
};

/* All machines of a trace that are paths, as a tree. */
struct ml_stack_tree {
	struct ml_stack *first; /* a list; each line size sees another stream */
	size_t bins;
	struct ml_arena arena;
};

/*
 * Whether a machine is a path: one core; first levels that are LRU, allocate on writes
 * and are neither inclusive nor exclusive; and levels behind them that neither change the
 * levels before them nor depend on anything but the requests that they get.
 */
bool ml_stack_fits(const struct ml_machine *m);
/* Adds a machine; returns its last level. */
struct ml_stack_branch *ml_stack_add(struct ml_stack_tree *t, const struct ml_machine *m);
/* Prepares the passes, when all machines are added. */
void ml_stack_start(struct ml_stack_tree *t);
void ml_stack_release(struct ml_stack_tree *t);
size_t ml_stack_passes(const struct ml_stack_tree *t); /* counts tails too */

/* The references whose lines come in: the position of the first, and log2 of a bin. */
struct ml_stack_block {
	uint64_t position;
	unsigned bin_bits;
};
/* Scratch memory of a run; one for each thread, zero at first. */
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

/* Runs one pass with all passes and tails behind it. */
void ml_stack_run(struct ml_stack *s, const struct ml_lines *in,
		  const struct ml_stack_block *b, struct ml_stack_scratch *x);

/* Saves a pass with all behind it, and the counts of the first `bins` bins. */
void ml_stack_save(const struct ml_stack *s, size_t bins, struct ml_buf *out);
/* Restores a pass that has started; false if the bytes are not such a state. */
bool ml_stack_restore(struct ml_stack *s, size_t bins, struct ml_bytes *in);
