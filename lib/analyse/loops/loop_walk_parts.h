/*
 * The inside of a loop walk, which its two files share: loop_walk.c runs transitions,
 * loop_walk_build.c makes them.
 */
#pragma once

#include "lib/analyse/loops/loop_accesses.h"
#include "lib/analyse/loops/loop_walk.h"
#include "lib/base/map.h"

enum { ROOT_STATE = 0 };

/* How a thread stands behind its block. */
enum ml_loop_behind {
	ML_LOOP_BEHIND,   /* it ran up to its end */
	ML_LOOP_RETURNED, /* its call has returned */
	ML_LOOP_LANDED,   /* control may be anywhere in its function */
	ML_LOOP_HERE      /* the function is about to be entered there */
};

struct ml_loop_state {
	uint32_t node, block; /* ML_NO_CODE: nothing ran yet */
	uint8_t behind;       /* enum ml_loop_behind */
};

enum ml_loop_op_kind {
	ML_LOOP_OPEN,    /* a: node, b: loop + 1 if it has copies */
	ML_LOOP_ITERATE, /* a: how often */
	ML_LOOP_SHUT,    /* a: the iteration that is left counts */
	ML_LOOP_CALL,    /* a: node, b: block that it returns to, c: state then */
	ML_LOOP_POP,
	ML_LOOP_REFS, /* a: how many; b: the first of so many entries of accesses of the
			 walk; c: the first of them in the step */
};

struct ml_loop_op {
	uint32_t kind, a, b, c;
};

/* What a transition adds to nodes each time. */
struct ml_loop_sum {
	uint32_t node;
	uint32_t refs;
	uint32_t calls;      /* entries of functions */
	uint32_t iterations; /* with whole: of a loop that is entered and left */
	bool whole;
};

enum ml_loop_open_end { ML_LOOP_DONE, ML_LOOP_RETURNS, ML_LOOP_JUMPS };

struct ml_loop_transition {
	uint32_t state, path, part; /* from where, and with which part it begins */
	uint32_t other;             /* another one with the same hash, + 1 */
	uint32_t next;              /* state behind it */
	uint32_t ops, op_count, sums, sum_count;
	uint8_t open_end; /* enum ml_loop_open_end: where `at` is entered from */
	bool maybe;       /* which references happened is to be looked up */
	uint32_t at;      /* block */
	uint32_t next_part;
	uint32_t guess; /* the transition that followed last, + 1 */
	uint64_t count;
};

/* A call that has not returned. */
struct ml_loop_frame {
	uint32_t ret;   /* block; ML_NO_CODE: a signal, or not known */
	uint32_t state; /* of the caller then */
	uint32_t node;  /* of the function that was called */
	uint32_t loops; /* active when it was called */
};

/* A loop that is active, or was until it was left: `left` then. */
struct ml_loop_active {
	uint32_t node, loop; /* loop + 1, if there are copies of it */
	bool left;
	uint64_t iterations;
};

struct ml_loop_thread {
	uint32_t state;
	uint32_t last; /* the transition of the last step, + 1 */
	struct ml_loop_frame *frame;
	size_t frames, frame_cap;
	struct ml_loop_active *active; /* one more than `loops` is valid */
	size_t loops, active_cap;
	struct ml_loop_around
		*around; /* of the active loops, where accesses are wanted */
	size_t around_cap;
};

struct ml_loop_walk {
	const struct ml_trace *trace;
	const struct ml_work *work;
	struct ml_code_graph graph;
	struct ml_code_function **function;
	size_t functions, function_cap;
	struct ml_map function_at; /* by entry block: number + 1 */
	struct ml_map entry_of;    /* by name: the first block that is called, + 1 */
	struct ml_loop_tree tree;
	struct ml_loop_state *state;
	size_t states, state_cap;
	struct ml_map state_of; /* + 1 */
	struct ml_loop_transition *transition;
	size_t transitions, transition_cap;
	struct ml_map transition_of; /* + 1 */
	struct ml_loop_op *op;
	size_t ops, op_cap;
	struct ml_loop_sum *sum;
	size_t sums, sum_cap;
	struct ml_map reaches;          /* return block and block entered: 1 no, 2 yes */
	struct ml_loop_thread **thread; /* by number */
	struct ml_step_cursor *cursor;
	struct ml_loop_accesses accesses;
	uint32_t *access; /* those of the references of transitions */
	size_t access_count, access_cap;
	uint64_t serial; /* the last number given to an entry or iteration */
	bool with_accesses;
	bool recurses; /* some function calls itself: the depth of each call counts */
	bool finished;
};

uint32_t ml_loop_walk_state(struct ml_loop_walk *w, uint32_t node, uint32_t block,
			    enum ml_loop_behind behind);
/* The function that a block is entered as; its number. */
uint32_t ml_loop_walk_function_of(struct ml_loop_walk *w, uint32_t block);
/* Is a block reached from a place that calls return to, without a reference? */
bool ml_loop_walk_reaches(struct ml_loop_walk *w, uint32_t ret, uint32_t block);
/* The function of a node has this block. */
bool ml_loop_walk_holds(const struct ml_loop_walk *w, uint32_t node, uint32_t block);
/* Makes a transition; returns its number. */
uint32_t ml_loop_walk_build(struct ml_loop_walk *w, uint32_t state, uint32_t path,
			    uint32_t part);
