#include "lib/analyse/find/find_bounces.h"

#include "lib/analyse/find/find_report.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/tables.h"

static struct ml_bounce_region *find_shared(struct ml_bounces *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->regions[i].region == region)
			return &m->regions[i];
	return NULL;
}

/* Sums the bounces of a line, which has an entry for each pair of cores. */
static void find_worst_line(const struct ml_find *f, struct ml_bounce_region *s)
{
	struct ml_map lines = { 0 };
	uint64_t max = 0;

	for (size_t i = 0; i < f->p->bounce_count; i++) {
		const struct ml_profile_bounce *b = &f->p->bounces[i];

		uint64_t count = b->sharing + b->false_sharing;

		if (ml_find_same(f, b->region) != s->region || !count)
			continue;
		uint64_t *n = ml_map_add(&lines, b->line, NULL);

		*n += count;
		s->bounces += count;
		if (*n > max) {
			max = *n;
			s->line = b->line;
		}
	}
	s->lines = lines.count;
	ml_map_release(&lines);
}

/* Cycles of misses by sharing of either kind. */
static double cost_of(const struct ml_spot *s)
{
	return s->by_cause[ML_CAUSE_SHARING] + s->by_cause[ML_CAUSE_FALSE_SHARING];
}

double ml_bounces_references(const struct ml_find *f, const struct ml_bounce_region *r)
{
	double sum = 0;

	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == r->region && cost_of(&f->spots[i]) > 0)
			sum += (double)f->spots[i].refs * f->cost[1];
	return sum;
}

static bool shares_data(const struct ml_spot *sum)
{
	return 2 * sum->by_cause[ML_CAUSE_SHARING] >
	       sum->by_cause[ML_CAUSE_FALSE_SHARING];
}

void ml_bounces_look(struct ml_find *f, struct ml_bounces *m, bool is_true)
{
	for (size_t i = 0; i < f->spot_count && m->count < ML_BOUNCE_REGIONS; i++) {
		uint32_t region = f->spots[i].region;
		struct ml_bounce_region *s = &m->regions[m->count];

		if (cost_of(&f->spots[i]) <= 0 || find_shared(m, region))
			continue;
		struct ml_spot sum = ml_find_sum(f, region);

		*s = (struct ml_bounce_region){ .region = region };
		s->cost = cost_of(&sum);
		if (s->cost < f->min_cycles || shares_data(&sum) != is_true)
			continue;
		find_worst_line(f, s);
		if (s->bounces)
			m->count++;
	}
	if (m->count)
		ml_find_watch(f);
}

static struct ml_bounce_side *side_of(struct ml_bounce_region *s, uint16_t thread)
{
	for (unsigned i = 0; i < s->side_count; i++)
		if (s->sides[i].thread == thread)
			return &s->sides[i];
	if (s->side_count == ML_BOUNCE_SIDES)
		return NULL;
	s->sides[s->side_count] = (struct ml_bounce_side){ .thread = thread,
							   .low = UINT64_MAX };
	return &s->sides[s->side_count++];
}

void ml_bounces_see(struct ml_find *f, struct ml_bounces *m, const struct ml_seen *seen)
{
	const struct ml_batch *b = seen->refs;

	for (size_t i = 0; i < b->count; i++) {
		struct ml_bounce_region *s = NULL;

		for (size_t k = 0; k < m->count && !s; k++)
			if (b->addr[i] - m->regions[k].line < f->line)
				s = &m->regions[k];
		if (!s || seen->region[i] != s->region)
			continue;
		struct ml_bounce_side *side = side_of(s, b->thread[i]);
		uint64_t place =
			f->user_lines.of_site[b->caller[i] ? b->caller[i] : b->site[i]];
		bool write = ml_what_kind(b->what[i]) == ML_WRITE;

		if (!side || !place)
			continue;
		side->refs++;
		/* what it writes counts: a thread that at last adds up all parts reads
		 * those of the others too */
		if (side->wrote && !write)
			continue;
		if (write && !side->wrote) {
			side->wrote = true;
			side->low = UINT64_MAX;
			side->high = 0;
		}
		side->block = seen->block[i];
		side->low = seen->offset[i] < side->low ? seen->offset[i] : side->low;
		side->high = seen->offset[i] > side->high ? seen->offset[i] : side->high;
		side->line = (uint32_t)(place - 1);
	}
}

/* "thread 2 uses hits[0] (threads.c:25)". */
static const char *tell_side(struct ml_find *f, struct ml_region_lookup *lookup,
			     const struct ml_bounce_region *s,
			     const struct ml_bounce_side *x)
{
	struct ml_place low = { s->region, x->block, x->low };
	struct ml_place high = { s->region, x->block, x->high };
	const char *first = ml_region_lookup_describe(lookup, &low, f->arena);

	if (x->low == x->high)
		return ml_arena_printf(f->arena, "thread %u %s %s (%s)", x->thread,
				       x->wrote ? "writes" : "reads", first,
				       ml_find_place(f, x->line));
	return ml_arena_printf(f->arena, "thread %u %s %s to %s (%s)", x->thread,
			       x->wrote ? "writes" : "reads", first,
			       ml_region_lookup_describe(lookup, &high, f->arena),
			       ml_find_place(f, x->line));
}

static void sort_sides(struct ml_bounce_region *s)
{
	for (unsigned i = 1; i < s->side_count; i++)
		for (unsigned k = i; k && s->sides[k].thread < s->sides[k - 1].thread;
		     k--) {
			struct ml_bounce_side x = s->sides[k];

			s->sides[k] = s->sides[k - 1];
			s->sides[k - 1] = x;
		}
}

static const char *sides_text(struct ml_find *f, struct ml_bounce_region *s)
{
	struct ml_err err;
	struct ml_region_lookup *lookup = s->region < f->tables->regions.count
						  ? ml_region_lookup_open(f->trace, &err)
						  : NULL;
	const char *text = "";

	sort_sides(s);
	for (unsigned i = 0; lookup && i < s->side_count; i++)
		text = ml_arena_printf(f->arena, "%s%s%s", text, i ? ", " : "",
				       tell_side(f, lookup, s, &s->sides[i]));
	if (lookup)
		ml_region_lookup_close(lookup);
	return text;
}

struct ml_candidate *ml_bounces_add(struct ml_find *f, const struct ml_bounce_region *r,
				    double saved, uint64_t *misses)
{
	const struct ml_spot *worst = NULL;
	struct ml_candidate *c;

	*misses = 0;
	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *x = &f->spots[i];

		if (x->region != r->region)
			continue;
		*misses += x->cause[0][ML_CAUSE_SHARING] +
			   x->cause[0][ML_CAUSE_FALSE_SHARING];
		if (!worst || cost_of(x) > cost_of(worst))
			worst = x;
	}
	c = ml_find_add(f, r->region, worst, saved, false);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == r->region && cost_of(&f->spots[i]) > 0)
			ml_find_claim(f, c, &f->spots[i], cost_of(&f->spots[i]));
	return c;
}

void ml_bounces_tell(struct ml_find *f, struct ml_candidate *c,
		     struct ml_bounce_region *r, uint64_t misses)
{
	const char *sides = sides_text(f, r);

	if (*sides)
		ml_find_say(f, c, "On the line at 0x%llx: %s.",
			    (unsigned long long)r->line, sides);
	ml_find_fact(c, "misses", (double)misses);
	ml_find_fact(c, "lines", (double)r->lines);
	ml_find_fact(c, "bounces", (double)r->bounces);
	ml_find_fact(c, "address", (double)r->line);
	ml_find_fact_text(c, "sides", sides);
}
