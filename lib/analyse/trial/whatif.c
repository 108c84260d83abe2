#include "lib/analyse/trial/whatif.h"

#include <assert.h>
#include <string.h>

#include "lib/analyse/passes/future.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/passes/thread_cores.h"
#include "lib/analyse/trial/whatif_lane.h"
#include "lib/base/arena.h"
#include "lib/cache/distance/distance.h"
#include "lib/trace/trace.h"

/* So many passes share the changes and try them at the same time. */
enum { TRIERS = 8, LOOKERS = 3 };

/* What finders are shown of a piece beside its events. */
struct shown {
	uint8_t served[ML_BATCH], paged[ML_BATCH];
	uint32_t distance[ML_BATCH];
	const struct ml_spot *spot[ML_BATCH];
};

struct trials {
	struct ml_whatif *w;
	struct ml_lane *lanes; /* by change */
	struct ml_lane
		untouched; /* its TLBs do without a change; the replay has the caches */
	struct ml_trial *parts; /* as those of w */
	uint64_t *size; /* by region: bytes of a region of a change that has no blocks */
	struct ml_distance *distance;
	uint64_t line[ML_BATCH]; /* what `distance` is asked */
};

/* A pass that tries one of so many changes, and what it writes to on the way. */
struct trier {
	struct trials *p;
	size_t first, step;
	uint32_t apart[ML_BATCH]; /* the references that a change concerns */
	uint64_t addr[ML_BATCH];
	uint16_t outcome[ML_BATCH];
	bool dropped[ML_BATCH];
	struct made {
		uint64_t addr[ML_BATCH];
		uint32_t site[ML_BATCH], index[ML_BATCH];
		uint16_t what[ML_BATCH], core[ML_BATCH];
		uint8_t served[ML_BATCH];
	} made; /* the references that are not dropped */
};

static struct ml_accesses accesses_of(const struct ml_events *e, const uint64_t *addr)
{
	return (struct ml_accesses){ .count = e->refs->count,
				     .addr = addr,
				     .what = e->refs->what,
				     .core = e->core,
				     .site = e->refs->site };
}

/* Runs the references that are not dropped. */
static bool lane_run_rest(struct trier *x, struct ml_lane *l, const struct ml_events *e,
			  struct ml_err *err)
{
	const struct ml_batch *b = e->refs;
	struct made *m = &x->made;
	struct ml_accesses a = { .addr = m->addr,
				 .what = m->what,
				 .core = e->core ? m->core : NULL,
				 .site = m->site };

	for (size_t i = 0; i < b->count; i++) {
		size_t n = a.count;

		if (x->dropped[i])
			continue;
		m->index[n] = (uint32_t)i;
		m->addr[n] = x->addr[i];
		m->what[n] = b->what[i];
		m->site[n] = b->site[i];
		m->core[n] = e->core ? e->core[i] : 0;
		a.count++;
	}
	if (!ml_lane_run(l, &a, m->served, x->outcome, err))
		return false;
	memset(l->served, 0, b->count);
	for (size_t i = 0; i < a.count; i++)
		l->served[m->index[i]] = m->served[i];
	return true;
}

static struct ml_change_block block_of(const struct trials *p, const struct ml_events *e,
				       size_t i)
{
	uint64_t base = e->refs->addr[i] - e->offset[i], block = e->block[i];

	return block != ML_NO_BLOCK
		       ? (struct ml_change_block){ base, p->w->trace->blocks[block].size,
						   block }
		       : (struct ml_change_block){ base, p->size[e->region[i]], 0 };
}

/* Lists the references that the change concerns; returns their number. */
static size_t concerned(struct trier *x, const struct ml_events *e,
			const struct ml_change *c)
{
	const struct ml_batch *b = e->refs;
	size_t n = 0;

	for (size_t i = 0; i < b->count; i++)
		if (e->region[i] == c->region &&
		    (!c->by || c->by[b->caller[i] ? b->caller[i] : b->site[i]]))
			x->apart[n++] = (uint32_t)i;
	return n;
}

/* Of the n references in x->apart, keeps those that the change lists. */
static size_t only_listed(struct trier *x, const struct ml_change *c, size_t at,
			  uint64_t first, size_t n)
{
	size_t kept = 0;

	for (size_t j = 0; j < n; j++) {
		uint64_t time = first + x->apart[j];

		while (at < c->list_count && c->list[at] < time)
			at++;
		if (at < c->list_count && c->list[at] == time)
			x->apart[kept++] = x->apart[j];
	}
	return kept;
}

/* Changes the addresses that c concerns; returns true if references are dropped. */
static bool apply(struct trier *x, const struct ml_events *e, const struct ml_change *c,
		  size_t *at, size_t n)
{
	const struct ml_batch *b = e->refs;

	if (c->kind == ML_CHANGE_DROP)
		for (size_t j = 0; j < n; j++)
			x->dropped[x->apart[j]] = true;
	else
		for (size_t j = 0; j < n; j++) {
			size_t i = x->apart[j];
			struct ml_change_block block = block_of(x->p, e, i);
			struct ml_change_ref ref = { b->addr[i], ml_what_size(b->what[i]),
						     b->time + i, at };

			x->addr[i] = ml_change_address(c, &ref, &block);
		}
	return c->kind == ML_CHANGE_DROP && n;
}

/* The addresses are for the TLBs alone; the caches do as without the change. */
static void try_large_pages(struct trier *x, struct ml_lane *l, const struct ml_events *e)
{
	struct ml_accesses a = accesses_of(e, x->addr);

	if (l->tlbs)
		ml_lane_translate(l, &a, x->addr);
	for (size_t i = 0; i < a.count; i++)
		l->served[i] = (uint8_t)ml_outcome_served(e->outcome[i]);
}

/*
 * The trials that a piece counts for, those of its slice; NULL: it only fills the caches.
 */
static struct ml_trial *trials_at(const struct trials *p, uint64_t time)
{
	const struct ml_whatif *w = p->w;
	size_t i = w->slices.count - 1;

	while (i && w->slices.at[i].from > time)
		i--;
	const struct ml_slice *s = &w->slices.at[i];
	/* a batch must begin behind these references */
	bool fills = w->warm_up && s->weight > 1 &&
		     s->from + w->warm_up + ML_BATCH <= s->to;

	return fills && time < s->from + w->warm_up ? NULL
						    : p->parts + i * (w->count + 1);
}

static void count(uint64_t *sums, const uint8_t *levels, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sums[levels[i]]++;
}

static bool try(struct trier *x, size_t k, const struct ml_events *e, struct ml_err *err)
{
	const struct ml_batch *b = e->refs;
	const struct ml_change *first = &x->p->w->changes[k];
	struct ml_trial *trials = trials_at(x->p, b->time);
	struct ml_lane *l = &x->p->lanes[k];
	struct ml_accesses a = accesses_of(e, x->addr);
	bool drops = false;
	size_t at = 0, n;

	memcpy(x->addr, b->addr, b->count * sizeof(*x->addr));
	for (const struct ml_change *c = first->also; c && at + 1 < ML_LANE_CHANGES;
	     c = c->also)
		drops |= apply(x, e, c, &l->at[++at], concerned(x, e, c));
	n = concerned(x, e, first);
	if (first->partial)
		n = only_listed(x, first, l->at[0], b->time, n);
	drops |= apply(x, e, first, &l->at[0], n);
	l->run = b->count;
	if (first->kind == ML_CHANGE_LARGE_PAGES)
		try_large_pages(x, l, e);
	else if (!(drops ? lane_run_rest(x, l, e, err)
			 : ml_lane_run(l, &a, l->served, x->outcome, err)))
		return false;
	if (drops)
		memset(x->dropped, 0, b->count);
	if (!trials)
		return true;
	struct ml_trial *t = &trials[k];
	count(t->served, l->served, b->count);
	if (l->tlbs)
		count(t->paged, l->paged, l->run);
	for (size_t j = 0; j < n; j++) {
		t->region_before[ml_outcome_served(e->outcome[x->apart[j]])]++;
		t->region_after[l->served[x->apart[j]]]++;
	}
	return true;
}

static bool try_some(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct trier *x = arg;

	for (size_t k = x->first; k < x->p->w->count; k += x->step)
		if (!try(x, k, e, err))
			return false;
	return true;
}

/* Counts the references without a change. */
static bool count_untouched(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct trials *p = arg;
	struct ml_trial *t = trials_at(p, e->refs->time);
	struct ml_accesses a = accesses_of(e, e->refs->addr);
	struct ml_lane *l = &p->untouched;
	struct shown *shown = e->along;

	(void)err;
	if (l->tlbs)
		ml_lane_translate(l, &a, a.addr);
	for (size_t i = 0; shown && i < a.count; i++)
		shown->served[i] = (uint8_t)ml_outcome_served(e->outcome[i]);
	if (l->tlbs && shown)
		memcpy(shown->paged, l->paged, a.count);
	if (!t)
		return true;
	t += p->w->count;
	for (size_t i = 0; i < a.count; i++)
		t->served[ml_outcome_served(e->outcome[i])]++;
	if (l->tlbs)
		count(t->paged, l->paged, a.count);
	p->w->refs += a.count;
	return true;
}

static bool find_distances(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct trials *p = arg;
	struct shown *shown = e->along;
	unsigned bits = (unsigned)__builtin_ctz(p->w->machine.level[0].line);

	(void)err;
	for (size_t i = 0; i < e->refs->count; i++)
		p->line[i] = e->refs->addr[i] >> bits;
	ml_distance_run(p->distance, p->line, e->refs->count, shown->distance);
	return true;
}

static struct ml_seen seen_of(const struct trials *p, const struct ml_events *e)
{
	struct shown *shown = e->along;

	return (struct ml_seen){
		.refs = e->refs,
		.region = e->region,
		.offset = e->offset,
		.block = e->block,
		.served = shown->served,
		.distance = p->distance ? shown->distance : NULL,
		.paged = p->untouched.tlbs ? shown->paged : NULL,
		.spot = shown->spot,
	};
}

static bool show(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct trials *p = arg;
	struct ml_seen seen = seen_of(p, e);

	(void)err;
	p->w->see(p->w->arg, &seen);
	return true;
}

static bool show_then(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct trials *p = arg;
	struct ml_seen seen = seen_of(p, e);

	(void)err;
	p->w->see_then(p->w->arg, &seen);
	return true;
}

/* Passes for finders that look on, each behind the one before it. Returns their number. */
static size_t add_lookers(struct trials *p, struct ml_pass *passes)
{
	size_t n = 0;

	if (p->distance)
		passes[n++] = (struct ml_pass){ .batch = find_distances };
	if (p->w->see)
		passes[n++] = (struct ml_pass){ .batch = show };
	if (p->w->see_then)
		passes[n++] = (struct ml_pass){ .batch = show_then };
	for (size_t i = 0; i < n; i++) {
		passes[i].arg = p;
		passes[i].stage = (unsigned)i + 1;
	}
	return n;
}

static size_t add_triers(struct trials *p, struct ml_pass *passes, struct ml_arena *a)
{
	size_t n = p->w->count < TRIERS ? p->w->count : TRIERS;

	for (size_t i = 0; i < n; i++) {
		struct trier *x = ml_arena_alloc(a, sizeof(*x));

		x->p = p;
		x->first = i;
		x->step = n;
		passes[i] = (struct ml_pass){ .arg = x,
					      .batch = try_some,
					      .stage = (unsigned)i + 1 };
	}
	return n;
}

static bool replay(struct trials *p, struct ml_arena *a, struct ml_err *err)
{
	const struct ml_whatif *w = p->w;
	struct ml_pass passes[1 + TRIERS + LOOKERS] = { { .arg = p,
							  .batch = count_untouched } };
	struct ml_replay_part *parts = ml_arena_alloc(a,
						      w->slices.count * sizeof(*parts));
	size_t n = 1 + add_lookers(p, passes + 1);
	struct ml_replay_options o = { .machine = w->machine,
				       .parts = parts,
				       .part_count = w->slices.count,
				       .places = true,
				       .same = w->same,
				       .along = w->see ? sizeof(struct shown) : 0,
				       .doing = "trying changes",
				       .work = w->work };
	struct ml_replay *r;

	n += add_triers(p, passes + n, a);
	for (size_t i = 0; i < w->slices.count; i++)
		parts[i] = (struct ml_replay_part){ w->slices.at[i].from,
						    w->slices.at[i].to };
	if (!ml_replay_open(&r, w->trace, &o, err))
		return false;
	for (size_t k = 0; k < w->count; k++)
		for (const struct ml_change *c = &w->changes[k]; c; c = c->also) {
			struct ml_place place = { c->region, ML_NO_BLOCK, 0 };

			p->size[c->region] = ml_region_lookup_size(ml_replay_lookup(r),
								   &place);
		}
	bool ok = ml_replay_run(r, passes, n, err);
	ml_replay_close(r);
	return ok;
}

/*
 * Leaves out parts of the machine that have no effect, or hardly any, so that a fast
 * engine can simulate most machines: L1i if there are no fetches, cores without a thread,
 * and inclusion by a level that is much larger than the one within. Both sides of a
 * comparison are simplified alike.
 */
static void simplify(struct ml_whatif *w)
{
	struct ml_machine *m = &w->machine;

	m->tlbs = 0; /* each lane has them beside the caches */
	if (w->no_fetches)
		m->split = false;
	for (unsigned i = 1; i < m->levels; i++)
		if (m->level[i].size >= 4 * m->level[i - 1].size)
			m->level[i].inclusion = ML_NEITHER;
	*m = ml_machine_alone(m, ml_thread_count(&w->trace->tables));
}

static void add(uint64_t *sums, const uint64_t *part)
{
	for (unsigned i = 0; i < ML_SERVED; i++)
		sums[i] += part[i];
}

/* The parts of all slices make up the results. */
static void add_up(const struct trials *p)
{
	struct ml_whatif *w = p->w;

	memset(w->served, 0, sizeof(w->served));
	memset(w->paged, 0, sizeof(w->paged));
	for (size_t k = 0; k < w->count; k++)
		w->trials[k] = (struct ml_trial){ 0 };
	for (size_t i = 0; i < w->slices.count; i++) {
		const struct ml_trial *t = p->parts + i * (w->count + 1);

		for (size_t k = 0; k < w->count; k++, t++) {
			add(w->trials[k].served, t->served);
			add(w->trials[k].paged, t->paged);
			add(w->trials[k].region_before, t->region_before);
			add(w->trials[k].region_after, t->region_after);
		}
		add(w->served, t->served);
		add(w->paged, t->paged);
	}
}

bool ml_whatif_run(struct ml_whatif *w, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct trials *p = ml_arena_alloc(&a, sizeof(*p));
	struct ml_machine tlbs = w->machine;
	bool ok = true;

	assert(!w->see || !w->count);
	simplify(w);
	if (!w->slices.count)
		ml_slices_choose(&w->slices, w->trace, 0, 0, 0, err);
	size_t parts = w->slices.count * (w->count + 1);
	*p = (struct trials){ .w = w, .parts = w->parts };
	if (!p->parts)
		p->parts = ml_arena_alloc(&a, parts * sizeof(*p->parts));
	memset(p->parts, 0, parts * sizeof(*p->parts));
	p->size = ml_arena_alloc(&a, w->trace->tables.regions.count * sizeof(*p->size));
	p->lanes = ml_arena_alloc(&a, (w->count + 1) * sizeof(*p->lanes));
	if (w->distances)
		p->distance = ml_distance_open();
	w->refs = 0;
	if (ml_future_needed(&w->machine))
		ok = ml_fail(err, ML_USAGE,
			     "changes cannot be tried with opt and pes, which would have "
			     "to know the future of the changed run");
	ml_lane_open_tlbs(&p->untouched, &tlbs);
	for (size_t k = 0; ok && k < w->count; k++)
		ok = ml_lane_open(&p->lanes[k], &w->machine, &tlbs, err);
	ok = ok && replay(p, &a, err);
	add_up(p);
	for (size_t k = 0; k < w->count; k++)
		ml_lane_close(&p->lanes[k]);
	ml_lane_close(&p->untouched);
	if (p->distance)
		ml_distance_close(p->distance);
	ml_arena_release(&a);
	return ok;
}
