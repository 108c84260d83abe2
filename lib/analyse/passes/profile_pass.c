#include "lib/analyse/passes/profile_parts.h"

#include <string.h>

#include "lib/base/search.h"
#include "lib/trace/trace.h"

enum { THREADS = 1 << 16 };

struct ml_profiler *ml_profiler_open(struct ml_profile *p)
{
	struct ml_profiler *x = ml_resize(NULL, sizeof(*x));

	*p = (struct ml_profile){ 0 };
	*x = (struct ml_profiler){ .p = p, .epoch = 1, .max = ML_PROFILE_HELD };
	x->thread_row = ml_arena_alloc(&x->arena, THREADS * sizeof(*x->thread_row));
	return x;
}

/* Cuts the window at each mark. */
static void make_segments(struct ml_profile *p, const struct ml_tables *t)
{
	uint64_t last = p->from;

	p->segments = ml_grow(NULL, &p->segment_cap, 1, sizeof(*p->segments));
	p->segments[p->segment_count++].from = p->from;
	for (size_t i = 0; i < t->marks.count; i++) {
		uint64_t time = t->marks.at[i].time;

		if (time <= last || time >= p->to)
			continue;
		p->segments = ml_grow(p->segments, &p->segment_cap, p->segment_count + 1,
				      sizeof(*p->segments));
		p->segments[p->segment_count++].from = last = time;
	}
}

static void start_level(struct ml_profiler *x, unsigned level,
			const struct ml_level_spec *spec)
{
	struct ml_profile_level *l = &x->p->level[level];
	size_t cap = 0;

	l->sets = spec->sets;
	if (x->p->want & ML_SIM_CAUSES)
		l->set = ml_grow(NULL, &cap, spec->sets, sizeof(*l->set));
}

void ml_profile_start(struct ml_profiler *x, const struct ml_replay *r)
{
	struct ml_profile *p = x->p;

	if (x->started)
		return;
	x->started = true;
	p->machine = *ml_replay_machine(r);
	p->want = ml_replay_want(r);
	p->interleave = ml_replay_interleave(r);
	p->interleaved = p->interleave;
	p->from = ml_replay_from(r);
	p->to = ml_replay_to(r);
	p->bin = ML_PROFILE_BIN;
	x->full = p->want;
	make_segments(p, &ml_replay_trace(r)->tables);
	for (unsigned i = 0; i < p->machine.levels; i++)
		start_level(x, i + 1, &p->machine.level[i]);
	if (p->machine.split)
		start_level(x, 0, &p->machine.icache);
}

/*
 * Counts references by serving level. Nearly all are of level 1. The compiler vectorises
 * the comparisons of a whole column with the other levels.
 */
static void count_served(const uint16_t *outcome, size_t count,
			 uint64_t served[ML_SERVED])
{
	uint16_t n[ML_SERVED] = { 0 };

	for (size_t i = 0; i < count; i++) {
		uint16_t is = (uint16_t)ml_outcome_served(outcome[i]);

		n[2] = (uint16_t)(n[2] + (is == 2));
		n[3] = (uint16_t)(n[3] + (is == 3));
		n[4] = (uint16_t)(n[4] + (is == 4));
		n[5] = (uint16_t)(n[5] + (is == 5));
	}
	n[1] = (uint16_t)(count - n[2] - n[3] - n[4] - n[5]);
	for (size_t k = 0; k < ML_SERVED; k++)
		served[k] = n[k];
}

_Static_assert(ML_SERVED == 6, "count_served knows the levels by name");
_Static_assert(ML_BATCH < UINT16_MAX, "count_served counts a batch in 16 bits");

static void add(uint64_t to[ML_SERVED], const uint64_t served[ML_SERVED])
{
	for (size_t k = 0; k < ML_SERVED; k++)
		to[k] += served[k];
}

/* The bins are full: merges neighbours. */
static void merge_bins(struct ml_profile *p)
{
	for (size_t i = 0; i < p->bin_count / 2; i++) {
		struct ml_profile_bin sum = p->bins[2 * i];

		add(sum.served, p->bins[2 * i + 1].served);
		p->bins[i] = sum;
	}
	memset(p->bins + p->bin_count / 2, 0,
	       (p->bin_count - p->bin_count / 2) * sizeof(*p->bins));
	p->bin_count /= 2;
	p->bin *= 2;
}

/* The bin of a position; positions never go back. */
static struct ml_profile_bin *bin_at(struct ml_profiler *x, uint64_t position)
{
	struct ml_profile *p = x->p;

	while (position / p->bin >= ML_PROFILE_BINS)
		merge_bins(p);
	size_t bin = position / p->bin;
	if (bin >= p->bin_count) {
		p->bins = ml_grow(p->bins, &p->bin_cap, bin + 1, sizeof(*p->bins));
		p->bin_count = bin + 1;
	}
	x->end = (bin + 1) * p->bin;
	return &p->bins[bin];
}

static size_t segment_at(const struct ml_profile *p, uint64_t time)
{
	return ml_search_last(p->segments, p->segment_count, sizeof(*p->segments),
			      offsetof(struct ml_profile_segment, from), time);
}

static uint64_t segment_end(const struct ml_profile *p, size_t segment)
{
	return segment + 1 < p->segment_count ? p->segments[segment + 1].from
					      : UINT64_MAX;
}

/* Totals, bins and segments of references in recorded order: piece by piece. */
static void count_pieces(struct ml_profiler *x, const struct ml_events *e,
			 uint64_t batch[ML_SERVED])
{
	struct ml_profile *p = x->p;
	size_t count = e->refs->count;

	for (size_t i = 0, n; i < count; i += n) {
		struct ml_profile_bin *bin = bin_at(x, e->position + i);
		uint64_t time = e->refs->time + i, served[ML_SERVED];

		n = count - i;
		if (x->end - (e->position + i) < n)
			n = (size_t)(x->end - (e->position + i));
		if (!e->time) {
			x->segment = segment_at(p, time);
			if (segment_end(p, x->segment) - time < n)
				n = (size_t)(segment_end(p, x->segment) - time);
		}
		count_served(e->outcome + i, n, served);
		add(p->served, served);
		add(batch, served);
		add(bin->served, served);
		if (!e->time || p->segment_count == 1)
			add(p->segments[x->segment].served, served);
	}
	if (!e->time || p->segment_count == 1)
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t time = e->time[i];

		if (time < p->segments[x->segment].from ||
		    time >= segment_end(p, x->segment))
			x->segment = segment_at(p, time);
		p->segments[x->segment].served[ml_outcome_served(e->outcome[i])]++;
	}
}

static struct ml_profile_thread *thread_row(struct ml_profiler *x,
					    const struct ml_events *e, size_t i)
{
	struct ml_profile *p = x->p;
	uint16_t thread = e->refs->thread[i];

	if (!x->thread_row[thread]) {
		p->threads = ml_grow(p->threads, &p->thread_cap, p->thread_count + 1,
				     sizeof(*p->threads));
		p->threads[p->thread_count++] = (struct ml_profile_thread){
			.thread = thread, .core = e->core ? e->core[i] : 0
		};
		x->thread_row[thread] = (uint32_t)p->thread_count;
	}
	return &p->threads[x->thread_row[thread] - 1];
}

/* Mostly one thread makes a whole batch. */
static bool has_one_thread(const struct ml_batch *b)
{
	return !memcmp(b->thread, b->thread + 1, (b->count - 1) * sizeof(*b->thread));
}

static void count_threads(struct ml_profiler *x, const struct ml_events *e,
			  const uint64_t served[ML_SERVED])
{
	const struct ml_batch *b = e->refs;

	if (has_one_thread(b)) {
		add(thread_row(x, e, 0)->served, served);
		return;
	}
	for (size_t i = 0; i < b->count; i++)
		thread_row(x, e, i)->served[ml_outcome_served(e->outcome[i])]++;
}

/* Makes room for all cells that the region lookup has met. */
static void grow_cells(struct ml_profiler *x, size_t cells, size_t kinds)
{
	if (cells <= x->cells && kinds <= x->kinds)
		return;
	x->cells = cells > x->cells ? cells : x->cells;
	x->kinds = kinds > x->kinds ? kinds : x->kinds;
	for (size_t k = 4; k < 4 * (x->p->machine.levels + 2); k++)
		if ((k & 3) < x->kinds)
			x->plane[k] = ml_grow(x->plane[k], &x->plane_cap[k], x->cells,
					      sizeof(*x->plane[k]));
	if (x->full) {
		x->steps = ml_grow(x->steps, &x->step_cap, x->cells, sizeof(*x->steps));
		x->work = ml_grow(x->work, &x->work_cap, x->cells, sizeof(*x->work));
	}
}

static void fold(struct ml_profiler *x)
{
	x->sums = ml_grow(x->sums, &x->sum_cap, x->cells, sizeof(*x->sums));
	for (size_t i = 0; i < x->cells; i++)
		ml_profile_take(x, i, &x->sums[i]);
	x->held = 0;
}

static void count_cells(struct ml_profiler *x, const struct ml_events *e)
{
	const uint16_t *restrict what = e->refs->what, *restrict outcome = e->outcome;
	const uint32_t *restrict cell = e->cell;
	uint64_t *const *plane = x->plane;
	uint8_t *restrict key = x->key;
	size_t count = e->refs->count;
	uint16_t all = 0;

	for (size_t i = 0; i < count; i++) {
		key[i] = (uint8_t)(ml_outcome_served(outcome[i]) << 2 | what[i] >> 14);
		all |= what[i];
	}
	x->fetches = all >> 15;
	/* most traces have reads and writes only */
	grow_cells(x, e->cells, all >> 15 ? 4 : 2);
	if (x->held + count > x->max)
		fold(x);
	x->held += count;
	for (size_t i = 0; i < count; i++)
		plane[key[i]][cell[i]] += ML_PROFILE_ONE + what[i];
}

static void note_stride(struct ml_profile_work *c, int64_t bytes)
{
	uint32_t k = 0;

	while (k < c->strides && c->stride[k].bytes != bytes)
		k++;
	if (k == ML_STRIDES) {
		k--;
		c->over[k] = c->stride[k].count;
		c->stride[k].bytes = bytes;
	} else if (k == c->strides) {
		c->stride[k].bytes = bytes;
		c->strides++;
	}
	c->stride[k].count++;
	for (; k && c->stride[k].count > c->stride[k - 1].count; k--) {
		struct ml_profile_stride s = c->stride[k];
		uint64_t over = c->over[k];

		c->stride[k] = c->stride[k - 1];
		c->over[k] = c->over[k - 1];
		c->stride[k - 1] = s;
		c->over[k - 1] = over;
	}
}

/* Another thread than that of the last reference: brings in its own last one. */
static void change_thread(struct ml_profile_step *step, struct ml_profile_work *c,
			  uint16_t thread)
{
	c->last[step->last.thread % ML_PROFILE_LASTS] = step->last;
	step->last = c->last[thread % ML_PROFILE_LASTS];
}

/* A step that is not the most frequent one of its cell. */
static __attribute__((noinline)) void other_step(struct ml_profile_step *step,
						 struct ml_profile_work *c, int64_t bytes)
{
	c->stride[0].count = step->stride.count;
	note_stride(c, bytes);
	step->stride = c->stride[0];
}

static void count_steps(struct ml_profiler *x, const struct ml_events *e)
{
	const struct ml_batch *b = e->refs;
	const uint64_t *restrict addr = b->addr;
	const uint32_t *restrict cell = e->cell;
	const uint16_t *restrict thread = b->thread;
	struct ml_profile_step *steps = x->steps;
	const uint32_t epoch = x->epoch;

	for (size_t i = 0; i < b->count; i++) {
		struct ml_profile_step *step = &steps[cell[i]];
		int64_t bytes = (int64_t)(addr[i] - step->last.addr);

		if (__builtin_expect(step->last.thread != thread[i] ||
					     step->last.epoch != epoch,
				     0)) {
			struct ml_profile_work *c = &x->work[cell[i]];

			change_thread(step, c, thread[i]);
			if (step->last.thread != thread[i] || step->last.epoch != epoch) {
				step->last = (struct ml_profile_last){ addr[i], epoch,
								       thread[i] };
				c->firsts++;
				continue;
			}
			bytes = (int64_t)(addr[i] - step->last.addr);
		}
		step->last.addr = addr[i];
		if (bytes == step->stride.bytes && step->stride.count)
			step->stride.count++;
		else
			other_step(step, &x->work[cell[i]], bytes);
	}
}

/* Causes, where something missed. */
static void count_causes(struct ml_profiler *x, const struct ml_events *e)
{
	const uint16_t *outcome = e->outcome;

	for (size_t i = 0; i < e->refs->count; i++) {
		unsigned served = ml_outcome_served(outcome[i]);

		if (served < 2)
			continue;
		struct ml_profile_work *c = &x->work[e->cell[i]];
		for (unsigned k = 1; k < served && k <= ML_LEVELS; k++)
			c->cause[k - 1][ml_outcome_cause(outcome[i], k)]++;
	}
}

static struct ml_profile_segment *segment_of(struct ml_profiler *x,
					     const struct ml_events *e, size_t i)
{
	uint64_t time = e->time ? e->time[i] : e->refs->time + i;

	return &x->p->segments[segment_at(x->p, time)];
}

static bool has_one_segment(struct ml_profiler *x, const struct ml_events *e)
{
	return x->p->segment_count == 1 ||
	       (!e->time && segment_of(x, e, 0) == segment_of(x, e, e->refs->count - 1));
}

/*
 * The pages and transfers of the references of a batch, in their cells, threads and
 * segments.
 */
static void charge_batch(struct ml_profiler *x, const struct ml_events *e)
{
	const struct ml_machine *m = &x->p->machine;
	bool alike = has_one_thread(e->refs) && has_one_segment(x, e);
	struct ml_surcharge all = { 0 };

	x->surcharges = ml_grow(x->surcharges, &x->surcharge_cap, x->cells,
				sizeof(*x->surcharges));
	for (size_t k = 0; k < e->charge_count; k++) {
		const struct ml_charge *c = &e->charges[k];
		size_t i = c->ref;
		struct ml_surcharge s = { 0 };

		if (c->page) {
			s.pages[c->tlb] = c->tlb > 0;
			s.more = c->more;
		} else {
			unsigned served = ml_outcome_served(e->outcome[i]);

			s.transfers = 1;
			s.instead = served <= m->levels ? m->level[served - 1].cycles
							: m->memory_cycles;
		}
		ml_surcharge_add(&x->surcharges[e->cell[i]], &s);
		if (alike) {
			ml_surcharge_add(&all, &s);
			continue;
		}
		ml_surcharge_add(&thread_row(x, e, i)->surcharge, &s);
		ml_surcharge_add(&segment_of(x, e, i)->surcharge, &s);
	}
	if (alike) {
		ml_surcharge_add(&thread_row(x, e, 0)->surcharge, &all);
		ml_surcharge_add(&segment_of(x, e, 0)->surcharge, &all);
	}
}

/* Fetches of threads and segments; cells have them from the planes. */
static void count_fetches(struct ml_profiler *x, const struct ml_events *e)
{
	const struct ml_batch *b = e->refs;

	for (size_t i = 0; i < b->count; i++) {
		if (ml_what_kind(b->what[i]) != ML_FETCH)
			continue;
		struct ml_surcharge s = {
			.fetches = 1, .fetched = ml_outcome_served(e->outcome[i]) == 1
		};

		ml_surcharge_add(&thread_row(x, e, i)->surcharge, &s);
		ml_surcharge_add(&segment_of(x, e, i)->surcharge, &s);
	}
}

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct ml_profiler *x = arg;
	uint64_t served[ML_SERVED] = { 0 }; /* of the batch */

	(void)err;
	if (!e->refs->count)
		return true;
	ml_profile_start(x, e->replay);
	count_pieces(x, e, served);
	count_threads(x, e, served);
	count_cells(x, e);
	if (x->full) {
		count_causes(x, e);
		count_steps(x, e);
	}
	if (e->charge_count)
		charge_batch(x, e);
	if (x->fetches)
		count_fetches(x, e);
	x->p->refs += e->refs->count;
	return true;
}

static void on_gap(void *arg, const struct ml_gap *gap)
{
	struct ml_profiler *x = arg;

	(void)gap;
	x->epoch++;
}

struct ml_pass ml_profiler_pass(struct ml_profiler *x)
{
	return (struct ml_pass){
		.arg = x,
		.batch = on_batch,
		.sums = &x->line_sums,
		.miss = ml_profile_miss,
		.leave = ml_profile_leave,
		.bounce = ml_profile_bounced,
		.gap = on_gap,
		.no_region = true,
		.charges = true,
	};
}
