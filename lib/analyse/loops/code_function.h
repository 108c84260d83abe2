/*
 * The functions of the recorded code, and the loops of each: found where the graph of its
 * blocks has cycles, nested by their headers (Havlak 1997). A loop that is entered at one
 * block has that block as its header. One that is entered at several (goto, computed
 * jumps) is called irreducible; the first of these in the order of the code stands for
 * its header.
 *
 * Compilers make several loops of one: unrolled or vectorised, with a remainder. Loops of
 * one function with the same place in the source, in the same loop, are copies; the first
 * one stands for all.
 * Held by tests/analyse/test_loops.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"

struct ml_code_graph;

#define ML_NO_LOOP UINT32_MAX

struct ml_code_loop {
	uint32_t header; /* block */
	uint32_t parent; /* ML_NO_LOOP: none */
	uint32_t source; /* the loop that stands for its copies: its own number if none */
	uint32_t depth;  /* 0: outermost */
	bool irreducible;
	bool copied;    /* there are copies: those of `source` too */
	uint32_t site;  /* the place that a programmer would name; 0: not known */
	uint32_t frame; /* of the tables: function, file and line of it; 0 with site 0 */
};

struct ml_code_function {
	uint32_t entry;            /* block */
	uint32_t name;             /* 0: not known */
	uint32_t site;             /* of its first known instruction; 0: none */
	struct ml_map loop_of;     /* by block: its innermost loop + 1; 0: in none */
	struct ml_code_loop *loop; /* a parent stands before its children */
	size_t loops, cap;
};

void ml_code_function_find(struct ml_code_function *f, const struct ml_code_graph *g,
			   uint32_t entry);
void ml_code_function_release(struct ml_code_function *f);

/* Is the block part of the function? *loop: its innermost loop; ML_NO_LOOP. */
bool ml_code_function_has(const struct ml_code_function *f, uint32_t block,
			  uint32_t *loop);
/* Does the branch that ends a block decide whether the loop, entered at its head, goes on?
 * Then leaving there begins no iteration. */
bool ml_code_function_tests(const struct ml_code_function *f,
			    const struct ml_code_graph *g, uint32_t loop, uint32_t block);
