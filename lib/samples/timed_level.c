#include "lib/samples/timed_level.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

static int by_ticks(const void *a, const void *b)
{
	const struct ml_timed_vote *x = a, *y = b;

	return x->ticks < y->ticks ? -1 : x->ticks > y->ticks;
}

void ml_calibrated_mean(struct ml_calibrated *x)
{
	size_t cut = x->count / 20;
	double sum = 0;

	for (size_t i = cut; i < x->count - cut; i++)
		sum += (double)x->ticks[i];
	x->mean = x->count ? sum / (double)(x->count - 2 * cut) : 0;
}

/* The loads from memory that hit the TLB, or all from memory. */
static const struct ml_calibrated *memory_of(const struct ml_calibration *c)
{
	const struct ml_calibrated *x = &c->kind[c->kinds - 1];

	return c->kinds > 1 && x[-1].level == x->level ? x - 1 : x;
}

/*
 * Memory must stand apart from every cache: neighbours on the machine may use a cache
 * up, and the hypervisor may tell of one that is not there.
 */
bool ml_calibration_check(const struct ml_calibration *c, struct ml_err *err)
{
	const struct ml_calibrated *near = NULL, *memory = memory_of(c);
	const char *wrong = NULL, *what = NULL;
	char seen[300] = "", *at = seen;

	for (size_t i = 0; i < c->kinds; i++) {
		const struct ml_calibrated *x = &c->kind[i];

		if (x->misses_tlb)
			continue;
		at += snprintf(at, (size_t)(seen + sizeof(seen) - at), "%s%s %.0f",
			       near ? ", " : "", x->name, x->mean);
		if (!wrong && x != memory &&
		    ml_calibrated_percentile(x, 50) >=
			    ml_calibrated_percentile(memory, 5)) {
			wrong = x->name;
			what = "most loads that it should serve come from memory, so other "
			       "programs or machines use it up, or it is not there";
		} else if (!wrong && near && x->mean <= near->mean) {
			wrong = x->name;
			what = "it is not slower than the level before, so the calibration was "
			       "disturbed";
		}
		near = x;
	}
	return !wrong ? true
		      : ml_fail(err, ML_IO,
				"the levels of memory cannot be told apart by time: loads took %s "
				"ticks. %s: %s. Try again when the machine is less busy",
				seen, wrong, what);
}

/* Leaves out times up to `low`, and from `high` on. */
static void trim(struct ml_calibrated *x, uint64_t low, uint64_t high)
{
	while (x->count > 1 && x->ticks[0] <= low) {
		x->ticks++;
		x->count--;
	}
	while (x->count > 1 && x->ticks[x->count - 1] >= high)
		x->count--;
	ml_calibrated_mean(x);
}

void ml_calibration_trim(struct ml_calibration *c)
{
	const uint32_t memory = (uint32_t)c->levels - 1;
	const uint64_t high = ml_calibrated_percentile(memory_of(c), 5);
	struct ml_calibrated hit = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < c->kinds; i++) {
		struct ml_calibrated *x = &c->kind[kept];

		*x = c->kind[i];
		uint64_t near = hit.count ? ml_calibrated_percentile(&hit, 95) : 0,
			 middle = ml_calibrated_percentile(x, 50);
		if (x->level != memory)
			trim(x, hit.count && middle > near ? (near + middle) / 2 : 0,
			     high);
		kept += !x->misses_tlb || x->mean > hit.mean;
		hit = x->misses_tlb ? hit : *x;
	}
	c->kinds = kept;
}

static size_t kinds_of(const struct ml_calibration *c, uint32_t level)
{
	size_t n = 0;

	for (size_t i = 0; i < c->kinds; i++)
		n += c->kind[i].level == level;
	return n;
}

/* Each level has the same number of votes, taken evenly from its measured times. */
void ml_timed_levels_init(struct ml_timed_levels *t, const struct ml_calibration *c,
			  struct ml_arena *a)
{
	size_t each = SIZE_MAX;

	for (size_t i = 0; i < c->kinds; i++)
		each = c->kind[i].count < each ? c->kind[i].count : each;
	*t = (struct ml_timed_levels){
		.levels = c->levels,
		.nearest = each / 16 + 1,
		.memory = ml_calibrated_percentile(memory_of(c), 50),
		.votes = ml_arena_alloc(a, c->levels * each * sizeof(*t->votes))
	};
	for (size_t i = 0; i < c->kinds; i++) {
		const struct ml_calibrated *x = &c->kind[i];
		size_t votes = each / kinds_of(c, x->level);

		t->names[x->level] = x->name;
		t->told_apart |= x->misses_tlb ? 1u << x->level : 0;
		for (size_t k = 0; k < votes; k++)
			t->votes[t->count++] = (struct ml_timed_vote){
				x->ticks[k * x->count / votes], x->level, x->misses_tlb
			};
	}
	qsort(t->votes, t->count, sizeof(*t->votes), by_ticks);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* Votes of a level: of loads that hit the TLB, and that missed it. */
struct votes {
	uint64_t hit, miss;
};

static uint64_t sum_of(struct votes v)
{
	return v.hit + v.miss;
}

/* Counts the nearest votes; all votes as far away as the last one count too. */
static void ask(const struct ml_timed_levels *t, uint64_t ticks,
		struct votes votes[ML_TIMED_LEVELS_MAX])
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
		const struct ml_timed_vote *v = &t->votes[left < right ? --low : high++];
		*(v->misses_tlb ? &votes[v->level].miss : &votes[v->level].hit) += 1;
	}
}

static bool is_sure(uint64_t part, uint64_t all)
{
	return part * 100 >= all * ML_TIMED_SURE;
}

static enum ml_timed_tlb tlb_of(const struct ml_timed_levels *t,
				const struct votes *votes, size_t first, size_t last)
{
	struct votes v = { 0 };

	for (size_t i = first; i <= last; i++) {
		v.hit += votes[i].hit;
		v.miss += votes[i].miss;
		/* lines that L1 holds are on pages that the TLB holds */
		if (i && !(t->told_apart >> i & 1))
			return ML_TIMED_TLB_UNKNOWN;
	}
	if (is_sure(v.miss, sum_of(v)))
		return ML_TIMED_TLB_MISS;
	return is_sure(v.hit, sum_of(v)) ? ML_TIMED_TLB_HIT : ML_TIMED_TLB_UNKNOWN;
}

struct ml_timed_level ml_timed_levels_find(const struct ml_timed_levels *t,
					   uint64_t ticks)
{
	struct votes votes[ML_TIMED_LEVELS_MAX] = { 0 };
	size_t top = 0, first, last;
	uint64_t all = 0, sum;

	ask(t, ticks, votes);
	for (size_t i = 0; i < t->levels; i++) {
		all += sum_of(votes[i]);
		if (sum_of(votes[i]) > sum_of(votes[top]))
			top = i;
	}
	if (ticks > t->memory)
		top = t->levels - 1;
	first = last = top;
	sum = sum_of(votes[top]);
	while (ticks <= t->memory && !is_sure(sum, all)) {
		uint64_t below = first ? sum_of(votes[first - 1]) : 0,
			 above = last + 1 < t->levels ? sum_of(votes[last + 1]) : 0;

		if (first && (below >= above || last + 1 == t->levels))
			sum += sum_of(votes[--first]);
		else
			sum += sum_of(votes[++last]);
	}
	return (struct ml_timed_level){ (uint8_t)first, (uint8_t)last,
					(uint8_t)tlb_of(t, votes, first, last) };
}

const char *ml_timed_level_name(const struct ml_timed_levels *t,
				struct ml_timed_level level, struct ml_arena *a)
{
	const char *text = t->names[level.first];

	for (size_t i = level.first + 1u; i <= level.last; i++)
		text = ml_arena_printf(a, "%s%s%s", text, i == level.last ? " or " : ", ",
				       t->names[i]);
	return text;
}
