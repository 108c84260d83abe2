#include "lib/query/workspace/walk.h"

#include <string.h>

#include "lib/analyse/passes/interleave.h"
#include "lib/query/workspace/open_sim.h"
#include "lib/query/workspace/workspace.h"
#include "lib/trace/region_lookup.h"

/* Places of the references that an interleaver may hold, by time. */
struct places {
	struct ml_place *at; /* of times first to first + count - 1 */
	uint64_t first;
	size_t count, cap;
};

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
	unsigned batches; /* since the walk last checked whether it is cancelled */
	uint64_t from, to, position; /* position: of the next reference */
	unsigned want;
	const struct few *few; /* NULL: all regions are of interest */
	struct ml_region_lookup
		*careful; /* finds places in the regions of interest that have no base */
	ml_walk_fn *fn;
	void *arg;
	bool stopped;
	struct ml_region_lookup *lookup;
	struct places places;
	uint64_t time;             /* the time that the lookup has reached */
	uint16_t core_of[1 << 16]; /* by thread */
	uint32_t region[ML_BATCH];
	uint64_t block[ML_BATCH], offset[ML_BATCH];
	uint16_t outcome[ML_BATCH], core[ML_BATCH];
};

/*
 * Calls fn with a batch, cut to the window. Region, block and offset of the batch are
 * set.
 */
static bool yield(struct walk *w, const struct ml_batch *refs, const uint64_t *time,
		  struct ml_err *err)
{
	uint64_t position = w->position;
	size_t first = w->from > position ? (size_t)(w->from - position) : 0;
	size_t end = refs->count;

	if (++w->batches % LOOK == 0 &&
	    (ml_stopped(&w->sim->job.workspace->stop) || ml_work_cancelled(w->work)))
		return ml_fail(err, ML_STOPPED, "nobody waits for the answer any more");
	/*
	 * the interleaver releases all references that it holds, even those behind the
	 * window
	 */
	if (position >= w->to) {
		err->kind = ML_OK;
		w->stopped = true;
		return false;
	}
	w->position += refs->count;
	if (w->position > w->to)
		end -= (size_t)(w->position - w->to);
	if (first >= end)
		return true;
	struct ml_batch cut = { refs->time + (time ? 0 : first),
				end - first,
				refs->addr + first,
				refs->site + first,
				refs->caller + first,
				refs->thread + first,
				refs->what + first };
	struct ml_walk_events x = {
		.e = { .position = position + first,
		       .refs = &cut,
		       .time = time ? time + first : NULL,
		       .region = w->region + first },
	};
	if (w->want & ML_WALK_PLACES) {
		x.block = w->block + first;
		x.offset = w->offset + first;
	}
	if (w->sim->machine.cores > 1) {
		for (size_t i = 0; i < cut.count; i++)
			w->core[i] = w->core_of[cut.thread[i]];
		x.e.core = w->core;
	}
	if (w->want & ML_WALK_OUTCOMES) {
		if (!ml_open_sim_outcomes(w->sim, x.e.position, x.e.position + cut.count,
					  w->outcome, err))
			return false;
		x.e.outcome = w->outcome;
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

static void find_few(struct walk *w, const struct ml_batch *b)
{
	const struct few *few = w->few;

	for (size_t i = 0; i < b->count; i++) {
		uint32_t region = w->region[i];
		const struct few_region *f =
			&few->of[region < few->end ? region : few->end];

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

static bool as_recorded(struct walk *w, struct ml_cursor *c, struct ml_err *err)
{
	struct ml_batch b;

	w->position = w->from;
	while (ml_cursor_next(c, &b, err)) {
		find_places(w, &b);
		if (!yield(w, &b, NULL, err))
			return w->stopped;
	}
	return err->kind == ML_OK;
}

/* Receives the references that the interleaver releases. */
static bool in_turn(void *arg, const struct ml_batch *refs, const uint64_t *time,
		    const uint32_t *region, struct ml_err *err)
{
	struct walk *w = arg;

	for (size_t i = 0; i < refs->count; i++) {
		const struct ml_place *p = &w->places.at[time[i] - w->places.first];

		w->region[i] = region[i];
		w->block[i] = p->block;
		w->offset[i] = p->offset;
	}
	return yield(w, refs, time, err);
}

/*
 * Stores the places of a batch, and drops those of references that the interleaver has
 * surely released.
 */
static void keep_places(struct walk *w, const struct ml_batch *b)
{
	struct places *p = &w->places;
	size_t held = ML_INTERLEAVE_BLOCK + ML_BATCH;

	if (p->count > 2 * held) {
		size_t old = p->count - held;

		memmove(p->at, p->at + old, held * sizeof(*p->at));
		p->first += old;
		p->count = held;
	}
	if (!p->count)
		p->first = b->time;
	p->at = ml_grow(p->at, &p->cap, p->count + b->count, sizeof(*p->at));
	for (size_t i = 0; i < b->count; i++)
		p->at[p->count++] = (struct ml_place){ w->region[i], w->block[i],
						       w->offset[i] };
}

/* Is there a gap just before a time? */
static bool gap_before(const struct ml_tables *t, uint64_t time)
{
	size_t low = 0, high = t->gaps.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->gaps.at[mid].time < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->gaps.count && t->gaps.at[low].time == time;
}

/* The interleaver works in blocks, from a moment at which there is a checkpoint. */
static bool interleaved(struct walk *w, struct ml_cursor *c, struct ml_err *err)
{
	struct ml_interleave *x = ml_interleave_open(&w->sim->trace->trace.tables,
						     w->sim->result.profile.interleave,
						     ML_INTERLEAVE_BLOCK, in_turn, w);
	struct ml_batch b;
	uint32_t *region = ml_resize(NULL, ML_BATCH * sizeof(*region));
	bool ok = true;

	w->want |= ML_WALK_PLACES;
	while (ok && w->position < w->to && ml_cursor_next(c, &b, err)) {
		if (w->time && gap_before(&w->sim->trace->trace.tables, b.time))
			ok = ml_interleave_flush(x, err);
		find_places(w, &b);
		keep_places(w, &b);
		/* released references take their regions from w->region */
		memcpy(region, w->region, b.count * sizeof(*region));
		ok = ok && ml_interleave_add(x, &b, region, err);
	}
	if (ok)
		ok = err->kind == ML_OK;
	if (ok && w->position < w->to)
		ok = ml_interleave_flush(x, err);
	ml_interleave_close(x);
	ml_free(w->places.at);
	ml_free(region);
	return ok || w->stopped;
}

/* Must the lookup find the places of some of these regions one by one? */
static bool needs_care(const struct few *few)
{
	for (size_t i = 0; i < few->count; i++)
		if (!few->of[few->regions[i]].based)
			return true;
	return false;
}

static bool walk(struct ml_open_sim *s, const struct ml_work *work, uint64_t from,
		 uint64_t to, unsigned want, const struct few *few, bool *stopped,
		 ml_walk_fn *fn, void *arg, struct ml_err *err)
{
	struct ml_buf state = { 0 };
	struct walk *w = ml_resize(NULL, sizeof(*w));
	uint64_t start = from;
	bool ok = true;

	w->sim = s;
	w->work = work;
	w->batches = 0;
	w->from = from;
	w->to = to < s->result.refs ? to : s->result.refs;
	w->position = 0;
	w->want = want;
	w->few = few;
	w->careful = NULL;
	w->fn = fn;
	w->arg = arg;
	w->stopped = false;
	w->places = (struct places){ 0 };
	w->time = 0;
	memset(w->core_of, 0, sizeof(w->core_of));
	for (size_t i = 0; i < s->result.profile.thread_count; i++)
		w->core_of[s->result.profile.threads[i].thread] =
			(uint16_t)s->result.profile.threads[i].core;
	if (s->result.profile.interleaved) {
		pthread_mutex_lock(&s->lock);
		ok = ml_result_checkpoint(&s->result, from, &start, &state, err);
		pthread_mutex_unlock(&s->lock);
		ml_buf_release(&state);
		w->position = start;
	}
	err->kind = ML_OK;
	if (ok && start < w->to) {
		struct ml_cursor *c = ml_open_trace_cursor_take(
			s->trace, start,
			s->result.profile.interleaved ? UINT64_MAX : w->to);

		w->lookup = ml_open_trace_lookup_take(s->trace, start, err);
		if (w->lookup && few && needs_care(few))
			w->careful = ml_open_trace_lookup_take(s->trace, start, err);
		ok = w->lookup && (!few || !needs_care(few) || w->careful) &&
		     (s->result.profile.interleaved ? interleaved(w, c, err)
						    : as_recorded(w, c, err));
		if (w->lookup)
			ml_open_trace_lookup_give(s->trace, w->lookup, w->time);
		if (w->careful)
			ml_open_trace_lookup_give(s->trace, w->careful, w->time);
		if (ok)
			ml_open_trace_cursor_give(s->trace, c, w->time);
		else
			ml_cursor_close(c);
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
		&s->result, from, to < s->result.refs ? to : s->result.refs, &c, &a, err);
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

	to = to < s->result.refs ? to : s->result.refs;
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
	if (want & ML_WALK_ALL || s->result.profile.interleaved || from >= to ||
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
