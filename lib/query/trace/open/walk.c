#include "lib/query/trace/open/walk.h"

#include <string.h>

#include "lib/analyse/result/result_counts.h"
#include "lib/query/trace/open/merged.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/trace/regions/region_lookup.h"

/* A walk asks every so many batches whether it is cancelled: some hundred
 * microseconds. */
enum { LOOK = 16 };

/* The regions of interest, if the walk is not about all of them. */
struct few {
	const uint32_t *regions;
	size_t count;
	struct few_region {
		bool wanted, based; /* based: offsets count from `base` at all times */
		uint64_t base;
	} * of; /* by region */
	uint32_t end;
};

struct walk {
	struct ml_open_sim *sim;
	const struct ml_work *work;
	unsigned batches;  /* since the walk last checked whether it is cancelled */
	uint64_t position; /* of the next reference */
	unsigned want;
	const struct few *few; /* NULL: all regions are of interest */
	struct ml_region_lookup
		*careful; /* finds places in the regions of interest that have no base */
	ml_walk_fn *fn;
	void *arg;
	bool stopped;
	struct ml_region_lookup *lookup;
	uint64_t time;             /* the time that the lookup has reached */
	uint16_t core_of[1 << 16]; /* by thread */
	uint32_t region[ML_BATCH];
	uint64_t block[ML_BATCH], offset[ML_BATCH];
	uint64_t recorded[ML_BATCH]; /* times, where threads are merged */
	uint16_t outcome[ML_BATCH], core[ML_BATCH];
	int32_t beyond[ML_BATCH];
};

/*
 * Calls fn with a batch that lies in the window. Region, block and offset of the batch
 * are set.
 */
static bool yield(struct walk *w, const struct ml_batch *refs, const uint64_t *time,
		  struct ml_err *err)
{
	if (++w->batches % LOOK == 0 &&
	    (ml_stopped(&w->sim->job.workspace->stop) || ml_work_cancelled(w->work)))
		return ml_fail(err, ML_STOPPED, "nobody waits for the answer any more");
	struct ml_walk_events x = {
		.e = { .position = w->position,
		       .refs = refs,
		       .time = time,
		       .region = w->region },
	};
	w->position += refs->count;
	if (w->want & ML_WALK_PLACES) {
		x.block = w->block;
		x.offset = w->offset;
	}
	if (w->sim->machine.cores > 1) {
		for (size_t i = 0; i < refs->count; i++)
			w->core[i] = w->core_of[refs->thread[i]];
		x.e.core = w->core;
	}
	if (w->want & ML_WALK_OUTCOMES) {
		if (!ml_open_sim_outcomes(w->sim, x.e.position, w->position, w->outcome,
					  err))
			return false;
		x.e.outcome = w->outcome;
	}
	if (w->want & ML_WALK_BEYOND) {
		if (!ml_open_sim_beyond(w->sim, x.e.position, w->position, w->beyond,
					err))
			return false;
		x.beyond = w->beyond;
	}
	err->kind = ML_OK;
	if (!w->fn(w->arg, &x, err)) {
		w->stopped = err->kind == ML_OK;
		return false;
	}
	return true;
}

/* A region that is no block of memory (a stack) finds its places by address. */
static uint64_t offset_of(const struct walk *w, const struct ml_place *p, uint64_t addr)
{
	uint64_t base;

	if (p->block == ML_NO_BLOCK &&
	    ml_open_trace_base(w->sim->trace, p->region, &base))
		return addr - base;
	return ml_open_trace_offset(w->sim->trace, p->block, p->offset);
}

/* What the walk wants of a region; NULL: it wants everything of all regions. */
static const struct few_region *few_of(const struct walk *w, uint32_t region)
{
	const struct few *few = w->few;

	return few ? &few->of[region < few->end ? region : few->end] : NULL;
}

static void find_few(struct walk *w, const struct ml_batch *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct few_region *f = few_of(w, w->region[i]);

		w->block[i] = ML_NO_BLOCK;
		w->offset[i] = b->addr[i] - f->base;
		if (!f->wanted || f->based)
			continue;
		struct ml_ref ref = ml_batch_ref(b, i);
		struct ml_place p = ml_region_lookup_find(w->careful, &ref);
		w->block[i] = p.block;
		w->offset[i] = offset_of(w, &p, ref.addr);
	}
}

static void find_places(struct walk *w, const struct ml_batch *b)
{
	w->time = b->time + b->count;
	if (!(w->want & ML_WALK_PLACES)) {
		ml_region_lookup_batch(w->lookup, b, w->region);
		return;
	}
	if (w->few) {
		ml_region_lookup_batch(w->lookup, b, w->region);
		find_few(w, b);
		return;
	}
	for (size_t i = 0; i < b->count; i++) {
		struct ml_ref ref = ml_batch_ref(b, i);
		struct ml_place p = ml_region_lookup_find(w->lookup, &ref);

		w->region[i] = p.region;
		w->block[i] = p.block;
		w->offset[i] = offset_of(w, &p, ref.addr);
	}
}

/* Must the lookup find the places of some of these regions one by one? */
static bool needs_care(const struct few *few)
{
	for (size_t i = 0; i < few->count; i++)
		if (!few->of[few->regions[i]].based)
			return true;
	return false;
}

static bool take_lookups(struct walk *w, uint64_t time, struct ml_err *err)
{
	bool care = w->few && needs_care(w->few);

	w->time = time;
	w->lookup = ml_open_trace_lookup_take(w->sim->trace, time, err);
	w->careful = w->lookup && care
			     ? ml_open_trace_lookup_take(w->sim->trace, time, err)
			     : NULL;
	return w->lookup && (!care || w->careful);
}

static void give_lookups(struct walk *w)
{
	if (w->lookup)
		ml_open_trace_lookup_give(w->sim->trace, w->lookup, w->time);
	if (w->careful)
		ml_open_trace_lookup_give(w->sim->trace, w->careful, w->time);
	w->lookup = w->careful = NULL;
}

/* References [from, to), which are simulated as they were recorded. */
static bool as_recorded(struct walk *w, uint64_t from, uint64_t to, struct ml_err *err)
{
	struct ml_cursor *c = ml_open_trace_cursor_take(w->sim->trace, from, to);
	struct ml_batch b;
	bool ok = take_lookups(w, from, err);

	err->kind = ML_OK;
	while (ok && ml_cursor_next(c, &b, err)) {
		find_places(w, &b);
		ok = yield(w, &b, NULL, err);
	}
	ok = (ok && err->kind == ML_OK) || w->stopped;
	give_lookups(w);
	if (ok)
		ml_open_trace_cursor_give(w->sim->trace, c, w->time);
	else
		ml_cursor_close(c);
	return ok;
}

/* Places of merged references, by index from the first one that the walk shows. */
struct places {
	uint64_t *block, *offset;
};

static struct ml_ref merged_ref(const struct ml_merged *m, size_t i)
{
	return (struct ml_ref){ .time = m->from + m->time[i],
				.addr = m->addr[i],
				.site = m->site[i],
				.caller = m->caller[i],
				.thread = m->thread[i],
				.what = m->what[i] };
}

/* The indices [first, end) by time: a radix sort, as times are below 2^22. */
static uint32_t *by_time(const struct ml_merged *m, size_t first, size_t end)
{
	enum { DIGIT = 11, VALUES = 1 << DIGIT };
	size_t n = end - first;
	uint32_t *a = ml_resize(NULL, (n + 1) * sizeof(*a));
	uint32_t *b = ml_resize(NULL, (n + 1) * sizeof(*b));

	for (size_t i = 0; i < n; i++)
		a[i] = (uint32_t)(first + i);
	for (unsigned shift = 0; m->count >> shift; shift += DIGIT) {
		size_t start[VALUES + 1] = { 0 };

		for (size_t i = 0; i < n; i++)
			start[(m->time[a[i]] >> shift) % VALUES + 1]++;
		for (size_t k = 1; k <= VALUES; k++)
			start[k] += start[k - 1];
		for (size_t i = 0; i < n; i++)
			b[start[(m->time[a[i]] >> shift) % VALUES]++] = a[i];
		uint32_t *other = a;
		a = b;
		b = other;
	}
	ml_free(b);
	return a;
}

/*
 * Finds the places of [first, end) in the order of their times, in which alone a lookup
 * can go.
 */
static bool find_merged(struct walk *w, const struct ml_merged *m, size_t first,
			size_t end, struct places *to, struct ml_err *err)
{
	uint32_t *order = by_time(m, first, end);
	bool ok = first == end || take_lookups(w, m->from + m->time[order[0]], err);

	to->block = ml_resize(NULL, (end - first + 1) * sizeof(*to->block));
	to->offset = ml_resize(NULL, (end - first + 1) * sizeof(*to->offset));
	for (size_t k = 0; ok && k < end - first; k++) {
		size_t i = order[k];
		struct ml_ref ref = merged_ref(m, i);
		const struct few_region *f = few_of(w, m->region[i]);

		to->block[i - first] = ML_NO_BLOCK;
		to->offset[i - first] = f ? ref.addr - f->base : 0;
		if (f && (!f->wanted || f->based))
			continue;
		struct ml_place p = ml_region_lookup_find(f ? w->careful : w->lookup,
							  &ref);
		to->block[i - first] = p.block;
		to->offset[i - first] = offset_of(w, &p, ref.addr);
		w->time = ref.time;
	}
	give_lookups(w);
	ml_free(order);
	return ok;
}

static bool yield_merged(struct walk *w, const struct ml_merged *m, size_t first,
			 size_t end, const struct places *places, struct ml_err *err)
{
	for (size_t i = first, n; i < end; i += n) {
		n = end - i < ML_BATCH ? end - i : ML_BATCH;
		struct ml_batch b = { m->from + m->time[i], n,
				      m->addr + i,          m->site + i,
				      m->caller + i,        m->thread + i,
				      m->what + i };

		memcpy(w->region, m->region + i, n * sizeof(*w->region));
		for (size_t k = 0; k < n; k++)
			w->recorded[k] = m->from + m->time[i + k];
		if (places->block) {
			size_t at = i - first;

			memcpy(w->block, places->block + at, n * sizeof(*w->block));
			memcpy(w->offset, places->offset + at, n * sizeof(*w->offset));
		}
		if (!yield(w, &b, w->recorded, err))
			return w->stopped;
	}
	return true;
}

/* References [from, to) of a block whose threads are merged. */
static bool in_turns(struct walk *w, const struct ml_result_stretch *block, uint64_t from,
		     uint64_t to, struct ml_err *err)
{
	const struct ml_merged *m = ml_merged_take(w->sim, w->work, block, err);
	struct places places = { NULL, NULL };

	if (!m)
		return false;
	size_t first = (size_t)(from - m->from), end = (size_t)(to - m->from);
	bool ok = (!(w->want & ML_WALK_PLACES) ||
		   find_merged(w, m, first, end, &places, err)) &&
		  yield_merged(w, m, first, end, &places, err);
	ml_free(places.block);
	ml_free(places.offset);
	ml_merged_give(w->sim, m);
	return ok;
}

static bool walk(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		 uint64_t to, unsigned want, const struct few *few, bool *stopped,
		 ml_walk_fn *fn, void *arg, struct ml_err *err)
{
	struct walk *w = ml_resize(NULL, sizeof(*w));
	bool ok = true;

	w->sim = s;
	w->work = work;
	w->batches = 0;
	w->position = from;
	w->want = want;
	w->few = few;
	w->lookup = w->careful = NULL;
	w->fn = fn;
	w->arg = arg;
	w->stopped = false;
	memset(w->core_of, 0, sizeof(w->core_of));
	for (size_t i = 0; i < s->simulation.profile->thread_count; i++)
		w->core_of[s->simulation.profile->threads[i].thread] =
			(uint16_t)s->simulation.profile->threads[i].core;
	to = to < s->simulation.result.refs ? to : s->simulation.result.refs;
	while (ok && !w->stopped && from < to) {
		const struct ml_result_stretch *m =
			ml_result_merged(&s->simulation.result, from);
		bool merged = m && m->from <= from;
		uint64_t end = !m ? to : merged ? m->to : m->from;

		end = end < to ? end : to;
		ok = merged ? in_turns(w, m, from, end, err)
			    : as_recorded(w, from, end, err);
		from = end;
	}
	*stopped = w->stopped;
	ml_free(w);
	return ok;
}

bool ml_walk(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
	     uint64_t to, unsigned want, ml_walk_fn *fn, void *arg, struct ml_err *err)
{
	bool stopped;

	return walk(s, work, from, to, want, NULL, &stopped, fn, arg, err);
}

/* Whether a block of the result has references to one of the regions. */
static bool has_few(struct ml_open_sim *s, const struct few *few, uint64_t block,
		    bool *has, struct ml_err *err)
{
	uint64_t from = block * ML_RESULT_BLOCK, to = from + ML_RESULT_BLOCK;
	struct ml_result_counts c;
	struct ml_arena a = { 0 };

	pthread_mutex_lock(&s->lock);
	bool ok = ml_result_regions(
		&s->simulation.result, from,
		to < s->simulation.result.refs ? to : s->simulation.result.refs, &c, &a,
		err);
	pthread_mutex_unlock(&s->lock);
	*has = false;
	for (size_t i = 0; ok && i < c.count; i++)
		*has |= c.at[i].id < few->end && few->of[c.at[i].id].wanted;
	ml_arena_release(&a);
	return ok;
}

/* Finds runs of blocks with references to these regions. */
static bool walk_runs(struct ml_open_sim *s, const struct ml_work *work,
		      const struct few *few, uint64_t from, uint64_t to, unsigned want,
		      ml_walk_fn *fn, void *arg, struct ml_err *err)
{
	uint64_t start = from;
	bool open = false, stopped = false, ok = true;

	for (uint64_t at = from; ok && !stopped && at < to;) {
		uint64_t block = at / ML_RESULT_BLOCK;
		bool has;

		ok = has_few(s, few, block, &has, err);
		if (ok && open && !has)
			ok = walk(s, work, start, at, want, few, &stopped, fn, arg, err);
		if (has && !open)
			start = at;
		open = has;
		at = (block + 1) * ML_RESULT_BLOCK;
	}
	return ok && (!open || stopped ||
		      walk(s, work, start, to, want, few, &stopped, fn, arg, err));
}

bool ml_walk_regions(struct ml_open_sim *s, const struct ml_work *work,
		     const uint32_t *regions, size_t count, uint64_t from, uint64_t to,
		     unsigned want, ml_walk_fn *fn, void *arg, struct ml_err *err)
{
	struct few few = { .regions = regions, .count = count };
	bool stopped, ok;

	to = to < s->simulation.result.refs ? to : s->simulation.result.refs;
	for (size_t i = 0; i < count; i++) {
		if (regions[i] >= ml_region_lookup_regions(s->trace->summary.space))
			return ml_fail(err, ML_USAGE, "there is no region %u",
				       regions[i]);
		few.end = regions[i] >= few.end ? regions[i] + 1 : few.end;
	}
	/* the last one stands for all others */
	few.of = ml_grow(NULL, &(size_t){ 0 }, (size_t)few.end + 1, sizeof(*few.of));
	for (size_t i = 0; i < count; i++) {
		struct few_region *f = &few.of[regions[i]];

		f->wanted = true;
		f->based = ml_open_trace_base(s->trace, regions[i], &f->base);
	}
	if (want & ML_WALK_ALL || s->simulation.profile->interleaved || from >= to ||
	    to - from < 4 * (uint64_t)ML_RESULT_BLOCK)
		ok = walk(s, work, from, to, want, &few, &stopped, fn, arg, err);
	else
		ok = walk_runs(s, work, &few, from, to, want, fn, arg, err);
	ml_free(few.of);
	return ok;
}

bool ml_walk_region(struct ml_open_sim *s, const struct ml_work *work, uint32_t region,
		    uint64_t from, uint64_t to, unsigned want, ml_walk_fn *fn, void *arg,
		    struct ml_err *err)
{
	return ml_walk_regions(s, work, &region, 1, from, to, want, fn, arg, err);
}
