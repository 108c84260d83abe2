#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/query/trace/routes/route_disagreements.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/sim_diff.h"
#include "lib/query/trace/open/player.h"
#include "lib/trace/regions/region_lookup.h"

/*
 * What two machines hold at a moment, byte by byte. A byte resides in the nearest level
 * that holds its line, or in memory. Where both simulate one trace a byte is an address;
 * where they simulate two, it is a place in a region that both traces have by name.
 */

enum { PAIRS = 4096, PAIRS_MAX = 65536, TAIL_MAX = 65536, KINDS = 3 };

#define UNKNOWN UINT64_MAX
#define NO_SLOT UINT32_MAX

/* Bytes [low, high) of a space, in a slot of a level. Lists are sorted, without overlap.
 */
struct piece {
	uint64_t low, high;
	uint32_t space; /* region of a, or 0 for addresses */
	uint8_t level;  /* from 0 */
	uint32_t set;   /* of all instances */
	uint32_t way;
	uint32_t owner; /* region in its own trace */
	uint64_t line;  /* address, whose first byte of the region is low */
};

struct pieces {
	struct piece *at;
	size_t count, cap;
};

static void put(struct pieces *p, const struct piece *x)
{
	p->at = ml_grow(p->at, &p->cap, p->count + 1, sizeof(*p->at));
	p->at[p->count++] = *x;
}

static int by_place(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->set < b->set ? -1 : a->set > b->set;
}

static bool before(const struct piece *a, const struct piece *b)
{
	return a->space != b->space ? a->space < b->space : a->high <= b->low;
}

/*
 * Regions that both traces have by name, the first of a name with the first, as a's
 * trace numbers them: by number in a, and by number in b. UINT32_MAX: there is none.
 */
static void same_regions(const struct ml_open_trace *a, const struct ml_open_trace *b,
			 struct ml_arena *arena, uint32_t **in_a, uint32_t **in_b)
{
	const struct ml_tables *x = &a->trace.tables, *y = &b->trace.tables;
	size_t count = x->regions.count, others = y->regions.count;
	uint32_t *own = ml_arena_alloc(arena, (count + 1) * sizeof(*own));
	uint32_t *out = ml_arena_alloc(arena, (others + 1) * sizeof(*out));
	/* of each name the next region, of each region the next of its name; + 1 */
	uint32_t *first = ml_arena_alloc(arena, (count + 1) * sizeof(*first));
	uint32_t *next = ml_arena_alloc(arena, (count + 1) * sizeof(*next));
	struct ml_names names = { 0 };

	memset(own, 255, (count + 1) * sizeof(*own));
	for (size_t k = count; k-- > 0;)
		if (a->extent[k]) {
			const char *text = ml_tables_text(x, x->regions.at[k].name);
			uint32_t name = ml_names_add(&names, text);

			next[k] = first[name];
			first[name] = (uint32_t)k + 1;
		}
	for (size_t i = 0; i < others; i++) {
		const char *text = ml_tables_text(y, y->regions.at[i].name);
		uint32_t name = b->extent[i] && *text ? ml_names_find(&names, text)
						      : UINT32_MAX;

		out[i] = name == UINT32_MAX ? name : first[name] - 1;
		if (out[i] != UINT32_MAX) {
			first[name] = next[out[i]];
			own[out[i]] = out[i];
		}
	}
	ml_names_release(&names);
	*in_a = own;
	*in_b = out;
}

/* One simulation's side of the question. */
struct side {
	struct ml_open_sim *s;
	uint64_t at;
	bool addresses; /* both have one trace */
	uint32_t *same; /* if not: see same_regions */
	struct pieces pieces;
	uint64_t elsewhere; /* bytes in caches that belong to no region of both traces */
	uint32_t group[ML_LEVELS]; /* sets, 0: not asked for */
	size_t first[ML_LEVELS];
	size_t groups;
	double *kinds; /* [groups][KINDS]: bytes that agree, are nearer in a, in b */
};

/* Where a line lies in its region: false where that is not known. */
static bool place(const struct side *x, struct ml_region_lookup *space, struct piece *p)
{
	const struct ml_open_trace *t = x->s->trace;
	uint64_t extent = ml_open_trace_extent(t, p->owner), size = p->high - p->low;
	struct ml_ref ref = { .time = x->at };

	for (uint64_t in = 0; extent && in < size; in += size - 1) {
		ref.addr = p->line + in;
		struct ml_place found = ml_region_lookup_find(space, &ref);
		uint64_t offset = ml_open_trace_offset(t, found.block, found.offset);

		if (found.region != p->owner)
			continue;
		/* the region may begin or end within the line */
		p->low = offset < in ? 0 : offset - in;
		p->high = in                       ? offset + 1
			  : offset + size < extent ? offset + size
						   : extent;
		return p->high > p->low;
	}
	return false;
}

/* Adds the lines of one level; those that two instances hold count once. */
static void add_level(struct side *x, const struct ml_engine *engine, unsigned level,
		      struct ml_cached_way *slots, struct ml_region_lookup *space,
		      struct pieces *out)
{
	const struct ml_machine *m = &x->s->machine;
	const struct ml_level_spec *l = &m->level[level];

	out->count = 0;
	for (uint32_t core = 0; core < m->cores; core += l->share)
		for (uint32_t set = 0; set < l->sets; set++) {
			ml_engine_set(engine, level + 1, core, set, slots);
			for (uint32_t way = 0; way < l->ways; way++) {
				const struct ml_cached_way *from = &slots[way];
				struct piece p = { .low = from->line,
						   .high = from->line + l->line,
						   .level = (uint8_t)level,
						   .set = core / l->share * l->sets + set,
						   .way = way,
						   .owner = from->owner,
						   .line = from->line };

				if (from->line == ML_NO_LINE)
					continue;
				if (!x->addresses) {
					uint32_t regions = (uint32_t)x->s->trace->trace
								   .tables.regions.count;

					p.space = p.owner < regions ? x->same[p.owner]
								    : UINT32_MAX;
					if (p.space == UINT32_MAX ||
					    !place(x, space, &p)) {
						x->elsewhere += l->line;
						continue;
					}
				}
				put(out, &p);
			}
		}
	if (out->count)
		qsort(out->at, out->count, sizeof(*out->at), by_place);
	size_t kept = 0;
	for (size_t i = 0; i < out->count; i++) {
		struct piece p = out->at[i];

		if (kept && out->at[kept - 1].space == p.space &&
		    p.low < out->at[kept - 1].high)
			p.low = out->at[kept - 1].high;
		if (p.low < p.high)
			out->at[kept++] = p;
	}
	out->count = kept;
}

/* near and what of far it does not cover, in order. */
static void merge(struct pieces *out, const struct pieces *near, const struct pieces *far)
{
	size_t n = 0;

	out->count = 0;
	for (size_t f = 0; f < far->count; f++) {
		struct piece rest = far->at[f];

		while (n < near->count && before(&near->at[n], &rest))
			put(out, &near->at[n++]);
		/* those that begin within it, and maybe end behind it */
		while (n < near->count && !before(&rest, &near->at[n])) {
			struct piece part = rest;

			part.high = near->at[n].low;
			if (part.low < part.high)
				put(out, &part);
			if (near->at[n].high > rest.high) {
				rest.low = rest.high;
				break;
			}
			rest.low = near->at[n].high;
			put(out, &near->at[n++]);
		}
		if (rest.low < rest.high)
			put(out, &rest);
	}
	while (n < near->count)
		put(out, &near->at[n++]);
}

/* All that a simulation holds, each byte where it resides. */
static bool look(struct side *x, const struct ml_work *work, struct ml_arena *arena,
		 struct ml_err *err)
{
	const struct ml_machine *m = &x->s->machine;
	struct pieces level = { 0 }, all = { 0 };
	struct ml_region_lookup *space = NULL;
	uint32_t max = 1;

	for (uint32_t i = 0; i < m->levels; i++)
		max = m->level[i].ways > max ? m->level[i].ways : max;
	struct ml_cached_way *slots = ml_arena_alloc(arena, max * sizeof(*slots));
	if (!x->addresses) {
		space = ml_open_trace_lookup_take(x->s->trace, x->at, err);
		if (!space)
			return false;
	}
	struct ml_engine *engine = ml_player_take(x->s, work, x->at, err);
	for (uint32_t i = 0; engine && i < m->levels; i++) {
		struct pieces old = x->pieces;

		add_level(x, engine, i, slots, space, &level);
		merge(&all, &old, &level);
		x->pieces = all;
		all = old;
	}
	if (engine)
		ml_player_give(x->s);
	if (space)
		ml_open_trace_lookup_give(x->s->trace, space, x->at);
	ml_free(level.at);
	ml_free(all.at);
	return engine != NULL;
}

/* What differs: the same bytes in slots of different levels; NULL is memory. */
struct found {
	struct pair {
		uint64_t low, high;
		struct piece a, b; /* way NO_SLOT: in memory */
	} * at;
	size_t count, cap;
	unsigned levels;                                   /* of the machine with more */
	uint64_t bytes[(ML_LEVELS + 1) * (ML_LEVELS + 1)]; /* by level of a and of b */
};

static void add_kind(struct side *x, const struct piece *p, unsigned kind, uint64_t bytes)
{
	const struct ml_level_spec *l = &x->s->machine.level[p->level];
	uint32_t group = x->group[p->level];

	if (!group)
		return;
	size_t each = (l->sets + group - 1) / group;
	size_t at = x->first[p->level] + p->set / l->sets * each +
		    p->set % l->sets / group;
	x->kinds[at * KINDS + kind] += (double)bytes;
}

static void compare(struct found *f, struct side *x, struct side *y)
{
	static const struct piece memory = { .level = ML_LEVELS, .way = NO_SLOT };
	const struct pieces *p = &x->pieces, *q = &y->pieces;
	size_t i = 0, k = 0;
	uint64_t done =
		0; /* of the space of both, behind which nothing is compared yet */
	uint32_t space = 0;

	while (i < p->count || k < q->count) {
		const struct piece *a = i < p->count ? &p->at[i] : NULL;
		const struct piece *b = k < q->count ? &q->at[k] : NULL;
		uint32_t in = !b || (a && a->space < b->space) ? a->space : b->space;

		if (in != space) {
			space = in;
			done = 0;
		}
		a = a && a->space == in ? a : NULL;
		b = b && b->space == in ? b : NULL;
		uint64_t from_a = a ? (a->low > done ? a->low : done) : UINT64_MAX;
		uint64_t from_b = b ? (b->low > done ? b->low : done) : UINT64_MAX;
		uint64_t low = from_a < from_b ? from_a : from_b;
		bool in_a = a && a->low <= low, in_b = b && b->low <= low;
		uint64_t high = UINT64_MAX;

		if (a)
			high = in_a ? a->high : a->low;
		if (b && (in_b ? b->high : b->low) < high)
			high = in_b ? b->high : b->low;
		const struct piece *u = in_a ? a : &memory, *v = in_b ? b : &memory;
		unsigned level_a = u->level < f->levels ? u->level : f->levels;
		unsigned level_b = v->level < f->levels ? v->level : f->levels;
		unsigned kind = level_a == level_b ? 0 : level_a < level_b ? 1 : 2;

		f->bytes[level_a * (f->levels + 1) + level_b] += high - low;
		if (in_a)
			add_kind(x, a, kind, high - low);
		if (in_b)
			add_kind(y, b, kind, high - low);
		if (kind) {
			f->at = ml_grow(f->at, &f->cap, f->count + 1, sizeof(*f->at));
			f->at[f->count++] = (struct pair){ low, high, *u, *v };
		}
		done = high;
		i += a && a->high <= done;
		k += b && b->high <= done;
	}
}

/* Groups of sets by level, "0,0,8": zero ones are not told. */
static bool read_groups(struct side *x, const struct ml_request *q, const char *key,
			struct ml_arena *arena, struct ml_err *err)
{
	const char *text = ml_request_text(q, key);
	const struct ml_machine *m = &x->s->machine;

	for (uint32_t i = 0; text && *text && i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];
		char *end;
		unsigned long long sets = strtoull(text, &end, 10);

		if (end == text || (*end && *end != ',') || sets > l->sets)
			return ml_fail(err, ML_USAGE, "%s=%s: not sets by level", key,
				       text);
		x->group[i] = (uint32_t)sets;
		x->first[i] = x->groups;
		if (sets)
			x->groups += m->cores / l->share * ((l->sets + sets - 1) / sets);
		text = *end ? end + 1 : end;
	}
	x->kinds = ml_arena_alloc(arena, (x->groups + 1) * KINDS * sizeof(*x->kinds));
	return true;
}

/* The region, as a's trace numbers it, and the offset of each byte that both traces
 * have; the trace of the simulation that holds the byte tells it. */
static bool find_homes(const struct side *x, const struct side *y, const struct pair *p,
		       size_t count, uint32_t *region, uint64_t *offset,
		       struct ml_err *err)
{
	struct ml_region_lookup *space = NULL;

	if (x->addresses) {
		space = ml_open_trace_lookup_take(x->s->trace, x->at, err);
		if (!space)
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		bool in_a = p[i].a.way != NO_SLOT;
		const struct piece *held = in_a ? &p[i].a : &p[i].b;

		region[i] = x->addresses ? held->owner : held->space;
		offset[i] = x->addresses ? UNKNOWN : p[i].low;
		if (!x->addresses)
			continue;
		struct piece part = { .low = p[i].low,
				      .high = p[i].high,
				      .owner = held->owner,
				      .line = p[i].low };
		if (place(in_a ? x : y, space, &part))
			offset[i] = part.low;
	}
	if (space)
		ml_open_trace_lookup_give(x->s->trace, space, x->at);
	return true;
}

static bool put_pairs(const struct found *f, const struct side *x, const struct side *y,
		      uint64_t max, struct ml_answer *a, struct ml_err *err)
{
	size_t step = max && f->count > max ? (size_t)((f->count + max - 1) / max) : 1;
	size_t n = max ? (f->count + step - 1) / step : 0;
	struct pair *kept = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*kept));
	uint32_t *bytes = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*bytes));
	uint32_t *region = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*region));
	uint64_t *offset = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*offset));
	uint8_t *level[2];
	uint32_t *set[2], *way[2];

	for (unsigned k = 0; k < 2; k++) {
		level[k] = ml_arena_alloc(&a->arena, n + 1);
		set[k] = ml_arena_alloc(&a->arena, (n + 1) * sizeof(**set));
		way[k] = ml_arena_alloc(&a->arena, (n + 1) * sizeof(**way));
	}
	for (size_t i = 0; i < n; i++) {
		kept[i] = f->at[i * step];
		bytes[i] = (uint32_t)(kept[i].high - kept[i].low);
		for (unsigned k = 0; k < 2; k++) {
			const struct piece *p = k ? &kept[i].b : &kept[i].a;

			level[k][i] = (uint8_t)(1 + (p->level < f->levels ? p->level
									  : f->levels));
			set[k][i] = p->set;
			way[k][i] = p->way;
		}
	}
	if (!find_homes(x, y, kept, n, region, offset, err))
		return false;
	ml_answer_u64(a, "pairs", f->count);
	ml_answer_column(a, "bytes", ML_TYPE_U32, bytes, n);
	ml_answer_column(a, "region", ML_TYPE_U32, region, n);
	ml_answer_column(a, "offset", ML_TYPE_U64, offset, n);
	ml_answer_column(a, "level_a", ML_TYPE_U8, level[0], n);
	ml_answer_column(a, "level_b", ML_TYPE_U8, level[1], n);
	ml_answer_column(a, "set_a", ML_TYPE_U32, set[0], n);
	ml_answer_column(a, "set_b", ML_TYPE_U32, set[1], n);
	ml_answer_column(a, "way_a", ML_TYPE_U32, way[0], n);
	ml_answer_column(a, "way_b", ML_TYPE_U32, way[1], n);
	return true;
}

/* The level that served each of the last references; memory comes behind the last
 * level of both machines. */
static bool put_tail(struct side *x, struct side *y, unsigned levels, uint64_t tail,
		     struct ml_answer *a, struct ml_err *err)
{
	size_t n = (size_t)(tail < x->at ? tail : x->at);
	uint16_t *outcome = ml_arena_alloc(&a->arena, (n + 1) * sizeof(*outcome));

	for (unsigned k = 0; k < 2; k++) {
		struct ml_open_sim *s = k ? y->s : x->s;
		uint8_t *served = ml_arena_alloc(&a->arena, n + 1);

		if (!ml_open_sim_outcomes(s, x->at - n, x->at, outcome, err))
			return false;
		for (size_t i = 0; i < n; i++) {
			unsigned l = ml_sim_diff_level(outcome[i], s->machine.levels);

			served[i] = (uint8_t)(l == ML_SIM_DIFF_MEMORY ? levels + 1 : l);
		}
		ml_answer_column(a, k ? "served_b" : "served_a", ML_TYPE_U8, served, n);
	}
	return true;
}

static bool answer(struct side *x, struct side *y, uint64_t max, uint64_t tail,
		   struct ml_answer *a, struct ml_err *err)
{
	uint32_t one = x->s->machine.levels, other = y->s->machine.levels;
	struct found f = { .levels = one > other ? one : other };
	bool paired = ml_sim_diff_paired(x->s, y->s);

	compare(&f, x, y);
	size_t cells = (f.levels + 1) * (f.levels + 1);
	uint64_t *bytes = ml_arena_alloc(&a->arena, cells * sizeof(*bytes));
	memcpy(bytes, f.bytes, cells * sizeof(*bytes));
	ml_answer_columns(a);
	ml_answer_u64(a, "at", x->at);
	ml_answer_u64(a, "other", y->at);
	ml_json_key(&a->json, "paired");
	ml_json_bool(&a->json, paired);
	ml_answer_u64(a, "levels", f.levels);
	ml_answer_u64(a, "elsewhere_a", x->elsewhere);
	ml_answer_u64(a, "elsewhere_b", y->elsewhere);
	bool ok = put_pairs(&f, x, y, max, a, err) &&
		  (!paired || put_tail(x, y, f.levels, tail, a, err));
	ml_answer_column(a, "resident", ML_TYPE_U64, bytes, cells);
	ml_answer_column(a, "groups_a", ML_TYPE_F64, x->kinds, x->groups * KINDS);
	ml_answer_column(a, "groups_b", ML_TYPE_F64, y->kinds, y->groups * KINDS);
	ml_free(f.at);
	return ok;
}

bool ml_route_disagreements_moment(struct ml_workspace *ws, const struct ml_request *q,
				   struct ml_answer *a, struct ml_err *err)
{
	struct side x = { 0 }, y = { 0 };
	uint64_t max, tail;

	if (!ml_route_pair(ws, q, &x.s, &y.s, err) ||
	    !ml_request_u64(q, "at", 0, &x.at, err) ||
	    !ml_request_u64(q, "other", x.at, &y.at, err) ||
	    !ml_request_u64(q, "most", PAIRS, &max, err) ||
	    !ml_request_u64(q, "tail", 0, &tail, err) ||
	    !read_groups(&x, q, "group_a", &a->arena, err) ||
	    !read_groups(&y, q, "group_b", &a->arena, err))
		return false;
	if (max > PAIRS_MAX || tail > TAIL_MAX)
		return ml_fail(err, ML_USAGE, "most and tail are at most %d", PAIRS_MAX);
	x.at = x.at < x.s->simulation.result.refs ? x.at : x.s->simulation.result.refs;
	y.at = y.at < y.s->simulation.result.refs ? y.at : y.s->simulation.result.refs;
	x.addresses = y.addresses = x.s->trace == y.s->trace;
	if (!x.addresses)
		same_regions(x.s->trace, y.s->trace, &a->arena, &x.same, &y.same);
	bool ok = look(&x, &q->work, &a->arena, err) &&
		  look(&y, &q->work, &a->arena, err) && answer(&x, &y, max, tail, a, err);
	ml_free(x.pieces.at);
	ml_free(y.pieces.at);
	return ok;
}
