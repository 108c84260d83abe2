#include "lib/prune/combos.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/table.h"

void ml_combos_release(struct ml_combos *t)
{
	ml_free(t->at);
	ml_arena_release(&t->arena);
	*t = (struct ml_combos){ 0 };
}

uint32_t ml_combos_all(const struct ml_combos *t)
{
	return (UINT32_C(1) << t->constraint_count) - 1;
}

bool ml_combos_find(const struct ml_combos *t, const char *name, size_t *constraint)
{
	for (size_t i = 0; i < t->constraint_count; i++)
		if (!strcmp(t->constraints[i].name, name)) {
			*constraint = i;
			return true;
		}
	return false;
}

uint64_t ml_combos_match(const struct ml_combos *t, uint32_t care, uint32_t want)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->count; i++)
		if ((t->at[i].mask & care) == want)
			sum += t->at[i].count;
	return sum;
}

/* Constraints that every failing variant of constraint c fails too, without c. */
static uint32_t implied_by(const struct ml_combos *t, size_t c)
{
	uint32_t by = ml_combos_all(t), bit = UINT32_C(1) << c;
	bool any = false;

	for (size_t i = 0; i < t->count; i++)
		if (t->at[i].mask & bit) {
			by &= t->at[i].mask;
			any = true;
		}
	return any ? by & ~bit : 0;
}

void ml_combos_effects(const struct ml_combos *t, const uint8_t *order, size_t count,
		       struct ml_combo_effect effects[ML_COMBOS_CONSTRAINTS])
{
	uint32_t all = ml_combos_all(t), before = 0;

	memset(effects, 0, ML_COMBOS_CONSTRAINTS * sizeof(*effects));
	for (size_t c = 0; c < t->constraint_count; c++) {
		uint32_t bit = UINT32_C(1) << c;

		effects[c].eliminated = ml_combos_match(t, bit, bit);
		effects[c].exclusive = ml_combos_match(t, all, bit);
		effects[c].implied_by = implied_by(t, c);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t bit = UINT32_C(1) << order[i];

		effects[order[i]].reached = ml_combos_match(t, before, 0);
		effects[order[i]].relative = ml_combos_match(t, before | bit, bit);
		before |= bit;
	}
}

/* Masks that contain another one are hit whenever the other is: only the least matter. */
static size_t least_masks(const struct ml_combos *t, uint32_t *masks)
{
	size_t n = 0;

	for (unsigned bits = 1; bits <= t->constraint_count; bits++)
		for (size_t i = 0; i < t->count; i++) {
			uint32_t m = t->at[i].mask;
			bool hit = false;

			if ((unsigned)__builtin_popcount(m) != bits)
				continue;
			for (size_t k = 0; k < n && !hit; k++)
				hit = (m & masks[k]) == masks[k];
			if (!hit)
				masks[n++] = m;
		}
	return n;
}

/* A set with at most `room` more constraints that hits all masks; the lowest first. */
static bool hit_all(const uint32_t *masks, size_t n, uint32_t chosen, unsigned room,
		    uint32_t *set)
{
	size_t i = 0;

	while (i < n && masks[i] & chosen)
		i++;
	if (i == n) {
		*set = chosen;
		return true;
	}
	for (uint32_t left = room ? masks[i] : 0; left; left &= left - 1)
		if (hit_all(masks, n, chosen | (left & -left), room - 1, set))
			return true;
	return false;
}

uint32_t ml_combos_smallest(const struct ml_combos *t)
{
	uint32_t *masks = ml_resize(NULL, (t->count + 1) * sizeof(*masks)), set = 0;
	size_t n = least_masks(t, masks);

	for (unsigned room = 0; !hit_all(masks, n, 0, room, &set); room++)
		;
	ml_free(masks);
	return set;
}

unsigned ml_combos_nearest(const struct ml_combos *t)
{
	unsigned nearest = 0;

	for (size_t i = 0; i < t->count; i++) {
		unsigned bits = (unsigned)__builtin_popcount(t->at[i].mask);

		if (bits && (!nearest || bits < nearest))
			nearest = bits;
	}
	return nearest;
}

void ml_combos_csv(const struct ml_combos *t, struct ml_buf *out)
{
	char number[24];

	for (size_t c = 0; c < t->constraint_count; c++) {
		ml_buf_put(out, t->constraints[c].soft ? "soft:" : "hard:", 5);
		ml_table_csv_text(out, t->constraints[c].name);
		ml_buf_u8(out, ',');
	}
	ml_buf_put(out, "count\n", 6);
	for (size_t i = 0; i < t->count; i++) {
		for (size_t c = 0; c < t->constraint_count; c++)
			ml_buf_put(out, t->at[i].mask >> c & 1 ? "1," : "0,", 2);
		int n = snprintf(number, sizeof(number), "%llu\n",
				 (unsigned long long)t->at[i].count);
		ml_buf_put(out, number, (size_t)n);
	}
}
