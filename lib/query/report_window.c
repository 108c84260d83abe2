#include "lib/query/report_window.h"

#include "lib/analyse/cells.h"
#include "lib/query/desk_sims.h"
#include "lib/query/walk.h"

/* A cell of the pass; where the counts are in the profile. */
struct cell {
	struct ml_cell who;
	size_t row; /* + 1 */
};

struct count {
	struct ml_profile *p;
	struct ml_cells cells;
	const struct ml_report_window *w;
	const struct ml_report_ticks *t;
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

	if (c->t->stop && *c->t->stop)
		return ml_fail(err, ML_STOPPED, "stopped");
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
	if (c->t->tick)
		c->t->tick(c->t->arg, "counting", p->refs, c->w->to - c->w->from);
	return true;
}

bool ml_report_window_open(struct ml_report_window *w, struct ml_desk_sim *s,
			   const struct ml_report_ticks *t, struct ml_err *err)
{
	const struct ml_profile *all = &s->result.profile;
	struct count c = { .p = &w->own, .w = w, .t = t };

	w->whole = w->from == 0 && w->to >= s->result.refs;
	w->own = (struct ml_profile){ 0 };
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
		/* names of regions: those of the whole, which stays open */
		.regions = all->regions,
		.region_count = all->region_count,
		.names = all->names,
		.names_size = all->names_size,
	};
	ml_cells_init(&c.cells, sizeof(struct cell));
	bool ok = ml_walk(s, w->from, w->to, ML_WALK_OUTCOMES, add_batch, &c, err);
	ml_cells_release(&c.cells);
	w->own.cycles = ml_profile_cycles(&w->own.machine, w->own.served);
	if (!ok)
		ml_report_window_close(w);
	return ok;
}

void ml_report_window_close(struct ml_report_window *w)
{
	ml_free(w->own.cells);
	w->own = (struct ml_profile){ 0 };
}
