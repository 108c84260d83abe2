#include "record/session/calibrate.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/base/divisor.h"
#include "lib/base/err.h"
#include "lib/samples/timed_level.h"
#include "lib/samples/topology.h"
#include "record/session/chase.h"
#include "record/arch/timed_load.h"

enum {
	LOADS = 4096, /* timed ones of a run */
	RUNS = 6,     /* of a chase in a round */
	ROUNDS = 6,   /* until the levels can be told apart */
	MEMORY_BYTES = 64 << 20,
	MEMORY_PART = 4, /* of the memory that is available, a chase takes so much */
	/* Loads of a two-dimensional walk of the page tables, with five levels in guest
	 * and host, and the load itself (Bhargava et al., ASPLOS 2008). */
	WALK = 36,
};

/* Loads of one kind: their chase, and its best run so far. */
struct measured {
	struct ml_calibrated best;
	size_t foreign; /* of that run */
	struct ml_chase chase;
};

struct machine {
	struct measured list[ML_CALIBRATED_MAX]; /* by level, without misses first */
	size_t count, levels;
	struct ml_arena *a;
};

/* The number of loads that another level served, in parts of 32: less says nothing. */
static size_t foreign_of(const struct ml_calibrated *x, uint64_t low, uint64_t high)
{
	size_t n = 0;

	for (size_t i = 0; i < x->count; i++)
		n += x->ticks[i] < low || x->ticks[i] >= high;
	return n * 32 / x->count;
}

/* Loads below `low` were served by a level before, those from `high` on by memory. */
static void run_chase(struct measured *m, uint64_t low, uint64_t high, struct ml_arena *a)
{
	struct ml_calibrated run = m->best, *best = &m->best;

	run.ticks = ml_arena_alloc(a, LOADS * sizeof(*run.ticks));
	run.count = run.size ? ml_chase_time(&m->chase, run.ticks, LOADS)
			     : ml_chase_time_flushed(&m->chase, run.ticks, LOADS);
	if (!run.count)
		return;
	ml_calibrated_mean(&run);
	size_t foreign = foreign_of(&run, low, high);
	if (!best->count || foreign < m->foreign ||
	    (foreign == m->foreign && run.mean < best->mean)) {
		m->foreign = foreign;
		*best = run;
	}
}

/*
 * A run of each kind; memory comes first, as it bounds what caches may take. The runs of
 * a kind are spread over time: the clock of a core falls for some milliseconds after wide
 * instructions, of other programs too, and L1 takes as long as L2 then.
 */
static void run_all(struct machine *m)
{
	uint64_t low = 0, high = UINT64_MAX;

	for (size_t i = m->count; i-- > 0 && !m->list[i].best.size;) {
		struct measured *x = &m->list[i];

		run_chase(x, 0, UINT64_MAX, m->a);
		if (x->best.count && !x->best.misses_tlb)
			high = ml_calibrated_percentile(&x->best, 5);
	}
	for (size_t i = 0; i < m->count && m->list[i].best.size; i++) {
		struct measured *x = &m->list[i];

		ml_chase_walk(&x->chase, 2 * ml_chase_nodes(&x->chase));
		run_chase(x, low, high, m->a);
		if (x->best.count && !x->best.misses_tlb)
			low = ml_calibrated_percentile(&x->best, 95);
	}
}

static bool add_kind(struct machine *m, const struct ml_calibrated *x,
		     enum ml_chase_kind kind, struct ml_err *err)
{
	struct measured *to = &m->list[m->count];
	uint64_t max = ml_chase_available() / MEMORY_PART;

	to->best = *x;
	to->best.level = (uint32_t)m->levels;
	to->best.misses_tlb = kind != ML_CHASE_LINES;
	if (to->best.chased > max)
		to->best.chased = max;
	if (!ml_chase_init(&to->chase, to->best.chased, kind, err))
		return false;
	to->best.chased = ml_chase_bytes(&to->chase);
	m->count++;
	return true;
}

/*
 * Outside of the cache before, and inside this one even if others use most of it: the
 * other thread of the core uses L1 and L2, the other cores L3. Loads from a quarter of L2
 * take a little longer than those from its first lines.
 */
static uint64_t chase_bytes(size_t level, uint64_t size, uint64_t before)
{
	uint64_t bytes = level == 0 ? size / 8 : 3 * before;

	if (level == 1 && bytes < size / 4)
		bytes = size / 4;
	return bytes > size / 2 ? size / 2 : bytes;
}

static bool add_kinds(struct machine *m, const struct ml_topology *t, struct ml_err *err)
{
	struct ml_calibrated memory = { .name = "RAM", .chased = MEMORY_BYTES };
	int here = sched_getcpu();
	uint64_t before = 0;
	uint32_t cpu = 0;

	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->cpu[i] != UINT32_MAX && (!cpu || (int)i == here))
			cpu = t->cpu[i];
	for (unsigned i = 1; m->levels + 1 < ML_TIMED_LEVELS_MAX && i < 5; i++) {
		uint32_t at = t->count ? ml_topology_above(t, cpu, ML_TOPOLOGY_CACHE, i)
				       : UINT32_MAX;
		struct ml_calibrated x = { .size = at == UINT32_MAX ? 0
								    : t->nodes[at].size };

		if (!x.size || x.size < 4 * before)
			continue;
		snprintf(x.name, sizeof(x.name), "L%u", i);
		x.chased = chase_bytes(m->levels, x.size, before);
		if (!add_kind(m, &x, ML_CHASE_LINES, err))
			return false;
		/* L1 holds no more lines than the TLB pages, and a chase through pages in
		 * L3 takes too much memory */
		x.chased = x.size / 4;
		if (m->levels == 1 && !add_kind(m, &x, ML_CHASE_PAGES, err))
			return false;
		before = x.size;
		m->levels++;
	}
	bool ok = add_kind(m, &memory, ML_CHASE_LINES, err) &&
		  add_kind(m, &memory, ML_CHASE_SMALL, err);
	m->levels++;
	return ok;
}

/* The mean of the middle nine tenths of measurements without a load. */
static double run_empty(uint64_t *ticks)
{
	struct ml_calibrated run = { .ticks = ticks };
	struct ml_timed_load t;

	for (size_t i = 0; i < LOADS; i++) {
		for (size_t k = i * 29 % 64; k; k--)
			__asm__ volatile(""); /* not in step with the clock */
		if (ml_timed_empty(&t, &t) && t.before == t.after)
			ticks[run.count++] = t.ticks;
	}
	ml_chase_sort(ticks, run.count);
	ml_calibrated_mean(&run);
	return run.mean;
}

static void calibrate_empty(struct ml_calibration *c, struct ml_arena *a)
{
	uint64_t *ticks = ml_arena_alloc(a, LOADS * sizeof(*ticks));

	for (int run = 0; run < RUNS; run++) {
		struct ml_timed_load begin, end;
		double mean = run_empty(ticks);

		ml_timed_empty(c, &begin);
		for (size_t i = 0; i < LOADS; i++)
			ml_timed_empty(c, &end);
		double cost = (double)(end.clock - begin.clock) / LOADS;
		c->empty = run && c->empty < mean ? c->empty : mean;
		c->cost = run && c->cost < cost ? c->cost : cost;
	}
}

static uint64_t step_of(const struct ml_calibration *c)
{
	uint64_t step = 0;

	for (size_t k = 0; k < c->kinds; k++)
		for (size_t i = 1; i < c->kind[k].count; i++)
			step = ml_common_divisor(step, c->kind[k].ticks[i] -
							       c->kind[k].ticks[0]);
	return step ? step : 1;
}

static void take_best(struct ml_calibration *c, const struct machine *m)
{
	c->kinds = 0;
	c->levels = m->levels;
	c->slowest = 0;
	for (size_t i = 0; i < m->count; i++) {
		const struct ml_calibrated *x = &m->list[i].best;
		uint64_t slow = x->count ? WALK * ml_calibrated_percentile(x, 99) : 0;

		if (x->count)
			c->kind[c->kinds++] = *x;
		if (!x->size && slow > c->slowest)
			c->slowest = slow;
	}
	c->step = step_of(c);
}

bool ml_calibrate(struct ml_calibration *c, const struct ml_topology *hardware,
		  struct ml_arena *a, struct ml_err *err)
{
	const struct timespec pause = { .tv_nsec = 100 * ML_MS };
	struct machine m = { .a = a };
	struct ml_timed_load begin, end;

	*c = (struct ml_calibration){ 0 };
	if (!ml_chase_possible(err))
		return false;
	uint64_t start = ml_now();
	ml_timed_empty(c, &begin);
	bool ok = add_kinds(&m, hardware, err);
	calibrate_empty(c, a);
	for (int round = 0; ok && round < ROUNDS; round++) {
		if (round)
			nanosleep(&pause, NULL);
		for (int run = 0; run < RUNS; run++)
			run_all(&m);
		take_best(c, &m);
		if (ml_calibration_check(c, err))
			break;
		ok = round + 1 < ROUNDS;
	}
	ml_calibration_trim(c);
	ml_timed_empty(c, &end);
	c->per_ns = (double)(end.clock - begin.clock) / (double)(ml_now() - start);
	for (size_t i = 0; i < m.count; i++)
		ml_chase_release(&m.list[i].chase);
	return ok;
}
