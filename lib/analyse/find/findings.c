#include "lib/analyse/find/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyse/find/find_family.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_rounds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/analyse/passes/profile.h"
#include "lib/analyse/trial/whatif.h"
#include "lib/base/arena.h"
#include "lib/trace/trace.h"

#define EACH(name) &ml_find_##name,
static const struct ml_finder *const finders[] = { ML_FINDERS(EACH) };
#undef EACH

enum {
	KINDS = sizeof(finders) / sizeof(*finders),
	/* references to try and simulations at once, with more of which fewer references
	 * are tried; a machine without prefetchers and TLBs is simulated twice as fast */
	WINDOW = 20 * 1000 * 1000,
	LANES = 2,
	PLAIN_WINDOW = 2 * WINDOW,
	PLAIN_LANES = 6,
	/* the first round has one of so many references, if these are not too few; the
	 * next has more slices by a factor */
	PILOT = 8,
	PILOT_MIN = 1500 * 1000,
	MORE = 3,
	/* one of so many references of each slice fill the caches, but not more */
	WARM = 4,
	WARM_MAX = 1 << 17,
	MAX_FINDINGS = 10, /* findings */
};

struct run {
	struct ml_find f;
	void *mine[KINDS];
	struct last_spot {
		uint32_t caller, region; /* of the last reference of a site */
		struct ml_spot *spot;
		bool known;
	} * last; /* by site */
};

static struct ml_spot *spot_of(struct run *r, uint32_t site, uint32_t caller,
			       uint32_t region)
{
	struct last_spot *l = &r->last[site];

	if (!l->known || l->caller != caller || l->region != region)
		*l = (struct last_spot){ caller, region,
					 ml_find_spot(&r->f, site, caller, region),
					 true };
	return l->spot;
}

/* What several finders build on. */
static void see(void *arg, const struct ml_seen *s)
{
	struct run *r = arg;
	const struct ml_batch *b = s->refs;

	for (size_t i = 0; i < b->count; i++)
		s->spot[i] = spot_of(r, b->site[i], b->caller[i], s->region[i]);
	for (size_t i = 0; r->f.observers[i]; i++)
		r->f.observers[i]->see(&r->f, s);
}

/* The finders, none of which looks at what `see` has found so far. */
static void see_then(void *arg, const struct ml_seen *s)
{
	struct run *r = arg;

	for (size_t i = 0; i < KINDS; i++)
		if (r->f.seen[i] && finders[i]->see)
			finders[i]->see(&r->f, r->mine[i], s);
}

typedef void phase(const struct ml_finder *k, struct ml_find *f, void **mine);

static void look(const struct ml_finder *k, struct ml_find *f, void **mine)
{
	if (k->look)
		k->look(f, mine);
}

static void try(const struct ml_finder *k, struct ml_find *f, void **mine)
{
	if (k->try)
		k->try(f, *mine);
}

static void conclude(const struct ml_finder *k, struct ml_find *f, void **mine)
{
	if (k->conclude)
		k->conclude(f, *mine);
}

static void all_finders(struct run *r, phase *do_phase)
{
	for (size_t i = 0; i < KINDS; i++) {
		r->f.now = finders[i];
		r->f.now_index = i;
		do_phase(finders[i], &r->f, &r->mine[i]);
	}
}

static bool wants_to_see(const struct run *r)
{
	for (size_t i = 0; i < KINDS; i++)
		if (r->f.seen[i])
			return true;
	return false;
}

/*
 * Runs a pass. A machine or trace that cannot be simulated again is no failure: then less
 * is found.
 */
static bool pass(struct ml_whatif *w, struct ml_findings *out, bool partial, bool *done,
		 struct ml_err *err)
{
	*done = ml_whatif_run(w, err);
	if (*done)
		return true;
	if (err->kind != ML_USAGE && err->kind != ML_FORMAT &&
	    (err->kind != ML_STOPPED || !partial))
		return false;
	out->untried = ml_arena_strdup(&out->arena, err->text);
	return true;
}

static bool is_plain(const struct ml_machine *m)
{
	for (unsigned i = 0; i < m->levels; i++)
		if (m->level[i].prefetch != ML_PREFETCH_NONE)
			return false;
	return !m->tlbs;
}

/* Whether a change is about what was seen, and cannot be tried on other references. */
static bool needs_seen(const struct ml_find *f)
{
	for (size_t i = 0; i < f->tried_count; i++)
		for (const struct ml_change *c = &f->tried[i].change; c; c = c->also)
			if (c->places || c->list)
				return true;
	return false;
}

/* A smaller part of the run, of what was seen if need be; else so many slices. */
static bool shrink(struct run *r, struct ml_slices *s, uint64_t refs, size_t slices,
		   struct ml_err *err)
{
	if (s->count == 1 || !needs_seen(&r->f))
		return ml_slices_choose_many(s, r->f.trace, r->f.p->from, r->f.p->to,
					     refs, slices, err);
	ml_slices_cut(s, refs);
	return true;
}

/* Tries the changes that are not decided, on these slices. */
static bool try_round(struct run *r, struct ml_whatif *w, struct ml_findings *out,
		      bool is_last, bool partial, bool *done, struct ml_err *err)
{
	struct ml_round *round = ml_round_make(&r->f, &w->slices, !is_last);

	w->machine = r->f.p->machine; /* a pass simplifies it */
	w->changes = round->changes;
	w->count = round->count;
	w->trials = round->trials;
	w->parts = round->parts;
	if (!pass(w, out, partial, done, err))
		return false;
	memcpy(round->served, w->served, sizeof(round->served));
	if (!*done)
		return true;
	ml_round_end(&r->f, round);
	/* what is said of all changes holds for those that were tried least */
	if ((ml_round_decide(&r->f, round) || is_last) &&
	    (!out->tried || w->refs < out->tried)) {
		out->tried = w->refs;
		out->phases = w->slices.phases;
	}
	return true;
}

/* Tries changes on small parts of the run, until a part decides them. */
static bool try_parts(struct run *r, struct ml_whatif *w, struct ml_findings *out,
		      const struct ml_findings_options *o, uint64_t window, bool *done,
		      struct ml_err *err)
{
	const struct ml_slices all = w->slices;
	uint64_t few = window / PILOT < all.refs / 4 ? window / PILOT : all.refs / 4;

	if (few < PILOT_MIN && !o->window)
		return true;
	for (size_t slices = ML_SLICES; slices <= ML_SLICES_MAX && *done;
	     slices *= MORE, few *= MORE) {
		if (few < slices || 2 * few > all.refs || !ml_round_open(&r->f, true))
			break;
		if (!shrink(r, &w->slices, few, slices, err))
			return false;
		w->warm_up = w->slices.refs / w->slices.count / WARM;
		if (w->warm_up > WARM_MAX)
			w->warm_up = WARM_MAX;
		if (!try_round(r, w, out, false, o->partial, done, err))
			return false;
		w->slices = all;
		w->warm_up = 0;
	}
	return true;
}

/*
 * The more changes there were at first, the fewer references each gets in the last round:
 * `window` references for `lanes` of them.
 */
static bool try_all(struct run *r, struct ml_whatif *w, struct ml_findings *out,
		    const struct ml_findings_options *o, uint64_t window, uint64_t lanes,
		    struct ml_err *err)
{
	size_t all = r->f.tried_count, left;
	bool done = true;

	w->see = w->see_then = NULL;
	w->distances = false;
	out->of = r->f.p->refs;
	r->f.simulated = true;
	if (!try_parts(r, w, out, o, window, &done, err))
		return false;
	left = ml_round_open(&r->f, false);
	if (done && left && all > lanes &&
	    !shrink(r, &w->slices, window * lanes / all, ML_SLICES, err))
		return false;
	if (done && left && !try_round(r, w, out, true, o->partial, &done, err))
		return false;
	r->f.simulated = done;
	return true;
}

/* The reason why the profile is not of all that the program does, or NULL. */
static const char *unfinished(struct ml_find *f)
{
	const struct ml_profile *p = f->p;
	const char *status = ml_tables_meta_find(f->tables, "exit status");
	const char *ended = ml_tables_meta_find(f->tables, "ended");
	uint64_t to = p->to < f->trace->count ? p->to : f->trace->count;
	int signal = status ? atoi(status) - 128 : 0;

	if (signal > 0 && signal < 65)
		return ml_arena_printf(f->arena, "Signal %d ended the program (%s)",
				       signal, strsignal(signal));
	if (!status && ended && !strcmp(ended, "killed"))
		return "The program was killed";
	if (f->trace->damage)
		return "The trace is damaged";
	if (p->refs < to - p->from)
		return ml_arena_printf(
			f->arena, "Only %s of %s references were simulated",
			ml_find_count(f, p->refs), ml_find_count(f, to - p->from));
	return NULL;
}

static bool examine(struct run *r, struct ml_findings *out,
		    const struct ml_findings_options *o, struct ml_err *err)
{
	bool plain = is_plain(&r->f.p->machine);
	uint64_t usual = plain ? PLAIN_WINDOW : WINDOW,
		 lanes = plain ? PLAIN_LANES : LANES;
	uint64_t window = o->window ? o->window : usual;
	struct ml_whatif w = { .trace = r->f.trace,
			       .machine = r->f.p->machine,
			       .no_fetches = !r->f.p->kind[2],
			       .same = r->f.same,
			       .see = see,
			       .see_then = see_then,
			       .arg = r,
			       .work = o->work };
	bool done = true;

	if (!ml_slices_choose(&w.slices, r->f.trace, r->f.p->from, r->f.p->to, window,
			      err))
		return false;
	all_finders(r, look);
	r->last = ml_arena_alloc(r->f.arena,
				 (r->f.tables->sites.count + 1) * sizeof(*r->last));
	w.distances = r->f.distances;
	if (wants_to_see(r) && !pass(&w, out, o->partial, &done, err))
		return false;
	for (size_t i = 0; r->f.observers[i]; i++)
		if (r->f.observers[i]->end)
			r->f.observers[i]->end(&r->f);
	if (done)
		all_finders(r, try);
	if (done && r->f.tried_count && !try_all(r, &w, out, o, window, lanes, err))
		return false;
	all_finders(r, conclude);
	return true;
}

/*
 * If changes were tried on a part of the run, in steps of one percent of the gain: the
 * figures are not surer than that, and of two findings that save the same the kind that
 * the finders list first should win.
 */
static double rank(const struct ml_candidate *c, bool of_part)
{
	double gain = c->finding.gain * c->finder->weight;

	if (!of_part)
		return gain;
	return gain > 0 ? round(log(gain) / log(1.01)) : -INFINITY;
}

/* Simulated changes first, and those whose cause is certain; then estimates. */
static unsigned standing(const struct ml_candidate *c)
{
	if (c->finder->standing == ML_STANDING_LAST)
		return 2;
	return !c->finding.simulated && c->finder->standing != ML_STANDING_CERTAIN;
}

/*
 * What the user cannot change comes last. Findings of equal rank stay in the order of the
 * finders, so that the output does not depend on the sort.
 */
static int by_rank(const void *a, const void *b)
{
	const struct ml_candidate *const *x = a, *const *y = b;

	if ((*x)->theirs != (*y)->theirs)
		return (*x)->theirs ? 1 : -1;
	if ((*x)->finding.vague != (*y)->finding.vague)
		return (*x)->finding.vague ? 1 : -1;
	if (standing(*x) != standing(*y))
		return standing(*x) < standing(*y) ? -1 : 1;
	if ((*x)->rank != (*y)->rank)
		return (*x)->rank > (*y)->rank ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* Cycles of misses that both findings are about. */
static double overlap(const struct ml_candidate *a, const struct ml_candidate *b)
{
	double sum = 0;

	for (size_t i = 0; i < a->claim_count; i++)
		for (size_t j = 0; j < b->claim_count; j++)
			if (a->claims[i].spot == b->claims[j].spot)
				sum += a->claims[i].cycles < b->claims[j].cycles
					       ? a->claims[i].cycles
					       : b->claims[j].cycles;
	return sum;
}

static double claimed(const struct ml_candidate *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->claim_count; i++)
		sum += c->claims[i].cycles;
	return sum;
}

/*
 * Whether each of two changes also spares the other's data their misses, so that both
 * together save less than the sum: padding of either of two arrays that fight for sets.
 */
static bool spare_each_other(const struct ml_find *f, const struct ml_candidate *a,
			     const struct ml_candidate *b)
{
	return a->spares && b->spares && a->finder == b->finder &&
	       (a->finding.gain + b->finding.gain) * f->cycles > claimed(a) + claimed(b);
}

/* The finding already chosen that is about the same misses, or NULL. */
static struct ml_candidate *same(const struct ml_find *f,
				 struct ml_candidate *const *chosen, size_t count,
				 const struct ml_candidate *c)
{
	for (size_t i = 0; i < count; i++) {
		double both = overlap(chosen[i], c);

		if (both > 0 && both >= (c->finding.vague ? 0.25 : 0.5) * claimed(c))
			return chosen[i];
		if (spare_each_other(f, chosen[i], c))
			return chosen[i];
	}
	return NULL;
}

static void append_other(struct ml_candidate *winner, const struct ml_candidate *c,
			 struct ml_arena *a)
{
	struct ml_finding *copy = ml_arena_alloc(a, sizeof(*copy));
	const struct ml_finding **end = &winner->finding.other;

	if (!strcmp(winner->finding.kind, c->finding.kind) && winner->region == c->region)
		return; /* the same kind again, about another line */
	while (*end && strcmp((*end)->kind, c->finding.kind) != 0)
		end = (const struct ml_finding **)&((struct ml_finding *)*end)->other;
	if (*end)
		return;
	*copy = c->finding;
	*end = copy;
}

/* Advice ends with what must hold for it. */
static void add_legality(struct ml_find *f)
{
	for (size_t i = 0; i < f->candidate_count; i++) {
		struct ml_candidate *c = &f->candidates[i];

		if (c->finder->legal)
			c->finding.advice = ml_arena_printf(
				f->arena, "%s. %s", c->finding.advice, c->finder->legal);
	}
}

/* Whether neither the code nor the data are the user's: tables of the dynamic linker. */
static bool is_foreign(const struct ml_find *f, const struct ml_candidate *c)
{
	return c->theirs && c->region && !ml_find_layable(f, c->region);
}

static void choose(struct run *r, struct ml_findings *out)
{
	struct ml_find *f = &r->f;
	struct ml_candidate **sorted = ml_arena_alloc(
		&out->arena,
		(2 * f->candidate_count + 1) * sizeof(struct ml_candidate *));
	struct ml_candidate **chosen = sorted + f->candidate_count;
	size_t count = 0, n = 0;

	ml_families_join(f);
	for (size_t i = 0; i < f->candidate_count; i++)
		ml_find_cap(f, &f->candidates[i]);
	for (size_t i = 0; i < f->candidate_count; i++)
		if (f->candidates[i].finding.gain * f->cycles >= f->min_cycles &&
		    !is_foreign(f, &f->candidates[i]))
			sorted[count++] = &f->candidates[i];
	for (size_t i = 0; i < count; i++)
		sorted[i]->rank = rank(sorted[i], out->tried && out->tried < out->of);
	if (count)
		qsort(sorted, count, sizeof(*sorted), by_rank);
	for (size_t i = 0; i < count; i++) {
		struct ml_candidate *winner = same(f, chosen, n, sorted[i]);

		if (!winner && n < MAX_FINDINGS)
			chosen[n++] = sorted[i];
		else if (winner && !sorted[i]->finding.vague)
			append_other(winner, sorted[i], &out->arena);
	}
	out->at = ml_arena_alloc(&out->arena, (n + 1) * sizeof(*out->at));
	for (size_t i = 0; i < n; i++)
		out->at[i] = chosen[i]->finding;
	out->count = n;
}

bool ml_findings_make(struct ml_findings *out, struct ml_trace *t,
		      const struct ml_profile *p, const struct ml_findings_options *o,
		      struct ml_err *err)
{
	static const struct ml_findings_options usual = { 0 };
	bool seen[KINDS] = { 0 };
	struct run r = { .f = { .trace = t,
				.tables = &t->tables,
				.p = p,
				.seen = seen,
				.arena = &out->arena } };
	double excess = 0, cold = 0;
	bool ok = true;

	*out = (struct ml_findings){ 0 };
	if (!o)
		o = &usual;
	ml_find_spots(&r.f);
	out->cycles = r.f.cycles;
	for (size_t i = 0; i < r.f.spot_count; i++) {
		excess += r.f.spots[i].excess;
		cold += r.f.spots[i].by_cause[ML_CAUSE_COLD];
	}
	if (r.f.cycles > 0) {
		out->waiting = excess / r.f.cycles;
		out->cold = cold / r.f.cycles;
		r.f.min_cycles = (o->min_share > 0 ? o->min_share : 0.02) * r.f.cycles;
		ok = ml_trace_load_blocks(t, err) && examine(&r, out, o, err);
	}
	if (ok) {
		add_legality(&r.f);
		choose(&r, out);
		out->no_verdict = unfinished(&r.f);
		if (!out->no_verdict && out->untried)
			out->no_verdict = ml_arena_printf(
				&out->arena, "Changes were not simulated: %s",
				out->untried);
	}
	for (size_t i = 0; i < KINDS; i++)
		if (finders[i]->release && r.mine[i])
			finders[i]->release(r.mine[i]);
	ml_find_release(&r.f);
	if (!ok)
		ml_findings_release(out);
	return ok;
}

void ml_findings_release(struct ml_findings *f)
{
	ml_arena_release(&f->arena);
	*f = (struct ml_findings){ 0 };
}
