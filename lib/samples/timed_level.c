#include "lib/samples/timed_level.h"

#include <stdlib.h>

#include "lib/base/arena.h"

static int by_ticks(const void *a, const void *b)
{
	const struct ml_timed_vote *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

/* Each level has the same number of votes, taken evenly from its measured times. */
void ml_timed_levels_init(struct ml_timed_levels *t, const uint64_t *const *ticks,
			  const size_t *count, size_t levels, struct ml_arena *a)
{
	size_t each = SIZE_MAX;

	for (size_t i = 0; i < levels; i++)
		each = count[i] < each ? count[i] : each;
	*t = (struct ml_timed_levels){
		.levels = levels,
		.nearest = each / 16 + 1,
		.votes = ml_arena_alloc(a, (levels * each + 1) * sizeof(*t->votes))
	};
	for (size_t i = 0; i < levels; i++)
		for (size_t k = 0; k < each; k++)
			t->votes[t->count++] = (struct ml_timed_vote){
				ticks[i][k * count[i] / each], (uint32_t)i
			};
	qsort(t->votes, t->count, sizeof(*t->votes), by_ticks);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* Counts the nearest votes; all votes as far away as the last one count too. */
static void ask(const struct ml_timed_levels *t, uint64_t ticks,
		uint64_t votes[ML_TIMED_LEVELS_MAX])
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->votes[middle].ticks < ticks)
			low = middle + 1;
		else
			high = middle;
	}
	/* votes [low, high) are asked */
	uint64_t reach = 0;
	for (;;) {
		uint64_t left = low ? distance(t->votes[low - 1].ticks, ticks)
				    : UINT64_MAX,
			 right = high < t->count ? distance(t->votes[high].ticks, ticks)
						 : UINT64_MAX,
			 next = left < right ? left : right;

		if (next == UINT64_MAX || (high - low >= t->nearest && next > reach))
			return;
		reach = next;
		votes[t->votes[left < right ? --low : high++].level]++;
	}
}

struct ml_timed_level ml_timed_levels_find(const struct ml_timed_levels *t,
					   uint64_t ticks)
{
	uint64_t votes[ML_TIMED_LEVELS_MAX] = { 0 }, all = 0, sum;
	size_t top = 0, first, last;

	ask(t, ticks, votes);
	for (size_t i = 0; i < t->levels; i++) {
		all += votes[i];
		if (votes[i] > votes[top])
			top = i;
	}
	first = last = top;
	sum = votes[top];
	while (sum * 100 < all * ML_TIMED_SURE) {
		uint64_t below = first ? votes[first - 1] : 0,
			 above = last + 1 < t->levels ? votes[last + 1] : 0;

		if (first && (below >= above || last + 1 == t->levels))
			sum += votes[--first];
		else
			sum += votes[++last];
	}
	return (struct ml_timed_level){ (uint8_t)first, (uint8_t)last };
}

const char *ml_timed_level_name(struct ml_timed_level level, const char *const *names,
				struct ml_arena *a)
{
	const char *text = names[level.first];

	for (size_t i = level.first + 1u; i <= level.last; i++)
		text = ml_arena_printf(a, "%s%s%s", text, i == level.last ? " or " : ", ",
				       names[i]);
	return text;
}
