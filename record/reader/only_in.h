/*
 * --only-in FUNCTION: which references are made while a function runs.
 *
 * A thread is inside from the first step in the function until its stack pointer rises
 * above the frame. These count as inside too:
 *
 *  - references of code that was inlined from the function, by the debug information, and
 *    the functions that such code calls (under Valgrind)
 *  - parallel regions of OpenMP that run while another thread is inside
 *  - threads that were created inside, as long as their parent is inside
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_objects;
struct ml_tables;

/* Where a piece of code lies. */
enum ml_only_in_place {
	ML_ONLY_ELSEWHERE,
	ML_ONLY_FUNCTION, /* in the function, or in a parallel region of it */
	ML_ONLY_PARALLEL, /* in a parallel region of another function */
};

/* The state of a thread. */
struct ml_only_in_thread {
	uint64_t sp;    /* stack pointer at the entry of the function */
	uint32_t depth; /* with `memlamp cc`: calls since then */
	bool inside;
	bool born_inside; /* its parent was inside when it was created */
	uint32_t parent;  /* number of that thread */
};

struct ml_only_in {
	const char *function; /* NULL: all is recorded */
	struct ml_objects *objects;
	const struct ml_tables *tables;
	uint8_t *inlined; /* by site: 0 not known yet, 1 no, 2 yes */
	size_t cap;
	unsigned insiders; /* threads that are inside by themselves */
	bool entered;      /* the function was seen */
};

void ml_only_in_release(struct ml_only_in *o);
/* Where the code at ip lies; site: the one of ip. */
enum ml_only_in_place ml_only_in_place(struct ml_only_in *o, uint64_t ip, uint32_t site);
/* Is the site in the function, itself or inlined? */
bool ml_only_in_site(struct ml_only_in *o, uint32_t site);

/* The thread is in a place, with its stack pointer at sp. */
void ml_only_in_enter(struct ml_only_in *o, struct ml_only_in_thread *t,
		      enum ml_only_in_place place, uint64_t sp);
/* The thread calls another function from a site of the function. */
void ml_only_in_call(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp);
/* The stack pointer of the thread is sp: above its frame the function has been left. */
void ml_only_in_leave(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp);
/*
 * A function of a program built by `memlamp cc` returns. At the frame of the function
 * this is the function itself or a callee that has removed its own frame already; the
 * calls between tell which.
 */
void ml_only_in_return(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp);
