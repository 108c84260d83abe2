#include "lib/prune/combos.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"

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

/*
 * All sets of constraints as bits, 2^n of them: a bit is set where the constraints of the
 * set contain those of a failing combination. Contains is inherited upwards one
 * constraint at a time, 64 sets in a word, so that 24 constraints take some milliseconds
 * whatever the combinations are.
 */
static void spread_up(uint64_t *sets, size_t words, size_t n)
{
	static const uint64_t without[] = {
		UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
		UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
		UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff),
	};

	for (size_t c = 0; c < n && c < 6; c++)
		for (size_t i = 0; i < words; i++)
			sets[i] |= (sets[i] & without[c]) << (1u << c);
	for (size_t c = 6; c < n; c++)
		for (size_t i = 0; i < words; i++)
			if (i >> (c - 6) & 1)
				sets[i] |= sets[i ^ (size_t)1 << (c - 6)];
}

/* Whether p comes before q: the first constraint in which they differ is one of p. */
static bool comes_before(uint32_t p, uint32_t q)
{
	uint32_t differ = p ^ q;

	return p & differ & -differ;
}

/*
 * A set of constraints eliminates all that fails unless its complement contains a failing
 * combination: that combination would pass the set.
 */
uint32_t ml_combos_smallest(const struct ml_combos *t)
{
	size_t n = t->constraint_count, words = n > 6 ? (size_t)1 << (n - 6) : 1;
	uint64_t *sets = ml_resize(NULL, words * sizeof(*sets));
	uint32_t all = ml_combos_all(t), best = all;

	memset(sets, 0, words * sizeof(*sets));
	for (size_t i = 0; i < t->count; i++)
		if (t->at[i].mask)
			sets[t->at[i].mask / 64] |= UINT64_C(1) << t->at[i].mask % 64;
	spread_up(sets, words, n);
	for (uint32_t i = 0; i <= all; i++) {
		uint32_t set = all & ~i;
		int more;

		if (sets[i / 64] == UINT64_MAX && i % 64 == 0 && i + 63 <= all) {
			i += 63;
			continue;
		}
		if (sets[i / 64] >> i % 64 & 1)
			continue;
		more = __builtin_popcount(set) - __builtin_popcount(best);
		if (more < 0 || (more == 0 && comes_before(set, best)))
			best = set;
	}
	ml_free(sets);
	return best;
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
		ml_buf_text(out, t->constraints[c].name);
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
