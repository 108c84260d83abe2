/*
 * One loop follows another over the same data, which are no longer cached by then. If the
 * two were one loop, the second use would hit, or would not be made at all: the simulated
 * change leaves it out.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_prior.h"
#include "lib/analyse/find/find_steps.h"
#include "lib/trace/tables.h"

enum { MAX_LOOPS = 10 };

/* Two loops, by the first of their pairs. */
struct loops {
	const struct ml_prior_pair *first;
	double saved; /* cycles of the misses alone */
	double share; /* of the later loop's runs, those that follow the earlier loop */
	size_t trial;
};

struct mine {
	struct loops loops[MAX_LOOPS];
	size_t count;
};

static void look(struct ml_find *f, void **mine)
{
	*mine = ml_arena_alloc(f->arena, sizeof(struct mine));
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].by_cause[ML_CAUSE_CAPACITY] >= f->min_cycles) {
			ml_find_follow(f, &ml_find_prior);
			return;
		}
}

/* Whether a line goes over a region without order: no other loop can keep step with it.
 */
static bool scatters(const struct ml_find *f, uint32_t line, uint32_t region)
{
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].line == line && f->spots[i].region == region)
			return ml_find_irregular(f, &f->spots[i]);
	return false;
}

static bool fits(const struct ml_find *f, const struct ml_prior_pair *p)
{
	const struct ml_spot *s = &f->spots[p->spot];

	return !ml_prior_same_loop(f, p) && !ml_prior_idle(f, p) &&
	       f->user_lines.lines[p->user].own && f->user_lines.lines[s->line].own &&
	       !ml_find_irregular(f, s) && !ml_steps_walk(f, s) &&
	       !scatters(f, p->user, s->region);
}

/* The same two lines, whichever comes first. */
static bool same_lines(const struct ml_find *f, const struct ml_prior_pair *a,
		       const struct ml_prior_pair *b)
{
	uint32_t x = f->spots[a->spot].line, y = f->spots[b->spot].line;

	return (x == y && a->user == b->user) || (x == b->user && y == a->user);
}

static bool forward(const struct ml_find *f, const struct ml_prior_pair *a,
		    const struct ml_prior_pair *b)
{
	return f->spots[a->spot].line == f->spots[b->spot].line && a->user == b->user;
}

/* Sums what pairs of the same two lines save, and marks them. */
static double sum(const struct ml_find *f, size_t first, bool *done)
{
	const struct ml_prior *x = f->prior;
	double saved = 0;

	for (size_t k = first; k < x->count; k++) {
		if (!fits(f, &x->pairs[k]) ||
		    !same_lines(f, &x->pairs[first], &x->pairs[k]))
			continue;
		done[k] = true;
		if (forward(f, &x->pairs[k], &x->pairs[first]))
			saved += x->pairs[k].saved[0];
	}
	return saved;
}

static bool same_function(const struct ml_find *f, uint32_t a, uint32_t b)
{
	const struct ml_user_line *x = &f->user_lines.lines[a];
	const struct ml_user_line *y = &f->user_lines.lines[b];

	return x->func == y->func && x->file == y->file;
}

/* Whether a line is of the later loop: of its function, if the other loop is elsewhere.
 */
static bool is_later(const struct ml_find *f, const struct ml_prior_pair *p,
		     uint32_t line)
{
	uint32_t here = f->spots[p->spot].line;

	return same_function(f, here, p->user) ? line == here
					       : same_function(f, line, here);
}

static const bool *sites(struct ml_find *f, const struct ml_prior_pair *p)
{
	bool *by = ml_arena_alloc(f->arena, f->tables->sites.count + 1);

	for (size_t i = 0; i < f->tables->sites.count; i++) {
		uint64_t line = f->user_lines.of_site[i];

		by[i] = line && is_later(f, p, (uint32_t)(line - 1));
	}
	return by;
}

/*
 * A loop that runs often may follow the other one only once: a fill. Only these runs are
 * spared. Their share is that of the misses whose previous user is the other loop.
 */
static double share_of(const struct ml_find *f, const struct ml_prior_pair *p)
{
	const struct ml_prior *x = f->prior;
	double all = 0, of = 0;

	for (size_t k = 0; k < x->count; k++) {
		const struct ml_spot *s = &f->spots[x->pairs[k].spot];

		if (s->region != f->spots[p->spot].region || !is_later(f, p, s->line))
			continue;
		all += x->pairs[k].saved[0];
		if (same_function(f, x->pairs[k].user, p->user))
			of += x->pairs[k].saved[0];
	}
	return all > 0 ? of / all : 1;
}

/*
 * Pairs are ordered by what they save: the first of two lines is the one to promise. A
 * fused loop loads once what both loops use, so the later references are not made.
 */
static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;
	const struct ml_prior *x = f->prior;

	if (!x)
		return;
	bool *done = ml_arena_alloc(f->arena, x->count + 1);
	for (size_t i = 0; i < x->count && m->count < MAX_LOOPS; i++) {
		struct loops *l = &m->loops[m->count];

		if (done[i] || !fits(f, &x->pairs[i]))
			continue;
		*l = (struct loops){ .first = &x->pairs[i], .saved = sum(f, i, done) };
		if (l->saved < ml_family_min(f))
			continue;
		const struct ml_spot *s = &f->spots[l->first->spot];
		l->share = share_of(f, l->first);
		l->trial = ml_find_try(f,
				       &(struct ml_change){ .kind = ML_CHANGE_DROP,
							    .region = s->region,
							    .by = sites(f, l->first) },
				       NULL);
		m->count++;
	}
}

static void tell(struct ml_find *f, const struct loops *l, double saved)
{
	const struct ml_prior *x = f->prior;
	const struct ml_prior_pair *p = l->first;
	const struct ml_spot *s = &f->spots[p->spot];
	const char *name = ml_find_region(f, s->region);
	const char *here = ml_find_place(f, s->line);
	const char *there = ml_find_place(f, p->user);
	uint64_t set = (uint64_t)(p->distance / (double)p->count) * f->line;
	struct ml_candidate *c = ml_find_add(f, s->region, s, saved, f->simulated);

	c->finding.title = ml_arena_printf(
		f->arena, "two loops go over %s one after the other", name);
	ml_find_say(f, c,
		    "%s uses lines that %s used before; in between the program touches "
		    "about %s, and %s holds %s.",
		    here, there, ml_find_bytes(f, set), f->p->machine.level[0].name,
		    ml_find_bytes(f, f->p->machine.level[0].size));
	ml_find_say(
		f, c,
		"If one loop loads what both use, the second use costs nothing; if it "
		"still loads twice, the gain is %s.",
		ml_find_percent(f, l->saved / f->cycles));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"fuse the loops of %s and %s, or let both work on one part of %s at a "
		"time. Legal if no iteration of the later loop needs a later iteration "
		"of the earlier one, as it does if it uses a sum of all of them",
		there, here, name);
	ml_find_fact_text(c, "other_line", there);
	ml_find_fact(c, "working_set", (double)set);
	ml_find_fact(c, "gain_at_least", l->saved / f->cycles);
	ml_find_bounds(f, c, l->saved < saved ? l->saved : saved, saved);
	ml_find_tried(f, c, l->trial);
	for (size_t i = 0; i < x->count; i++)
		if (fits(f, &x->pairs[i]) && forward(f, &x->pairs[i], p))
			ml_find_claim(f, c, &f->spots[x->pairs[i].spot],
				      x->pairs[i].saved[0]);
}

/* The misses that fusing spares, of this array and of those that are used alike. */
static double of_family(const struct ml_find *f, const struct mine *m,
			const struct loops *l)
{
	const struct ml_spot *s = &f->spots[l->first->spot];
	double sum = 0;

	for (size_t i = 0; i < m->count; i++)
		if (ml_find_together(f, &f->spots[m->loops[i].first->spot], s))
			sum += m->loops[i].saved;
	return sum;
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		double saved = m->loops[i].share * ml_find_saved(f, m->loops[i].trial);

		if (of_family(f, m, &m->loops[i]) < f->min_cycles)
			continue;
		saved = saved > m->loops[i].saved ? saved : m->loops[i].saved;
		tell(f, &m->loops[i], saved);
	}
}

const struct ml_finder ml_find_fuse = {
	.kind = "fuse",
	.rule = "Two loops go over the same array one after the other.",
	.view = { .name = "plane", .cause = "capacity", .again = true, .miss = "{back}" },
	.weight = 0.9, /* an estimate */
	.family = ML_FAMILY_SIZE,
	.look = look,
	.try = try,
	.conclude = conclude,
};
