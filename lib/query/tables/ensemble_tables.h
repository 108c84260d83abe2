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
	size_t column_cap; /* of columns */
	struct ml_table table;
	struct ml_arena arena;
};

/* What a table is of. */
struct ml_ensemble_ask {
	const struct ml_curves *curves;
	const struct ml_axes *axes;       /* of the ensemble */
	const struct ml_curve_options *o; /* its `against` is told in a column */
	double from, to;                  /* common time */
	bool brief;              /* without what is in labels already: for people */
	const uint32_t *members; /* NULL: all */
	size_t count;
};

struct ml_ranked {
	double value; /* of the measure; NAN are last */
	uint32_t member;
	bool more_is_better;
};
/* All members that are asked for, the best first; rows has room for them. */
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
/* Knots of a matching, at the most so many: name, visit, and for each trace its position,
 * and its references up to the next one. What is unequal is told by the matching. */
void ml_ensemble_matching(struct ml_ensemble_table *t, const struct ml_ensemble *e,
			  const struct ml_time_matching *m, size_t most);
/* Ways to share a cache, the best first: sizes, starved, value. */
void ml_ensemble_second(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			const struct ml_shared_cache *s);
/* The same by number of starved threads: how many ways, mean, deviation, least and
 * greatest of their values. */
void ml_ensemble_clusters(struct ml_ensemble_table *t, const struct ml_ensemble_ask *q,
			  const struct ml_shared_cache *s);
