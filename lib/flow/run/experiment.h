/*
 * One experiment with a flow, from texts as a person types them: sizes, layouts, another
 * order of loops, tiles, a machine. The command line and the page both ask this.
 *
 *	struct ml_experiment x = { .set = "M=9,K=10,N=15", .tile = "i=4,k=4",
 *				   .machine = "L1 1K 2w", .line = 64, .threshold = 10 };
 *	bool ok = ml_experiment_run(&x, flow, &err);
 *	... x.now.locality, x.now.served; x.before, if x.changes; x.legality
 *	ml_experiment_release(&x);
 *
 * An original program and a changed one use the same addresses, as far as layouts are the
 * same, and the same numbers of containers and accesses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/flow/order/legality.h"
#include "lib/flow/run/locality.h"
#include "lib/flow/run/served.h"
#include "lib/flow/order/transform.h"

struct ml_flow;
struct ml_json;

/* What a simulation of one version of the program found. */
struct ml_experiment_side {
	struct ml_locality locality;
	struct ml_served served; /* with a machine */
};

struct ml_experiment {
	/* The texts; NULL or empty: none. */
	const char *set;     /* "n=9,m=10": sizes */
	const char *layout;  /* layouts of containers, joined by ;  (layout.h) */
	const char *tile;    /* "i=32,k=32" (transform.h) */
	const char *order;   /* "k,i,j" */
	const char *machine; /* "L1 32K 8w | L2 1M", a preset, "host" */
	/* 0: the line of the machine, or 64 */
	uint64_t line;
	uint64_t threshold; /* lines: an access farther than this is a miss */
	uint64_t calls;     /* on the machine: runs one after another; 0: one */
	uint64_t max;       /* fail beyond so many accesses; 0: never */
	uint32_t root;      /* a node of the flow; 0: all of it */
	bool keep;          /* keep every access (locality.h, served.h) */
	bool no_causes;     /* of a machine: levels only, several times as fast */
	bool only_machine;  /* no locality: it stays empty */
	bool only_changed;  /* neither the original beside it, nor its legality */
	bool no_legality;   /* a proof may take half a second */
	const struct ml_work *work;
	/* Results. */
	bool changes; /* there are layouts, tiles or an order: `before` is the original */
	bool has_machine;
	struct ml_machine simulated;
	const struct ml_flow *flow; /* what `now` ran: the changed program, or the flow */
	struct ml_experiment_side now, before;
	struct ml_legality legality; /* said NULL: the order of iterations is the same */
	/* Private. */
	struct ml_transform transform;
	struct ml_arena arena;
};

/* The flow is not changed, and must live until the release. */
bool ml_experiment_run(struct ml_experiment *x, const struct ml_flow *f,
		       struct ml_err *err);
void ml_experiment_release(struct ml_experiment *x);

/*
 * Keys and values of the object that is open: those of ml_flow_json_at for `now`; with a
 * machine "machine" (levels, misses by level, container and access); with changes
 * "before" (the same for the original) and, if loops moved, "legality".
 */
void ml_experiment_json(const struct ml_experiment *x, struct ml_json *w);
