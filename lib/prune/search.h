/*
 * A search space as it is opened: a description, which is evaluated, or the paper's table
 * of combinations, which says how many variants fail what but not which they are.
 * Held by tests/base/test_search.c.
 */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/prune/combos.h"
#include "lib/prune/prune.h"
#include "lib/prune/space.h"

struct ml_work;

struct ml_search {
	const char *name; /* of the space, or of the file */
	bool described;   /* space and prune are there */
	struct ml_space space;
	struct ml_prune prune;
	struct ml_combos combos;
	double seconds[2]; /* to compile, to evaluate */
	struct ml_arena arena;
};

/* Opens without evaluating: of a description the combinations are still empty. */
bool ml_search_open(struct ml_search *s, const char *path, struct ml_err *err);
/* Evaluates a description; a table of combinations needs nothing. */
bool ml_search_evaluate(struct ml_search *s, enum ml_prune_engine engine, const char *cc,
			unsigned threads, const struct ml_work *work, struct ml_err *err);
void ml_search_close(struct ml_search *s);
/* Whether a file looks like either. */
bool ml_search_is(const char *path);
/* Fails with a sentence where only the combinations are known. */
bool ml_search_described(const struct ml_search *s, struct ml_err *err);
