/*
 * An array that is walked down its columns: the stride is a whole row, although the
 * neighbouring element would have been in the cache already. The simulated change
 * exchanges rows and columns for the references of one line alone, which has the effect
 * of exchanging its loops.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum { MAX_WALKS = 4 /* candidates */, MIN_ROWS = 4 };

struct walk {
	const struct ml_spot *spot;
	uint64_t pitch, unit; /* bytes of a row, and of the element touched in it */
	bool known; /* the shape is known; else the stride is taken for the row */
	size_t trial;
};

struct mine {
	struct walk walks[MAX_WALKS];
	size_t count;
};

/*
 * Whether the most frequent stride of the spot's worst instruction is that of a row. In
 * an array of known shape it must be a multiple of a row; in a flat array the stride
 * itself is taken for the row.
 */
static bool is_walk(const struct ml_find *f, const struct ml_spot *s, struct walk *w)
{
	const struct ml_region *r = &f->tables->regions.at[s->region];
	const struct ml_profile_cell *c = s->worst;
	uint64_t stride, row;

	if (!c->strides || 2 * c->stride[0].count < c->steps)
		return false;
	stride = (uint64_t)c->stride[0].bytes;
	if (c->stride[0].bytes < 0)
		stride = 0 - stride; /* right for INT64_MIN too */
	*w = (struct walk){ .spot = s, .pitch = stride };
	w->unit = r->elem ? r->elem : s->refs ? s->bytes / s->refs : 0;
	if (!w->unit || stride <= f->line || 2 * w->unit > f->line || stride % w->unit)
		return false;
	if (r->dims >= 2) {
		row = r->dim[r->dims - 1] * r->elem;
		if (!row || stride % row)
			return false;
		w->known = true;
		if (r->dims == 2)
			w->pitch = row;
	}
	return ml_find_block_size(f, s->region, NULL) >= MIN_ROWS * w->pitch;
}

/* Whether at least half of each fetched line is not used before it is evicted. */
static bool wastes(const struct ml_find *f, const struct ml_spot *s)
{
	return 2 * s->bytes <= f->line * ml_find_missed(s->served, 1);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < f->spot_count && m->count < MAX_WALKS; i++) {
		const struct ml_spot *s = &f->spots[i];
		struct walk *w = &m->walks[m->count];

		if (s->excess < f->min_cycles)
			break;
		if (!ml_find_movable(f, s->region) || !f->user_lines.lines[s->line].own ||
		    !wastes(f, s) || !is_walk(f, s, w))
			continue;
		w->trial = ml_find_try(f,
				       &(struct ml_change){ .kind = ML_CHANGE_TURN,
							    .region = s->region,
							    .pitch = w->pitch,
							    .unit = w->unit },
				       s);
		m->count++;
	}
}

static void look(struct ml_find *f, void **mine)
{
	*mine = ml_arena_alloc(f->arena, sizeof(struct mine));
}

/* Finds another array that the same line walks element by element. */
static const struct ml_spot *along(const struct ml_find *f, const struct ml_spot *s)
{
	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *o = &f->spots[i];
		const struct ml_profile_stride *x = &o->worst->stride[0];

		if (o->line == s->line && o->region != s->region &&
		    o->refs * 2 > s->refs && o->worst->strides &&
		    ml_find_movable(f, o->region) && x->bytes &&
		    x->count * 2 > o->worst->steps && x->bytes >= -(int64_t)f->line / 2 &&
		    x->bytes <= (int64_t)f->line / 2)
			return o;
	}
	return NULL;
}

static const char *advice(struct ml_find *f, const struct walk *w)
{
	const char *name = ml_find_region(f, w->spot->region);
	const struct ml_spot *o = along(f, w->spot);

	if (!o)
		return ml_arena_printf(
			f->arena,
			"exchange the two loops so that the inner one goes "
			"along a row of %s, or store %s transposed",
			name, name);
	return ml_arena_printf(
		f->arena,
		"let the inner loop go along a row of %s (exchange the loops). The same line "
		"goes along %s: if that would suffer, store %s transposed or work in "
		"square tiles",
		name, ml_find_region(f, o->region), name);
}

static void tell(struct ml_find *f, const struct walk *w, double saved)
{
	const struct ml_spot *s = w->spot;
	const struct ml_profile_stride *x = &s->worst->stride[0];
	uint64_t step = (uint64_t)(x->bytes < 0 ? -x->bytes : x->bytes);
	const struct ml_trial *t = &f->trials[w->trial];
	uint64_t before = ml_find_missed(t->region_before, 1);
	uint64_t after = ml_find_missed(t->region_after, 1);
	uint64_t missed = ml_find_missed(s->served, 1);
	double all = (double)ml_find_missed(t->region_after, 0);
	const char *name = ml_find_region(f, s->region);
	const char *l1 = f->p->machine.level[0].name;
	struct ml_candidate *c = ml_find_add(f, s->region, s, saved, true);

	c->finding.title = ml_arena_printf(f->arena,
					   w->known ? "%s is walked down its columns"
						    : "%s is walked in large steps",
					   name);
	ml_find_say(f, c, "%s of the steps of %s go %+lld bytes%s.",
		    ml_find_percent(f, (double)x->count / (double)s->worst->steps),
		    ml_find_place(f, s->line), (long long)x->bytes,
		    step == w->pitch && w->known ? ", one row on" : "");
	ml_find_say(f, c, "%s; it uses %.0f bytes of each line of %llu that it fetches.",
		    ml_find_misses(f, s->served),
		    (double)s->bytes / (double)(missed ? missed : 1),
		    (unsigned long long)f->line);
	ml_find_say(f, c,
		    "Walked along rows, %s of its references would miss %s, not %s.",
		    ml_find_percent(f, (double)after / all), l1,
		    ml_find_percent(f, (double)before / all));
	c->finding.advice = advice(f, w);
	ml_find_fact(c, "stride", (double)x->bytes);
	ml_find_fact(c, "stride_share", (double)x->count / (double)s->worst->steps);
	ml_find_fact(c, "row", (double)w->pitch);
	ml_find_fact(c, "references", (double)s->refs);
	ml_find_fact(c, "misses", (double)missed);
	ml_find_fact(c, "misses_tried", (double)before);
	ml_find_fact(c, "misses_predicted", (double)after);
	ml_find_claim(f, c, s, s->excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		double saved = ml_find_saved(f, m->walks[i].trial);

		if (saved >= f->min_cycles)
			tell(f, &m->walks[i], saved);
	}
}

const struct ml_finder ml_find_stride = {
	.kind = "stride",
	.weight = 1,
	.look = look,
	.try = try,
	.conclude = conclude,
};
