/*
 * Searches, hash tables and other access without a pattern to one array. No order helps,
 * but fewer lines do. These changes are simulated: the elements that are visited lie side
 * by side, all of them or the hot ones; and all elements have half the size.
 */
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_family.h"
#include "lib/analyse/find/find_irregular.h"
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_steps.h"

struct mine {
	struct ml_irregular_spots spots;
	size_t packed[ML_IRREGULAR_MAX][2], halved[ML_IRREGULAR_MAX];
	size_t in_order[ML_IRREGULAR_MAX];
	size_t all_packed, all_in_order; /* of all spots at once, if there are several */
};

/* A line that uses nearly all of the elements cannot do with less of them. */
static const double ALL_USED = 0.75;

/* Numbers and pointers cannot be halved, nor elements that are used as a whole. */
static bool may_shrink(const struct ml_find *f, const struct ml_visits *v)
{
	return v->pitch > sizeof(uint64_t) && ml_steps_covered(f, v->spot) < ALL_USED;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	ml_irregular_look(f, ML_PROBES, &m->spots);
	if (m->spots.count)
		ml_find_follow(f, &ml_find_steps);
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	ml_irregular_see(f, &m->spots, s);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->spots.count; i++) {
		struct ml_visits *v = &m->spots.visits[i];

		m->packed[i][0] = ml_visits_try(f, v, ML_VISITS_HOT);
		m->packed[i][1] = ml_visits_try(f, v, ML_VISITS_COUNT);
		m->in_order[i] = ml_visits_try(f, v, ML_VISITS_FIRST);
		if (!may_shrink(f, v))
			continue;
		m->halved[i] = ml_find_try(f,
					   &(struct ml_change){ .kind = ML_CHANGE_SHRINK,
								.region = v->spot->region,
								.pitch = 2,
								.unit = 1 },
					   NULL);
	}
	if (m->spots.count > 1) {
		m->all_packed = ml_irregular_try(f, &m->spots, ML_VISITS_COUNT);
		m->all_in_order = ml_irregular_try(f, &m->spots, ML_VISITS_FIRST);
	}
}

/* The share of references that miss L1. */
static double missing(const uint64_t served[ML_SERVED])
{
	return (double)ml_find_missed(served, 1) / (double)ml_find_missed(served, 0);
}

static void tell(struct ml_find *f, const struct ml_visits *v, size_t trial,
		 double packed, double halved)
{
	const char *name = ml_find_region(f, v->spot->region);
	uint64_t size = ml_find_block_size(f, v->spot->region, NULL);
	bool pack = packed >= f->min_cycles && packed >= 0.5 * halved;
	const struct ml_trial *t = &f->tried[trial].trial;
	struct ml_candidate *c = ml_irregular_add(f, v, pack ? packed : halved);

	ml_find_tried(f, c, trial);
	c->finding.title = ml_arena_printf(f->arena, "%s is probed without order", name);
	ml_find_say(f, c, "%s visits %s elements of %s in %s, without a pattern.",
		    ml_find_place(f, v->spot->line), ml_find_count(f, v->count),
		    ml_find_bytes(f, v->pitch), ml_find_bytes(f, size));
	ml_find_say(f, c, "%s.", ml_find_misses(f, v->spot->served));
	if (pack)
		ml_find_say(f, c,
			    "With the visited elements side by side, the most visited "
			    "first, %s of its references would miss %s, not %s.",
			    ml_find_percent(f, missing(t->region_after)),
			    f->p->machine.level[0].name,
			    ml_find_percent(f, missing(t->region_before)));
	else
		ml_find_say(f, c, "The figure is for elements of half the size.");
	c->finding.advice = ml_arena_printf(
		f->arena,
		pack ? "make %s denser: a smaller table, or the elements that every search "
		       "visits side by side (the order of a heap or of a B-tree instead of "
		       "a sorted array)"
		     : "make the elements of %s smaller: shorter types, keys apart from "
		       "values, a table with fewer empty slots",
		name);
	ml_find_fact(c, "elements", (double)v->count);
	ml_find_fact(c, "element", (double)v->pitch);
	ml_find_fact(c, "size", (double)size);
	ml_find_fact(c, "gain_packed", packed / f->cycles);
	ml_find_fact(c, "gain_halved", halved / f->cycles);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
}

/*
 * The elements are visited in the same order again: that is a gather whose indices this
 * finder does not see (a list of indices, vertices of a graph).
 */
static void tell_order(struct ml_find *f, const struct ml_visits *v, size_t trial,
		       double saved)
{
	const char *name = ml_find_region(f, v->spot->region);
	const struct ml_trial *t = &f->tried[trial].trial;
	const struct ml_finder *now = f->now;
	struct ml_candidate *c;

	f->now = &ml_find_gather;
	c = ml_irregular_add(f, v, saved);
	f->now = now;
	ml_find_tried(f, c, trial);
	c->finding.title = ml_arena_printf(
		f->arena, "%s is visited in another order than it lies", name);
	ml_find_say(f, c, "%s visits %s elements of %s, of %s, out of order.",
		    ml_find_place(f, v->spot->line), ml_find_count(f, v->count), name,
		    ml_find_bytes(f, v->pitch));
	ml_find_say(f, c, "%s.", ml_find_misses(f, v->spot->served));
	ml_find_say(f, c,
		    "Stored in the order of their first visits, %s of its references "
		    "would miss %s, not %s.",
		    ml_find_percent(f, missing(t->region_after)),
		    f->p->machine.level[0].name,
		    ml_find_percent(f, missing(t->region_before)));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"renumber: store the elements of %s in the order in which they are "
		"visited (sorted by cell, by neighbourhood, by level); this needs "
		"numbers of elements that are stored, not computed by a hash function",
		name);
	ml_find_fact(c, "elements", (double)v->count);
	ml_find_fact(c, "element", (double)v->pitch);
	ml_find_fact(c, "gain_stored", saved / f->cycles);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
}

/*
 * The part of its own saving that each array adds if all of them change: all at once may
 * save less than the sum.
 */
static double share(const struct ml_find *f, const struct mine *m, bool in_order)
{
	double sum = 0, all;

	if (m->spots.count < 2)
		return 1;
	for (size_t i = 0; i < m->spots.count; i++)
		sum += ml_find_saved(f, in_order ? m->in_order[i] : m->packed[i][1]);
	all = ml_find_saved(f, in_order ? m->all_in_order : m->all_packed);
	return all > 0 && all < sum ? all / sum : 1;
}

/*
 * Whether an element can hold the number of any other. If neither another array nor the
 * elements themselves hold numbers, the program computes the places, as a hash table
 * does, and there is nothing to renumber.
 */
static bool can_link(const struct ml_find *f, const struct ml_visits *v)
{
	return v->pitch >= sizeof(uint32_t) ||
	       ml_find_block_size(f, v->spot->region, NULL) / v->pitch <=
		       (uint64_t)1 << (8 * v->pitch);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;
	double order_share = share(f, m, true), dense_share = share(f, m, false);

	for (size_t i = 0; i < m->spots.count; i++) {
		double packed;
		size_t best = ml_find_best(f, m->packed[i], 2, &packed);
		const struct ml_visits *v = &m->spots.visits[i];
		double halved = may_shrink(f, v) ? ml_find_saved(f, m->halved[i]) : 0;
		double in_order = ml_find_saved(f, m->in_order[i]);
		double denser = packed > halved ? packed : halved;

		if (in_order >= ml_family_min(f) &&
		    in_order > ML_ORDER_MATTERS * denser && ml_visits_repeat(v) &&
		    can_link(f, v))
			tell_order(f, v, m->in_order[i], order_share * in_order);
		else if (denser >= ml_family_min(f))
			tell(f, v, m->packed[i][best], dense_share * packed,
			     dense_share * halved);
	}
}

static void release(void *arg)
{
	struct mine *m = arg;

	ml_irregular_release(&m->spots);
}

const struct ml_finder ml_find_probes = {
	.kind = "probes",
	.rule = "A search or a hash table touches one line a probe.",
	.view = { .name = "regions", .miss = "{far}" },
	.legal = "Legal if nothing outside knows the layout, and all that "
		 "holds numbers of elements is renumbered too",
	.family = ML_FAMILY_ANY,
	.weight = 0.8, /* fields names a cause; a denser table is a wish */
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
	.release = release,
};
