/*
 * An array that is walked down its columns: the stride is a whole row, although the
 * neighbouring element would have been in the cache already. The simulated change
 * exchanges rows and columns for the references of one line alone, which has the effect
 * of exchanging its loops.
 */
#include "lib/analyse/find/find_family.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_register.h"
#include "lib/analyse/find/find_rows.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/analyse/find/find_steps.h"
#include "lib/analyse/find/find_tiling.h"
#include "lib/trace/tables.h"

enum { MAX_WALKS = 8 /* candidates */, MIN_ROWS = 4, NEAR = 3 /* lines of code */ };

/* A walk that uses less of its lines in the whole run uses one column, or one field. */
static const double ONE_COLUMN = 0.4;

struct walk {
	const struct ml_spot *spot;
	uint64_t pitch, unit; /* bytes of a row, and of the element touched in it */
	uint64_t step;        /* bytes from one reference to the next */
	bool known;           /* the shape is known; else the step is taken for the row */
	struct ml_rows rows;  /* rows that are blocks of their own */
	const struct ml_spot
		*other;         /* another array that the line walks along, or NULL */
	double covered;         /* share of the bytes that are ever used */
	bool exchanged;         /* the line was tried as a whole */
	size_t trial, exchange; /* this array turned; both arrays turned */
	bool tiled;             /* tiles were tried */
	size_t tiles[ML_TILE_SIZES];
	/*
	 * The loops exchanged: the spot whose sums leave their register, and references
	 * more. Then the array turned for all lines of code is tried too.
	 */
	const struct ml_spot *result;
	uint64_t added;
	size_t stored;
};

/* Cycles that each remedy saves. */
struct remedies {
	double turned, exchanged, stored, tiled;
	size_t size; /* of the tiles: index in `tiles` of the walk */
};

struct mine {
	struct ml_tilings tilings;
	struct walk walks[MAX_WALKS];
	size_t count;
};

/*
 * The bytes that one reference takes from a row: an element, or a vector of neighbouring
 * columns where the compiler takes several at a time.
 */
static uint64_t unit_of(const struct ml_region *r, const struct ml_spot *s, uint64_t row)
{
	uint64_t mean = s->refs ? s->bytes / s->refs : 0;

	/* such a step goes over no such elements: the type is not that of the data */
	if (r->elem && row % r->elem)
		return mean;
	if (r->elem && (mean < 2 * r->elem || mean % r->elem || row % mean))
		return r->elem;
	return mean;
}

/*
 * Whether the spot goes from row to row. In an array of known shape the step must be a
 * multiple of a row; in a flat array the step itself is taken for the row.
 */
static bool is_walk(const struct ml_find *f, const struct ml_spot *s, struct walk *w)
{
	const struct ml_region *r = &f->tables->regions.at[s->region];
	uint64_t step = ml_steps_row(f, s), row;

	*w = (struct walk){ .spot = s, .pitch = step, .step = step };
	if (step && r->dims < 2)
		w->rows = ml_rows_find(f, s->region, step);
	/* the type of such a region is that of the pointers to the rows */
	w->unit = w->rows.size ? s->bytes / s->refs : unit_of(r, s, step);
	if (!step || !w->unit || 2 * w->unit > f->line || step % w->unit)
		return false;
	if (r->dims >= 2) {
		row = r->dim[r->dims - 1] * r->elem;
		if (!row || step % row)
			return false;
		w->known = true;
		if (r->dims == 2)
			w->pitch = row;
	}
	return w->rows.size ||
	       ml_find_block_size(f, s->region, NULL) >= MIN_ROWS * w->pitch;
}

/* The number of rows of the walked array. */
static uint64_t rows_of(const struct ml_find *f, const struct walk *w)
{
	uint64_t size = w->rows.size ? w->rows.size
				     : ml_find_block_size(f, w->spot->region, NULL);

	return size / w->pitch;
}

/*
 * Whether the spot returns to the start of a row after each row: then it does not depend
 * on the outer loop, and an exchange of the loops makes it stand still.
 */
static bool repeats(const struct ml_find *f, const struct ml_spot *s,
		    const struct walk *w)
{
	const struct ml_profile_cell *c = s->worst;
	/* the inner loop makes as many steps as the walked array has rows */
	uint64_t row = rows_of(f, w) * w->unit;

	for (uint32_t i = 1; i < c->strides; i++) {
		uint64_t jump = (uint64_t)(c->stride[i].bytes < 0 ? -c->stride[i].bytes
								  : c->stride[i].bytes);
		if (jump > 2 * row)
			continue;
		double back = -(double)c->stride[i].bytes * (double)c->stride[i].count;
		double on = (double)c->stride[0].bytes * (double)c->stride[0].count;

		if ((on > 0 ? back : -back) > 0.5 * (on > 0 ? on : -on))
			return true;
	}
	return false;
}

/* Finds another array that the same line walks element by element, row after row. */
static const struct ml_spot *along(const struct ml_find *f, const struct walk *w)
{
	const struct ml_spot *s = w->spot;

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *o = &f->spots[i];

		if (o->line == s->line && o->region != s->region &&
		    o->bytes * 2 > s->bytes && ml_find_movable(f, o->region) &&
		    !ml_steps_walk(f, o) && !ml_find_irregular(f, o) && !repeats(f, o, w))
			return o;
	}
	return NULL;
}

/* The bytes of a row of the other array; 0: unknown. */
static uint64_t row_of(const struct ml_find *f, const struct ml_spot *s,
		       const struct walk *w)
{
	const struct ml_region *r = &f->tables->regions.at[s->region];

	if (r->dims >= 2 && r->elem)
		return r->dim[r->dims - 1] * r->elem;
	return ml_find_block_size(f, s->region, NULL) ==
			       ml_find_block_size(f, w->spot->region, NULL)
		       ? w->pitch
		       : 0;
}

/* Exchanging the loops turns the other array of the line too. */
static void try_exchange(struct ml_find *f, struct walk *w, const struct ml_change *turn)
{
	struct ml_change *other, both = *turn;

	w->other = along(f, w);
	if (!w->other || row_of(f, w->other, w) < w->unit)
		return;
	other = ml_arena_alloc(f->arena, sizeof(*other));
	*other = (struct ml_change){ .kind = ML_CHANGE_TURN,
				     .region = w->other->region,
				     .pitch = row_of(f, w->other, w),
				     .unit = w->unit,
				     .by = ml_find_sites(f, w->spot->line) };
	other->also = both.also;
	both.also = other;
	w->exchange = ml_find_try(f, &both, NULL);
	w->exchanged = true;
}

/* The elements of a side of a tile: a line has as many, or half as many. */
static uint64_t tile_of(const struct ml_find *f, const struct walk *w, size_t size)
{
	return f->line / w->unit << size;
}

/* Exchanging may hurt the other array: then tiles are the remedy. */
static void try_tiles(struct ml_find *f, struct mine *m, struct walk *w)
{
	struct ml_tiling_walk t = {
		.walk = w->spot, .other = w->other, .pitch = w->pitch, .unit = w->unit
	};

	for (size_t i = 0; i < ML_TILE_SIZES; i++)
		t.tile[i] = tile_of(f, w, i);
	w->tiled = w->exchanged && !w->rows.size &&
		   ml_tilings_try(f, &m->tilings, &t, w->tiles);
}

/* Lines that would stay but for their sets: padding is the remedy (find_padding.c). */
static bool only_conflicts(const struct ml_spot *s)
{
	return s->by_cause[ML_CAUSE_CONFLICT] > 0.9 * s->excess;
}

/*
 * Whether the spot is a statement of the same loop that walks over the same rows. It may
 * hit where another statement has missed just before.
 */
static bool belongs(const struct ml_find *f, const struct ml_spot *s,
		    const struct walk *w)
{
	uint32_t x = f->user_lines.lines[s->line].line;
	uint32_t y = f->user_lines.lines[w->spot->line].line;
	struct walk own;

	return s == w->spot ||
	       (s->region == w->spot->region && ml_find_together(f, s, w->spot) &&
		(x < y ? y - x : x - y) <= NEAR && is_walk(f, s, &own) &&
		own.pitch == w->pitch);
}

/* The sites of all statements that belong to the walk. */
static const bool *sites(struct ml_find *f, const struct walk *w)
{
	size_t count = f->tables->sites.count;
	bool *by = ml_arena_alloc(f->arena, count * sizeof(*by));

	for (size_t i = 0; i < f->spot_count; i++) {
		if (!belongs(f, &f->spots[i], w))
			continue;
		const bool *own = ml_find_sites(f, f->spots[i].line);
		for (size_t k = 0; k < count; k++)
			by[k] |= own[k];
	}
	return by;
}

/* Whether an earlier walk has this spot. */
static bool is_known(const struct ml_find *f, const struct mine *m,
		     const struct ml_spot *s)
{
	for (size_t i = 0; i < m->count; i++)
		if (belongs(f, s, &m->walks[i]))
			return true;
	return false;
}

/*
 * Whether exchanging takes a sum out of its register, so that storing the array
 * transposed is the other remedy.
 */
static bool is_sum(const struct walk *w)
{
	return w->added && !w->exchanged;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < f->spot_count && m->count < MAX_WALKS; i++) {
		const struct ml_spot *s = &f->spots[i];
		struct walk *w = &m->walks[m->count];

		if (s->excess < ml_family_min(f))
			break;
		if (!ml_find_movable(f, s->region) || ml_rows_are_nodes(f, s->region) ||
		    !f->user_lines.lines[s->line].own || only_conflicts(s) ||
		    !ml_steps_walk(f, s) || !is_walk(f, s, w))
			continue;
		if (is_known(f, m, s))
			continue;
		struct ml_change turn = { .kind = ML_CHANGE_TURN,
					  .region = s->region,
					  .pitch = w->pitch,
					  .unit = w->unit,
					  .base = w->rows.base,
					  .size = w->rows.size,
					  .by = sites(f, w) };

		if (w->rows.size)
			turn.also = ml_rows_pointers(f, s);
		w->covered = ml_steps_covered(f, s);
		w->trial = ml_find_try(f, &turn, NULL);
		if (w->covered >= ONE_COLUMN)
			try_exchange(f, w, &turn);
		try_tiles(f, m, w);
		w->added = ml_register_added(
			f, s, &(struct ml_inner_loop){ rows_of(f, w), w->pitch, w->unit },
			&w->result);
		if (is_sum(w)) {
			turn.by = NULL;
			w->stored = ml_find_try(f, &turn, NULL);
		}
		m->count++;
	}
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	ml_tilings_look(f, &m->tilings);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].excess >= f->min_cycles) {
			ml_find_follow(f, &ml_find_steps);
			return;
		}
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	(void)f;
	if (m->tilings.count)
		ml_tilings_see(&m->tilings, s);
}

static void claim(struct ml_find *f, struct ml_candidate *c, const struct walk *w)
{
	for (size_t i = 0; i < f->spot_count; i++)
		if (belongs(f, &f->spots[i], w))
			ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
}

/* Whether exchanging the loops hurts the other array, so that it gives less than tiles.
 */
static bool needs_tiles(const struct remedies *r)
{
	return r->exchanged < 0.8 * r->tiled;
}

/* The gain of the advice. */
static double best(const struct walk *w, const struct remedies *r)
{
	if (is_sum(w))
		return r->stored > r->exchanged ? r->stored : r->exchanged;
	return needs_tiles(r) ? r->tiled : r->exchanged;
}

/* Both remedies with their gains, the better one first; one alone if it is the only one.
 */
static const char *advice_of_sum(struct ml_find *f, const struct walk *w,
				 const struct remedies *r)
{
	const char *name = ml_find_region(f, w->spot->region);
	const char *sums = ml_find_region(f, w->result->region);
	const char *store = ml_arena_printf(f->arena, "store %s transposed (saves %s)",
					    name,
					    ml_find_percent(f, r->stored / f->cycles));
	const char *exchange = ml_arena_printf(
		f->arena,
		"exchange the two loops so that the inner one goes along a %s of %s and "
		"adds to %s in memory (saves %s)",
		ml_find_run(f, w->spot->region), name, sums,
		ml_find_percent(f, r->exchanged / f->cycles));

	if (r->exchanged < f->min_cycles)
		return ml_arena_printf(
			f->arena,
			"%s. If the loops were exchanged, the sums for %s would leave "
			"their register. Legal if nothing outside knows the layout",
			store, sums);
	if (r->stored < f->min_cycles)
		return ml_arena_printf(
			f->arena, "%s. Legal if no iteration needs the result of another",
			exchange);
	return ml_arena_printf(f->arena,
			       "%s, or %s. Exchanging is legal if no iteration needs the "
			       "result of another",
			       r->stored > r->exchanged ? store : exchange,
			       r->stored > r->exchanged ? exchange : store);
}

static const char *advice(struct ml_find *f, const struct walk *w,
			  const struct remedies *r)
{
	const char *name = ml_find_region(f, w->spot->region);

	if (is_sum(w))
		return advice_of_sum(f, w, r);
	if (needs_tiles(r))
		return ml_arena_printf(
			f->arena,
			"work in square tiles of %llu by %llu elements or more: the same "
			"line goes along %s, which would suffer if the loops were "
			"exchanged. Legal if the iterations may run in any order",
			(unsigned long long)tile_of(f, w, r->size),
			(unsigned long long)tile_of(f, w, r->size),
			ml_find_region(f, w->other->region));
	return ml_arena_printf(
		f->arena,
		"exchange the two loops so that the inner one goes along a "
		"%s of %s, or store %s transposed. Exchanging is legal if no "
		"iteration needs the result of another",
		ml_find_run(f, w->spot->region), name, name);
}

static void tell(struct ml_find *f, const struct walk *w, const struct remedies *r)
{
	const struct ml_spot *s = w->spot;
	bool tiled = w->tiled && !is_sum(w) && needs_tiles(r);
	size_t trial = tiled ? w->tiles[r->size] : w->trial;
	const struct ml_trial *t = &f->tried[trial].trial;
	uint64_t before = ml_find_missed(t->region_before, 1);
	uint64_t after = ml_find_missed(t->region_after, 1);
	uint64_t missed = ml_find_missed(s->served, 1);
	double all = (double)ml_find_missed(t->region_before, 0);
	const char *name = ml_find_region(f, s->region);
	const char *l1 = f->p->machine.level[0].name;
	struct ml_candidate *c = ml_find_add(f, s->region, s, best(w, r), true);

	ml_find_tried(f, c, trial);
	const char *run = ml_find_run(f, s->region);
	c->finding.title = ml_arena_printf(f->arena,
					   !w->known ? "%s is walked in large steps"
					   : *run == 'c'
						   ? "%s is walked along its rows"
						   : "%s is walked down its columns",
					   name);
	const char *on = w->step == w->pitch && w->known
				 ? ml_arena_printf(f->arena, ", one %s on", run)
				 : "";
	ml_find_say(f, c, "%s goes through %s in steps of %s%s.",
		    ml_find_place(f, s->line), name, ml_find_bytes(f, w->step), on);
	ml_find_say(f, c, "%s; it uses %.0f bytes of each line of %llu that it fetches.",
		    ml_find_misses(f, s->served),
		    (double)s->bytes / (double)(missed ? missed : 1),
		    (unsigned long long)f->line);
	ml_find_say(f, c, "%s, %s of its references would miss %s, not %s.",
		    tiled ? "In tiles"
			  : ml_arena_printf(f->arena, "Walked along %ss", run),
		    ml_find_percent(f, (double)after / all), l1,
		    ml_find_percent(f, (double)before / all));
	if (w->added)
		ml_find_say(f, c,
			    "Exchanged, the loops would read and write %s in each "
			    "iteration, %s references more.",
			    ml_find_region(f, w->result->region),
			    ml_find_count(f, w->added));
	if (!is_sum(w) && needs_tiles(r))
		ml_find_say(f, c, "Exchanging the loops would save only %s.",
			    ml_find_percent(f, r->exchanged > 0 ? r->exchanged / f->cycles
								: 0));
	c->finding.advice = advice(f, w, r);
	ml_find_fact(c, "stride", (double)w->step);
	ml_find_fact(c, "row", (double)w->pitch);
	if (w->exchanged)
		ml_find_fact_text(c, "other_region", ml_find_region(f, w->other->region));
	if (w->exchanged || w->added)
		ml_find_fact(c, "gain_exchanged", r->exchanged / f->cycles);
	if (is_sum(w))
		ml_find_fact(c, "gain_transposed", r->stored / f->cycles);
	if (tiled)
		ml_find_fact(c, "tile", (double)tile_of(f, w, r->size));
	if (w->added)
		ml_find_fact(c, "references_added", (double)w->added);
	ml_find_fact(c, "references", (double)s->refs);
	ml_find_fact(c, "misses", (double)missed);
	ml_find_fact(c, "misses_tried", (double)before);
	ml_find_fact(c, "misses_predicted", (double)after);
	claim(f, c, w);
}

/*
 * Nothing else of the rows is ever used by this line: another order of the loops cannot
 * help, but storing the used part side by side does, which is what turning gives. That is
 * a finding about fields, of an array whose type is not known.
 */
static void tell_column(struct ml_find *f, const struct walk *w, double saved)
{
	const struct ml_spot *s = w->spot;
	const struct ml_trial *t = &f->tried[w->trial].trial;
	const char *name = ml_find_region(f, s->region);
	const struct ml_finder *now = f->now;
	struct ml_candidate *c;

	f->now = &ml_find_fields;
	c = ml_find_add(f, s->region, s, saved, true);
	f->now = now;
	ml_find_tried(f, c, w->trial);
	c->finding.title = ml_arena_printf(
		f->arena, "only a part of each element of %s is used", name);
	ml_find_say(f, c,
		    "%s goes through %s in steps of %s and uses %s of the bytes of the "
		    "lines that it touches.",
		    ml_find_place(f, s->line), name, ml_find_bytes(f, w->step),
		    ml_find_percent(f, w->covered));
	ml_find_say(f, c, "%s.", ml_find_misses(f, s->served));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"keep the part of %s that this loop uses in an array of its own", name);
	ml_find_fact(c, "stride", (double)w->step);
	ml_find_fact(c, "used_share", w->covered);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
	claim(f, c, w);
}

/*
 * What exchanging the loops saves. A vector of the other array would become several
 * references, which a change of addresses cannot show: then the other array is taken to
 * suffer as this one does now.
 */
static double exchange(const struct ml_find *f, const struct walk *w, double saved)
{
	const struct ml_spot *o = w->other;

	if (2 * o->bytes > 3 * o->refs * w->unit)
		return saved - saved * (double)o->bytes / (double)w->spot->bytes;
	return ml_find_saved(f, w->exchange);
}

/*
 * What tiles save that were not tried as they would run, because several threads or
 * statements walk. If rows do not begin at a line, neighbouring tiles share lines, and
 * each of these is fetched for both: the wider the tiles, the fewer.
 */
static double estimate_tiles(const struct ml_find *f, const struct walk *w,
			     struct remedies *r)
{
	double left = w->spot->excess - r->turned;

	r->size = ML_TILE_SIZES - 1;
	if (w->pitch % f->line == 0 || left < 0)
		return r->turned;
	return r->turned - left * (double)(f->line - w->unit) /
				   (double)(tile_of(f, w, r->size) * w->unit);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		const struct walk *w = &m->walks[i];
		struct remedies r = { .turned = ml_find_saved(f, w->trial) };

		if (r.turned < ml_family_min(f))
			continue;
		r.exchanged = w->exchanged ? exchange(f, w, r.turned) : r.turned;
		r.exchanged -= (double)w->added * f->cost[1];
		if (w->tiled)
			r.size = ml_find_best(f, w->tiles, ML_TILE_SIZES, &r.tiled);
		else
			r.tiled = w->exchanged ? estimate_tiles(f, w, &r) : r.turned;
		if (is_sum(w))
			r.stored = ml_find_saved(f, w->stored);
		if (w->covered < ONE_COLUMN)
			tell_column(f, w, r.turned);
		else if (best(w, &r) >= ml_family_min(f))
			tell(f, w, &r);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	ml_tilings_release(&m->tilings);
}

const struct ml_finder ml_find_stride = {
	.kind = "stride",
	.rule = "An array is walked in large steps.",
	.view = { .name = "regions", .miss = "{step}" },
	.family = ML_FAMILY_SIZE,
	.weight = 1,
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
