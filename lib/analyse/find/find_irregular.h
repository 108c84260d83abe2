/*
 * Irregular access: steps that do not repeat. What can be done depends on what is
 * visited: many small blocks that point to each other (find_nodes.c), an array through
 * an array of indices (find_gather.c), or anything else, mostly searches and hash tables
 * (find_probes.c). The three share the choice of spots, and the elements that a spot
 * visits, from which a denser layout is made.
 * Held by tests/analyse/test_find_irregular.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/trial/elements.h"
#include "lib/analyse/find/find_spots.h"

enum ml_irregular { ML_REGULAR, ML_NODES, ML_GATHER, ML_PROBES };
enum { ML_IRREGULAR_ALSO = 3 }; /* further regions whose nodes a line visits */
enum { ML_IRREGULAR_MAX = 3 };  /* regions that each kind looks at */

/* An order must save so much more than a denser layout to be the remedy. */
#define ML_ORDER_MATTERS 1.25

/* One element: a block, or an element of an array. */
struct ml_visited {
	uint64_t key, size;
	uint32_t number, count; /* of the element; of visits */
	uint32_t next;          /* element that came next, + 1; 0: none did */
	uint16_t thread;        /* of the first visit */
};

/* How elements may lie side by side. */
enum ml_visits_order {
	ML_VISITS_FIRST, /* in the order of their first visits, each thread's apart */
	ML_VISITS_COUNT, /* the most visited first, if that is not chance */
	ML_VISITS_HOT,   /* those visited twice as often as most; the others stay */
	ML_VISITS_POOL,  /* as FIRST, but blocks lie side by side as in an array */
	ML_VISITS_ORDERS
};

/* What one line of code visits in one region. */
struct ml_visits {
	const struct ml_spot *spot;
	const struct ml_spot
		*also[ML_IRREGULAR_ALSO]; /* NODES of other regions; or NULL */
	const struct ml_spot *index;      /* GATHER: the array of indices */
	uint64_t pitch; /* bytes of an element; 0: elements are blocks */
	struct ml_elements elements;
	struct ml_visited
		*at; /* by number of the element, less 1, until they are tried */
	size_t count, cap;
	uint32_t before;                    /* in see: the element visited last, + 1 */
	uint64_t same_next, other_next;     /* visits after which the same element came as
					       the time before, or another */
	uint64_t *places[ML_VISITS_ORDERS]; /* of ML_CHANGE_PACK; NULL: not tried */
	unsigned number; /* among the spots: places of different regions lie apart */
};

/* The costliest irregular spots of a kind, each of another region. */
struct ml_irregular_spots {
	struct ml_visits visits[ML_IRREGULAR_MAX];
	size_t count;
};

/* In look: finds the spots, and watches them if there are any. */
void ml_irregular_look(struct ml_find *f, enum ml_irregular kind,
		       struct ml_irregular_spots *spots);
/* In see: notes the elements that the spots visit. */
void ml_irregular_see(struct ml_find *f, struct ml_irregular_spots *spots,
		      const struct ml_seen *s);
void ml_irregular_release(struct ml_irregular_spots *spots);
/* In try: has the elements tried side by side. */
size_t ml_visits_try(struct ml_find *f, struct ml_visits *v, enum ml_visits_order order);
/*
 * In try: has the elements of all spots tried at once; each was tried alone before. What
 * several changes save together may be less than their sum: all gain the same room in the
 * caches.
 */
size_t ml_irregular_try(struct ml_find *f, const struct ml_irregular_spots *spots,
			enum ml_visits_order order);
/* Whether elements are visited in the same order again: then there is one to learn. */
bool ml_visits_repeat(const struct ml_visits *v);
/* In conclude: what blocks in another order save, as ml_find_saved. */
double ml_visits_saved(const struct ml_find *f, const struct ml_visits *v, size_t trial);
/* A finding that claims the misses of all irregular spots of the region. */
struct ml_candidate *ml_irregular_add(struct ml_find *f, const struct ml_visits *v,
				      double saved);
