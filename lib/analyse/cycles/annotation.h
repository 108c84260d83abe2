/*
 * Annotations: for each edge of a growing complex the values that the cocycles of a basis
 * take on it, modulo a prime. Many edges share one vector of values, so vectors are
 * nodes and an edge keeps the number of a node. (Boissonnat, Dey, Maria: The compressed
 * annotation matrix, 2013.)
 *
 * Nodes whose vectors become equal are linked, and a link remembers when it was made: a
 * node's vector at an earlier moment can still be found. Node 0 is the zero vector.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Odd, so that a cocycle can be lifted to the integers; below 2^16, so that products
 * fit 32 bits. */
enum { ML_PRIME = 65521 };

struct ml_term {
	uint32_t class; /* number of a cocycle, in the order of birth */
	uint32_t value; /* modulo ML_PRIME, not 0 */
};

struct ml_annotation_node {
	struct ml_term *terms; /* ascending by class; of a root only */
	uint32_t count, cap;
	uint32_t parent;    /* itself: a root */
	uint32_t size;      /* nodes below it */
	uint32_t linked_at; /* the clock when it got its parent */
	uint32_t next;      /* in the chain of its hash */
};

struct ml_annotation {
	struct ml_annotation_node *nodes;
	size_t count, cap;
	uint32_t *chains; /* first node of each hash + 1 */
	size_t chain_count;
	struct ml_annotation_row {
		uint32_t *nodes; /* all roots with a value of this class, and others */
		size_t count, cap;
	} * rows; /* by class */
	size_t class_count, class_cap;
	uint32_t clock;              /* number of classes that have ended */
	struct ml_term *sum, *other; /* space for two vectors */
	size_t sum_cap, other_cap;
	struct ml_annotation_memo {
		uint64_t key;
		uint32_t clock, node;
	} * memo; /* sums that were asked for lately */
};

void ml_annotation_init(struct ml_annotation *a);
void ml_annotation_release(struct ml_annotation *a);

/* A new cocycle, and the node whose vector is 1 there and 0 elsewhere. */
uint32_t ml_annotation_birth(struct ml_annotation *a);

/* The node of x + y, or of x - y, -x + y, -x - y. */
uint32_t ml_annotation_sum(struct ml_annotation *a, uint32_t x, bool minus_x, uint32_t y,
			   bool minus_y);

/*
 * What +-x +-y - z is; it has to be zero from now on. Returns the youngest class in it,
 * which ml_annotation_kill ends, or UINT32_MAX when it is zero already.
 */
uint32_t ml_annotation_relation(struct ml_annotation *a, uint32_t x, bool minus_x,
				uint32_t y, bool minus_y, uint32_t z);
void ml_annotation_kill(struct ml_annotation *a);

/* Roots with a value of a living class, as terms whose class is the root's number. The
 * array lives until the next call for this annotation. */
const struct ml_term *ml_annotation_column(struct ml_annotation *a, uint32_t class,
					   size_t *count);

/* The root of a node when the clock showed `clock`. */
static inline uint32_t ml_annotation_root(const struct ml_annotation *a, uint32_t node,
					  uint32_t clock)
{
	const struct ml_annotation_node *n = &a->nodes[node];

	while (n->parent != node && n->linked_at < clock) {
		node = n->parent;
		n = &a->nodes[node];
	}
	return node;
}
