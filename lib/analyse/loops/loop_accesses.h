/*
 * How the accesses of loops move: for each instruction in each node of the tree, and each
 * loop around it, the step from the first address of one iteration to the first address of
 * the next one. Iterations of one entry that follow each other count; the first reference
 * of an instruction in an iteration stands for all of that iteration.
 *
 * A walk that is asked for accesses (ml_loop_walk_open_accesses) fills them.
 * Held by tests/analyse/test_loop_accesses.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/map.h"

enum {
	ML_LOOP_LEVELS = 6, /* loops around an access, from the innermost on */
	ML_LOOP_STEPS = 4,  /* different steps that are remembered */
};

/* How an access moves from iteration to iteration of a loop. */
enum ml_loop_motion {
	ML_LOOP_UNKNOWN,   /* no two iterations followed each other */
	ML_LOOP_INVARIANT, /* always the same address */
	ML_LOOP_CONSTANT,  /* always the same step */
	ML_LOOP_REGULAR,   /* mostly the same step */
	ML_LOOP_IRREGULAR
};

struct ml_loop_steps {
	uint64_t entry, iteration, number; /* of the last first reference */
	uint64_t addr;                     /* of it */
	uint64_t count;                    /* steps in all */
	int64_t step[ML_LOOP_STEPS];
	uint64_t times[ML_LOOP_STEPS]; /* at least so often; [0] is exact while the others
					  are 0 */
};

struct ml_loop_access {
	uint32_t node, site;
	uint16_t what;
	uint16_t thread;
	uint16_t levels; /* loops around it that were seen, at most ML_LOOP_LEVELS */
	uint64_t refs;
	uint64_t time, addr;                        /* of the first one */
	struct ml_loop_steps level[ML_LOOP_LEVELS]; /* the innermost loop first */
};

struct ml_loop_accesses {
	struct ml_loop_access *at;
	size_t count, cap;
	struct ml_map known; /* by node, site and what: number + 1 */
};

void ml_loop_accesses_release(struct ml_loop_accesses *a);
/* The number of an access; added if it is new. */
uint32_t ml_loop_accesses_of(struct ml_loop_accesses *a, uint32_t node, uint32_t site,
			     uint16_t what);

/* A loop that is active, as an access sees it. */
struct ml_loop_around {
	uint64_t entry;     /* a number of this entry, that no other one has */
	uint64_t iteration; /* the same of the iteration */
	uint64_t number;    /* of the iteration in its entry */
};

/* A reference of an access: notes its steps by the loops that are active, of which
 * around[-1] is the innermost of `loops`. */
void ml_loop_access_moves(struct ml_loop_access *a, uint64_t addr,
			  const struct ml_loop_around *around, size_t loops);

/* How the access moves by a loop around it, and by how many bytes. */
enum ml_loop_motion ml_loop_access_motion(const struct ml_loop_access *a, unsigned level,
					  int64_t *step);
