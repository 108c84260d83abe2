/*
 * Tables of an ensemble, for text, JSON and CSV. Their columns depend on its parameters
 * and levels.
 *
 *	struct ml_ensemble_table t;
 *
 *	ml_ensemble_ranking(&t, &ask);
 *	ml_table_print(&t.table, width, &out);
 *	ml_ensemble_table_release(&t);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/shared_cache_model.h"
#include "lib/base/table.h"

struct ml_axes;

struct ml_ensemble_table {
	struct ml_column *columns;
	size_t column_cap; /* for names of columns */
	struct ml_table table;
	struct ml_arena arena;
};

/* The part of an ensemble that a table shows. */
struct ml_ensemble_ask {
	const struct ml_curves *curves;
	const struct ml_axes *axes; /* of the ensemble */
	const struct ml_curve_options
		*o;      /* a table has a column for the difference to `against` */
	double from, to; /* common time */
	bool brief;      /* for people: without columns that repeat the labels */
	const uint32_t *members; /* NULL: all */
	size_t count;
};

struct ml_ranked {
	double value; /* value of the measure; NAN sorts last */
	uint32_t member;
	bool more_is_better;
};
/* Fills rows with the members of the question, the best first; rows must have room. */
void ml_ensemble_rank(const struct ml_ensemble_ask *q, struct ml_ranked *rows);
/* References of a member in the window. */
double ml_ensemble_references(const struct ml_ensemble_ask *q, uint32_t member);

void ml_ensemble_table_release(struct ml_ensemble_table *t);

/*
 * Members, the best first: label, parameters, the measure, its difference against a
 * member (absolute and relative), average cycles, share by level, bytes from memory.
 */
void ml_ensemble_ranking(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q);
/* Long form: a row for each member and cell: member, label, parameters, from, to (common
 * time), references, served by level, mean, low, high, deviation. */
void ml_ensemble_series(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			size_t cells);
/*
 * Knots of a matching, at most `max`: name, visit, and for each trace the position of the
 * knot and the references up to the next knot.
 */
void ml_ensemble_matching(struct ml_ensemble_table *t, const struct ml_ensemble *e,
			  const struct ml_time_matching *m, size_t max);
/* Ways to share a cache, the best first: sizes, starved threads, value. */
void ml_ensemble_ways(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
		      const struct ml_shared_cache *s);
/*
 * The same by number of starved threads: number of ways, and the mean, deviation, minimum
 * and maximum of their values.
 */
void ml_ensemble_clusters(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			  const struct ml_shared_cache *s);
