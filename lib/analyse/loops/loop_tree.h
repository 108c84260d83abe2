/*
 * What ran: a tree of threads, functions and loops. A function is a child of what called
 * it: of the loop that it was called from, or of a function. A function that calls itself,
 * through whatever others, is one node, with its depth. References that code made which is
 * not known belong to the thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_code_function;

enum ml_loop_kind { ML_LOOP_THREAD, ML_LOOP_FUNCTION, ML_LOOP_LOOP };

#define ML_NO_NODE UINT32_MAX

struct ml_loop_node {
	uint8_t kind; /* enum ml_loop_kind */
	bool irreducible;
	bool copied; /* a loop of which the compiler made several */
	uint16_t thread;
	uint32_t parent, child, sibling; /* the first child, the next sibling */
	uint32_t function;               /* index of functions */
	uint32_t loop;    /* of the function, the one that stands for copies */
	uint64_t refs;    /* its own, without those of its children */
	uint64_t entries; /* calls of a function */
	uint64_t iterations, min, max; /* of loops: in all, of one entry */
	uint32_t depth;  /* of functions: the most that were active at once */
	uint32_t active; /* while the tree is made */
};

struct ml_loop_tree {
	struct ml_loop_node *node; /* parents stand before their children */
	size_t count, cap;
};

void ml_loop_tree_release(struct ml_loop_tree *t);
/* The child of a node with this kind, function and loop; added if it is new. */
uint32_t ml_loop_tree_child(struct ml_loop_tree *t, uint32_t parent,
			    enum ml_loop_kind kind, uint32_t function, uint32_t loop);
/* The function that a node is in: the node of it; ML_NO_NODE for threads. */
uint32_t ml_loop_tree_function(const struct ml_loop_tree *t, uint32_t node);
/* The node for a call: a child, or the function itself where it is active already. */
uint32_t ml_loop_tree_call(struct ml_loop_tree *t, uint32_t from, uint32_t function);
/* Entries of a loop that had so many iterations each. */
void ml_loop_tree_entered(struct ml_loop_tree *t, uint32_t node, uint64_t iterations,
			  uint64_t entries);
