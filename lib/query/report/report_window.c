#include "lib/query/report/report_window.h"

#include "lib/analyse/passes/cells.h"
#include "lib/cache/machine/event_sums.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/walk.h"

/* A cell of the pass, and the index of its counts in the profile. */
struct cell {
	struct ml_cell who;
	size_t row; /* index + 1; 0: none yet */
};

struct count {
	struct ml_profile *p;
	struct ml_cells cells;
	const struct ml_report_window *w;
	const struct ml_work *work;
};

static struct ml_profile_cell *cell_of(struct count *c, const struct ml_walk_events *w,
				       size_t i)
{
	const struct ml_batch *b = w->e.refs;
	uint32_t site = b->site[i], caller = b->caller[i], region = w->e.region[i];
	struct cell *cell = ml_cells_recent(&c->cells, site, caller, region);
	struct ml_profile *p = c->p;
	bool is_new;

	if (!cell)
		cell = ml_cells_find(&c->cells, site, caller, region, &is_new);
	if (!cell->row) {
		p->cells = ml_grow(p->cells, &p->cell_cap, p->cell_count + 1,
				   sizeof(*p->cells));
		p->cells[p->cell_count] = (struct ml_profile_cell){ .site = site,
								    .caller = caller,
								    .region = region };
		cell->row = ++p->cell_count;
	}
	return &p->cells[cell->row - 1];
}

static bool add_batch(void *arg, const struct ml_walk_events *w, struct ml_err *err)
{
	struct count *c = arg;
	struct ml_profile *p = c->p;

	if (!ml_work_goes_on(c->work, err))
		return false;
	for (size_t i = 0; i < w->e.refs->count; i++) {
		struct ml_profile_cell *cell = cell_of(c, w, i);
		uint16_t what = w->e.refs->what[i], outcome = w->e.outcome[i];
		unsigned served = ml_outcome_served(outcome);

		cell->kind[ml_what_kind(what)]++;
		cell->bytes += ml_what_size(what);
		cell->served[served]++;
		p->kind[ml_what_kind(what)]++;
		p->served[served]++;
		for (unsigned k = 1; k < served && k <= ML_LEVELS; k++)
			if (ml_outcome_cause(outcome, k) < ML_CAUSES)
				cell->cause[k - 1][ml_outcome_cause(outcome, k)]++;
	}
	p->refs += w->e.refs->count;
	ml_work_progress(c->work, "counting", p->refs, c->w->to - c->w->from);
	return true;
}

bool ml_report_window_open(struct ml_report_window *w, struct ml_open_sim *s,
			   const struct ml_work *work, struct ml_err *err)
{
	const struct ml_profile *all = s->simulation.profile;
	struct count c = { .p = &w->own, .w = w, .work = work };

	w->whole = w->from == 0 && w->to >= s->simulation.result.refs;
	w->own = (struct ml_profile){ 0 };
	w->simulated = false;
	w->profile = w->whole ? all : &w->own;
	if (w->whole)
		return true;
	w->own = (struct ml_profile){
		.machine = all->machine,
		.want = all->want & ML_SIM_CAUSES,
		.interleaved = all->interleaved,
		.interleave = all->interleave,
		.from = w->from,
		.to = w->to,
		/*
		 * the names of regions belong to the whole run's profile, which stays
		 * open
		 */
		.regions = all->regions,
		.region_count = all->region_count,
		.names = all->names,
		.names_size = all->names_size,
	};
	ml_cells_init(&c.cells, sizeof(struct cell));
	bool ok = ml_walk(s, work, w->from, w->to, ML_WALK_OUTCOMES, add_batch, &c, err);
	ml_cells_release(&c.cells);
	w->own.cycles = ml_profile_cycles(&w->own.machine, w->own.served);
	if (!ok)
		ml_report_window_close(w);
	return ok;
}

/* A pass that hands only the references of the window to the profiler. */
struct gate {
	const struct ml_report_window *w;
	struct ml_pass to;
	/* counters at the beginning of the batch in which the window begins */
	struct ml_level_counts level[ML_LEVELS + 1], tlb[ML_TLBS];
	struct ml_charge *charges; /* of the references of the batch in the window */
	size_t charge_cap;
};

static void note_counts(struct gate *g, const struct ml_replay *r)
{
	const struct ml_machine *m = ml_replay_machine(r);

	for (unsigned k = m->split ? 0 : 1; k <= m->levels; k++)
		ml_replay_counts(r, k, &g->level[k]);
	for (unsigned k = 0; k < m->tlbs; k++)
		ml_replay_tlb_counts(r, k, &g->tlb[k]);
}

static bool within(const struct gate *g, const struct ml_events *e, uint64_t access)
{
	/* lines that leave at the end of the simulation belong to no batch */
	uint64_t position = e->refs ? e->position + access : g->w->to - 1;

	return position >= g->w->from && position < g->w->to;
}

/* The charges of references [first, end) of a batch, which becomes one of its own. */
static void cut_charges(struct gate *g, struct ml_events *e, size_t first, size_t end)
{
	size_t count = 0;

	g->charges = ml_grow(g->charges, &g->charge_cap, e->charge_count,
			     sizeof(*g->charges));
	for (size_t i = 0; i < e->charge_count; i++) {
		struct ml_charge c = e->charges[i];

		if (c.ref < first || c.ref >= end)
			continue;
		c.ref -= (uint32_t)first;
		g->charges[count++] = c;
	}
	e->charges = g->charges;
	e->charge_count = count;
}

static bool on_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct gate *g = arg;
	uint64_t end = e->position + e->refs->count;
	size_t first = 0, count = e->refs->count;

	if (end <= g->w->from) {
		note_counts(g, e->replay); /* the last batch before the window sets the
					      final values */
		return true;
	}
	if (e->position >= g->w->to)
		return true;
	if (e->position < g->w->from)
		first = (size_t)(g->w->from - e->position);
	if (end > g->w->to)
		count -= (size_t)(end - g->w->to);
	const struct ml_batch *b = e->refs;
	struct ml_batch cut = { b->time + (e->time ? 0 : first),
				count - first,
				b->addr + first,
				b->site + first,
				b->caller + first,
				b->thread + first,
				b->what + first };
	struct ml_events x = *e;
	x.position += first;
	x.refs = &cut;
	x.time = e->time ? e->time + first : NULL;
	x.cell = e->cell + first;
	x.region = e->region + first;
	x.core = e->core ? e->core + first : NULL;
	x.outcome = e->outcome + first;
	cut_charges(g, &x, first, count);
	return g->to.batch(g->to.arg, &x, err);
}

static void on_miss(void *arg, const struct ml_events *e, const struct ml_miss *m)
{
	struct gate *g = arg;

	if (within(g, e, m->access))
		g->to.miss(g->to.arg, e, m);
}

static void on_leave(void *arg, const struct ml_events *e, const struct ml_leave *l)
{
	struct gate *g = arg;

	if (within(g, e, 0))
		g->to.leave(g->to.arg, e, l);
}

static void on_bounce(void *arg, const struct ml_events *e, const struct ml_bounce *b)
{
	struct gate *g = arg;

	if (within(g, e, b->access))
		g->to.bounce(g->to.arg, e, b);
}

static void on_gap(void *arg, const struct ml_gap *gap)
{
	struct gate *g = arg;

	g->to.gap(g->to.arg, gap);
}

static void take_away(struct ml_level_counts *from, const struct ml_level_counts *what)
{
	uint64_t *a = (uint64_t *)from;
	const uint64_t *b = (const uint64_t *)what;

	for (size_t i = 0; i < sizeof(*from) / sizeof(*a); i++)
		a[i] -= b[i];
}

_Static_assert(sizeof(struct ml_level_counts) % sizeof(uint64_t) == 0,
	       "take_away takes counts for an array of numbers");

/* Reduces times and counters of the whole simulation to those of the window. */
static void settle(struct ml_profile *p, const struct gate *g)
{
	for (unsigned k = 0; k <= ML_LEVELS; k++) {
		take_away(&p->level[k].counts, &g->level[k]);
		p->level[k].bytes_in = p->level[k].bytes_out = 0;
	}
	for (unsigned k = 0; k < ML_TLBS; k++)
		take_away(&p->tlb[k], &g->tlb[k]);
	p->from = g->w->from;
	p->to = g->w->to;
	p->cycles = ml_profile_average(p);
}

bool ml_report_window_simulate(struct ml_report_window *w, struct ml_open_sim *s,
			       const struct ml_work *work, struct ml_err *err)
{
	struct ml_replay_options o = {
		.machine = s->machine,
		/*
		 * interleaved threads are not in the order of times, so all references
		 * are simulated
		 */
		.to = s->simulation.profile->interleaved ? 0 : w->to,
		.interleave = s->interleave,
		.want = ML_SIM_CAUSES | ML_SIM_USE,
		.work = work,
	};
	struct gate g = { .w = w };
	struct ml_replay *r;

	w->whole = w->from == 0 && w->to >= s->simulation.result.refs;
	w->own = (struct ml_profile){ 0 };
	w->profile = w->whole ? s->simulation.profile : &w->own;
	w->simulated = !w->whole;
	if (w->whole)
		return true;
	if (!ml_replay_open(&r, &s->trace->trace, &o, err))
		return false;
	struct ml_profiler *profiler = ml_profiler_open(&w->own);
	g.to = ml_profiler_pass(profiler);
	ml_event_sums_open(g.to.sums, &o.machine, o.want);
	struct ml_pass pass = { .arg = &g,
				.batch = on_batch,
				.miss = g.to.miss ? on_miss : NULL,
				.leave = g.to.leave ? on_leave : NULL,
				.bounce = g.to.bounce ? on_bounce : NULL,
				.gap = g.to.gap ? on_gap : NULL,
				.charges = g.to.charges };
	bool ok = ml_replay_run(r, &pass, 1, err);
	ml_free(g.charges);
	ml_profiler_close(profiler, r);
	ml_replay_close(r);
	settle(&w->own, &g);
	if (!ok)
		ml_report_window_close(w);
	return ok;
}

void ml_report_window_close(struct ml_report_window *w)
{
	if (w->simulated)
		ml_profile_release(&w->own);
	else
		ml_free(w->own.cells);
	w->own = (struct ml_profile){ 0 };
	w->simulated = false;
}
