/*
 * The combination table of a search space (Haugen and Kurzak, section III.F): for each
 * set of constraints, how many variants fail exactly these. A set is a mask, bit c being
 * constraint c; mask 0 are the survivors. Everything that is drawn or told about the
 * overlap of constraints follows from this table.
 * Held by tests/prune/test_combos.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

struct ml_buf;

enum { ML_COMBOS_CONSTRAINTS = 24 };

struct ml_combo {
	uint32_t mask;
	uint64_t count; /* of variants, more than 0 */
};

struct ml_combo_constraint {
	const char *name;
	const char *about; /* a sentence, or NULL */
	const char *text;  /* its expression, or NULL */
	bool soft;
};

/* Zero bytes are an empty one. */
struct ml_combos {
	struct ml_combo_constraint constraints[ML_COMBOS_CONSTRAINTS];
	size_t constraint_count;
	struct ml_combo *at; /* by mask, ascending */
	size_t count;
	uint64_t total; /* variants */
	struct ml_arena arena;
};

void ml_combos_release(struct ml_combos *t);

/*
 * The paper's file: a column hard:NAME or soft:NAME of 0 and 1 for each constraint, and
 * one column with the number of variants. Rows of the same mask are added up. Messages
 * name path, line and column.
 */
bool ml_combos_parse(struct ml_combos *t, const char *path, const char *text, size_t size,
		     struct ml_err *err);
bool ml_combos_open(struct ml_combos *t, const char *path, struct ml_err *err);
/* Whether the first line of a file names a constraint so. */
bool ml_combos_is(const char *path);
/* Writes the same form, the masks in ascending order. */
void ml_combos_csv(const struct ml_combos *t, struct ml_buf *out);

/* All constraints, as a mask. */
uint32_t ml_combos_all(const struct ml_combos *t);
/* The constraint with a name; false: there is none. */
bool ml_combos_find(const struct ml_combos *t, const char *name, size_t *constraint);
/* Variants whose mask agrees with `want` in the bits of `care`. */
uint64_t ml_combos_match(const struct ml_combos *t, uint32_t care, uint32_t want);

/* What a constraint does. */
struct ml_combo_effect {
	uint64_t eliminated; /* variants that it eliminates */
	uint64_t exclusive;  /* of these, the ones that no other eliminates */
	/* In the given order: variants that reach it, and those of them it eliminates. */
	uint64_t reached, relative;
	/* Constraints each of which alone eliminates all that this one does. */
	uint32_t implied_by;
};

/* The effects of all constraints; `order` has their numbers, the first applied first. */
void ml_combos_effects(const struct ml_combos *t, const uint8_t *order, size_t count,
		       struct ml_combo_effect effects[ML_COMBOS_CONSTRAINTS]);

/*
 * The smallest set of constraints that eliminates as much as all of them: every variant
 * that fails fails at least one of the set. Where nothing survives, this set explains
 * why. Of several smallest sets the one that comes first, by numbers of constraints.
 */
uint32_t ml_combos_smallest(const struct ml_combos *t);

/* The least number of constraints that a variant which does not survive fails; 0: all
 * survive. */
unsigned ml_combos_nearest(const struct ml_combos *t);
