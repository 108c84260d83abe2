/*
 * Simulations of a flow at chosen sizes and layouts, kept for the requests that follow: a
 * page that moves a slider asks several routes about the same sizes. The threshold is no
 * part of a simulation; misses follow from the distances that it keeps.
 *
 *	struct ml_simulated *s = ml_simulated_get(&f->simulations, flow, q, &err);
 *	...
 *	ml_simulated_put(&f->simulations, s);
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/run/experiment.h"
#include "lib/flow/run/locality.h"

struct ml_flow;
struct ml_flow_sizes;
struct ml_request;

/* The executions of computations, in order. */
struct ml_executions {
	size_t count;
	uint32_t *node;  /* the computation, a node of the changed program */
	uint64_t *first; /* place of its loop values */
	int64_t *value;  /* of the loops around it, the outermost first */
};

struct ml_simulated {
	struct ml_simulated *next; /* the one used last first */
	char *key;                 /* sizes and layout as text */
	unsigned users;
	bool listed; /* still in the list; what is not is freed by its last user */
	struct ml_arena arena;
	struct ml_experiment x;   /* texts, and what changed of the program */
	struct ml_locality *l;    /* of x.now; keeps every access */
	const struct ml_flow *of; /* the original: nodes of answers are its nodes */
	uint32_t *access_node;    /* by number of an access of the flow */
	uint32_t *was; /* by node of the changed program: that of the original, or
			  ML_FLOW_NONE for loops over tiles; NULL: the same */
	struct ml_executions executions; /* made on demand: ml_simulated_executions */
};

struct ml_simulations {
	pthread_mutex_t lock;
	struct ml_simulated *list;
};

void ml_simulations_init(struct ml_simulations *s);
void ml_simulations_release(struct ml_simulations *s);

/* SIZES of a request: set, others, line, layout (several joined by ;), order, tile,
 * machine, root. NULL with a sentence where they cannot be simulated. */
struct ml_simulated *ml_simulated_get(struct ml_simulations *all, const struct ml_flow *f,
				      const struct ml_request *q, struct ml_err *err);
void ml_simulated_put(struct ml_simulations *all, struct ml_simulated *s);
/* A simulation at other sizes than those of the request, not kept; NULL with a sentence:
 * it has more than `max` accesses, for example. */
struct ml_simulated *ml_simulated_once(const struct ml_flow *f,
				       const struct ml_flow_sizes *z, uint64_t max,
				       const struct ml_request *q, struct ml_err *err);
void ml_simulated_free(struct ml_simulated *s);
const struct ml_executions *ml_simulated_executions(struct ml_simulations *all,
						    struct ml_simulated *s);

/* The parameter root, a node of the flow. */
bool ml_flow_root(const struct ml_flow *f, const struct ml_request *q, uint32_t *root,
		  struct ml_err *err);
/* The place of a kept access in its container, in elements of storage. */
int64_t ml_simulated_place(const struct ml_simulated *s, size_t access);

/*
 * Elements of several containers as one array: container c has cells first[c] to
 * first[c + 1]; its element low[c] is the first of them. Elements beyond have no cell.
 */
struct ml_cells {
	size_t count;
	size_t *first;
	int64_t *low;
};
/* The first elements of all containers, a million together. */
void ml_cells_all(struct ml_cells *c, const struct ml_simulated *s, struct ml_arena *a);
/* At most `max` elements of one container, without the `skip` first. */
void ml_cells_one(struct ml_cells *c, const struct ml_simulated *s, uint32_t container,
		  uint64_t skip, uint64_t max, struct ml_arena *a);
uint64_t ml_simulated_elements(const struct ml_simulated *s, uint32_t container);
/* The cell of a kept access; SIZE_MAX: none. */
size_t ml_cells_of(const struct ml_cells *c, const struct ml_simulated *s, size_t access);
/* Statistics of all cells in one pass; as ml_locality_elements has them. */
void ml_cells_statistics(const struct ml_cells *c, const struct ml_simulated *s,
			 uint64_t threshold, struct ml_locality_element *e);
