/*
 * False sharing: threads that write different data in one line take the line from each
 * other all the time. A pass over the trace shows which thread uses which data.
 */
#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/region_lookup.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = 3 /* regions */, SIDES = 3 /* threads that a sentence names */ };

/* What one thread does to a shared line. */
struct side {
	uint16_t thread;
	/* low, high: offsets of the first and last byte within the region */
	uint64_t refs, low, high;
	uint64_t block;
	uint32_t line; /* in user_lines: of its last write, else of its last reference */
	bool wrote;
};

struct shared {
	uint32_t region;
	uint64_t line;    /* address of the line that bounces most */
	uint64_t lines;   /* number of lines of the region that bounce */
	uint64_t bounces; /* bounces by false sharing */
	double cost;
	struct side sides[SIDES];
	unsigned side_count;
};

struct mine {
	struct shared shared[MAX_REGIONS];
	size_t count;
};

static struct shared *find_shared(struct mine *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->shared[i].region == region)
			return &m->shared[i];
	return NULL;
}

/* Sums the bounces of a line, which has an entry for each pair of cores. */
static void find_worst_line(const struct ml_find *f, struct shared *s)
{
	struct ml_map lines = { 0 };
	uint64_t max = 0;

	for (size_t i = 0; i < f->p->bounce_count; i++) {
		const struct ml_profile_bounce *b = &f->p->bounces[i];

		if (ml_find_same(f, b->region) != s->region || !b->false_sharing)
			continue;
		uint64_t *n = ml_map_add(&lines, b->line, NULL);

		*n += b->false_sharing;
		s->bounces += b->false_sharing;
		if (*n > max) {
			max = *n;
			s->line = b->line;
		}
	}
	s->lines = lines.count;
	ml_map_release(&lines);
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		uint32_t region = f->spots[i].region;
		struct shared *s = &m->shared[m->count];

		if (f->spots[i].by_cause[ML_CAUSE_FALSE_SHARING] <= 0 ||
		    find_shared(m, region))
			continue;
		*s = (struct shared){ .region = region };
		s->cost = ml_find_sum(f, region).by_cause[ML_CAUSE_FALSE_SHARING];
		if (s->cost < f->min_cycles)
			continue;
		find_worst_line(f, s);
		if (s->bounces)
			m->count++;
	}
	if (m->count)
		ml_find_watch(f);
}

static struct side *side_of(struct shared *s, uint16_t thread)
{
	for (unsigned i = 0; i < s->side_count; i++)
		if (s->sides[i].thread == thread)
			return &s->sides[i];
	if (s->side_count == SIDES)
		return NULL;
	s->sides[s->side_count] = (struct side){ .thread = thread, .low = UINT64_MAX };
	return &s->sides[s->side_count++];
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *seen)
{
	struct mine *m = arg;
	const struct ml_batch *b = seen->refs;

	for (size_t i = 0; i < b->count; i++) {
		struct shared *s = NULL;

		for (size_t k = 0; k < m->count && !s; k++)
			if (b->addr[i] - m->shared[k].line < f->line)
				s = &m->shared[k];
		if (!s || seen->region[i] != s->region)
			continue;
		struct side *side = side_of(s, b->thread[i]);
		uint64_t place =
			f->user_lines.of_site[b->caller[i] ? b->caller[i] : b->site[i]];
		bool write = ml_what_kind(b->what[i]) == ML_WRITE;

		if (!side || !place)
			continue;
		side->refs++;
		side->block = seen->block[i];
		side->low = seen->offset[i] < side->low ? seen->offset[i] : side->low;
		side->high = seen->offset[i] > side->high ? seen->offset[i] : side->high;
		if (write || !side->wrote)
			side->line = (uint32_t)(place - 1);
		side->wrote |= write;
	}
}

/* "thread 2 uses hits[0] (threads.c:25)". */
static const char *tell_side(struct ml_find *f, struct ml_region_lookup *lookup,
			     const struct shared *s, const struct side *x)
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

static void sort_sides(struct shared *s)
{
	for (unsigned i = 1; i < s->side_count; i++)
		for (unsigned k = i; k && s->sides[k].thread < s->sides[k - 1].thread;
		     k--) {
			struct side x = s->sides[k];

			s->sides[k] = s->sides[k - 1];
			s->sides[k - 1] = x;
		}
}

static const char *tell_sides(struct ml_find *f, struct shared *s)
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

static void tell(struct ml_find *f, struct shared *s)
{
	const char *name = ml_find_region(f, s->region);
	const struct ml_spot *worst = NULL;
	uint64_t misses = 0;

	for (size_t i = 0; i < f->spot_count; i++) {
		const struct ml_spot *x = &f->spots[i];

		if (x->region != s->region)
			continue;
		misses += x->cause[0][ML_CAUSE_FALSE_SHARING];
		if (!worst || x->by_cause[ML_CAUSE_FALSE_SHARING] >
				      worst->by_cause[ML_CAUSE_FALSE_SHARING])
			worst = x;
	}
	struct ml_candidate *c = ml_find_add(f, s->region, worst, s->cost, false);
	const char *sides = tell_sides(f, s);

	c->finding.title = ml_arena_printf(f->arena,
					   "threads share %s of %s without sharing data",
					   s->lines == 1 ? "a line" : "lines", name);
	ml_find_say(
		f, c,
		"%s misses of %s happen only because another core wrote other bytes of the "
		"line; %s line%s of %s %s from core to core.",
		ml_find_count(f, misses), f->p->machine.level[0].name,
		ml_find_count(f, s->lines), s->lines == 1 ? "" : "s", name,
		s->lines == 1 ? "goes" : "go");
	if (*sides)
		ml_find_say(f, c, "On the line at 0x%llx: %s.",
			    (unsigned long long)s->line, sides);
	c->finding.advice = ml_arena_printf(
		f->arena,
		"give each thread's part of %s a line of its own (pad or align it to %llu "
		"bytes), or count in a local variable and store once",
		name, (unsigned long long)f->line);
	ml_find_fact(c, "misses", (double)misses);
	ml_find_fact(c, "lines", (double)s->lines);
	ml_find_fact(c, "bounces", (double)s->bounces);
	ml_find_fact(c, "address", (double)s->line);
	ml_find_fact_text(c, "sides", sides);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == s->region &&
		    f->spots[i].by_cause[ML_CAUSE_FALSE_SHARING] > 0)
			ml_find_claim(f, c, &f->spots[i],
				      f->spots[i].by_cause[ML_CAUSE_FALSE_SHARING]);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++)
		tell(f, &m->shared[i]);
}

const struct ml_finder ml_find_sharing = {
	.kind = "false sharing",
	.weight = 1.5, /* the cause is certain, and no other change helps */
	.look = look,
	.see = see,
	.conclude = conclude,
};
