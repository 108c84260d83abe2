/*
 * Cycles: the recurrences of a sequence, found by topology. Windows of the sequence are
 * points, edit distances their metric; each class of the first persistent cohomology is
 * a circle on which every moment has an angle. A loop, a repeated call, a repeated
 * pattern turn around it.
 *
 *	ml_windows_init(&windows, 10);
 *	ml_windows_add(&windows, symbols, count);
 *	ml_cycles_init(&c, &windows, symbol_count, &options, work, err);
 *	for (i = 0; i < c.found.count; i++)
 *		... c.found.at[i].turns ...
 *	ml_cycles_release(&c);
 *
 * Held by tests/analyse/test_cycles.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/cycles/coordinate.h"
#include "lib/analyse/cycles/edges.h"
#include "lib/analyse/cycles/net.h"
#include "lib/analyse/cycles/rips.h"
#include "lib/analyse/cycles/short_period.h"
#include "lib/analyse/cycles/windows.h"
#include "lib/base/err.h"

struct ml_work;

struct ml_cycles_options {
	uint32_t coordinates; /* classes that get a coordinate; 0: 8 */
	uint32_t max_points;  /* more distinct windows are thinned to a net, as are those
			       that  have more than 200 million edges; 0: 50000 */
};

struct ml_cycle {
	double birth, death;
	const char *refused; /* why there is no coordinate; NULL: there is one */
	uint32_t scale;      /* of the lift; above 1, turns count so many for one */
	int32_t *factor;     /* of each class as found, where classes are combined */
	struct ml_coordinate coordinate;
	double turns;        /* of the whole walk; not negative */
	double travel;       /* the sum of all turning, forth and back */
	uint64_t first, end; /* moments between preamble and postamble */
};

struct ml_cycle_list {
	struct ml_cycle *at;
	size_t count;
};

struct ml_cycles {
	struct ml_windows *windows; /* the caller's; NULL for plain distances */
	struct ml_net net;
	struct ml_edges edges;
	struct ml_rips rips;
	struct ml_walk_step *steps; /* those of the windows, between points */
	struct ml_lift *lifts;      /* of the classes found, in their order */
	/* As found: by persistence, then by turns times time. Reduced: with
	 * another cycle added where the turns then count the uses of a symbol: the walk
	 * leaves a loop on another path than the one on which it turns back, so that an
	 * inner loop alone turns once less than it runs. */
	struct ml_cycle_list found, reduced;
	struct ml_short_loop *short_loops;
	size_t short_loop_count;
	uint64_t bars; /* how many classes lived for a while */
};

bool ml_cycles_init(struct ml_cycles *c, struct ml_windows *windows, size_t symbol_count,
		    const struct ml_cycles_options *options, const struct ml_work *work,
		    struct ml_err *err);
/* Of points with known distances, without a walk. */
bool ml_cycles_of_distances(struct ml_cycles *c, const double *triangle, uint32_t points,
			    double threshold, const struct ml_cycles_options *options,
			    const struct ml_work *work, struct ml_err *err);
void ml_cycles_release(struct ml_cycles *c);

/* One walk through all moments with their lifted angles, in turns, 0 at moment 0. */
struct ml_cycle_walk {
	const struct ml_cycles *cycles;
	const struct ml_coordinate *coordinate;
	uint64_t moment; /* the next */
	size_t next_break;
	double angle;
};

void ml_cycle_walk_begin(struct ml_cycle_walk *w, const struct ml_cycles *c,
			 const struct ml_cycle *cycle);
/* False behind the last moment. */
bool ml_cycle_walk_next(struct ml_cycle_walk *w, double *angle);

/* The angles at the moments first, first + stride, ... Costs what walking from moment 0
 * costs. */
void ml_cycles_angles(const struct ml_cycles *c, const struct ml_cycle *cycle,
		      uint64_t first, uint64_t stride, double *angle, size_t count);
