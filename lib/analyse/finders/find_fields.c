/*
 * Structures whose costliest functions use only some of the fields: the other fields are
 * fetched for nothing. A pass over the trace counts the fields that each line uses. Then
 * a simulation splits the array into one of the used fields and one of the others.
 */
#include <string.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_rows.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/tables.h"

enum {
	MAX_REGIONS = 3, /* regions */
	NAMED = 6,       /* fields that a sentence names */
	MIN_ELEM = 16,
	MIN_ELEMENTS = 8,
	MAX_ELEM = 64 * 1024,
	POINTER = 8,
};

/*
 * The used fields are those of the functions, or of the lines, that make up this share of
 * the cost: a few functions may use few fields, and pay for all. One function may fill
 * all fields and then use few.
 */
static const struct {
	double share;
	bool lines;
} covered[] = {
	{ 0.3, false }, { 0.6, false }, { 0.9, false }, { 0.5, true }, { 0.9, true }
};
enum { CUTS = sizeof(covered) / sizeof(*covered) };

/* One way to split. */
struct cut {
	bool *hot; /* by field */
	uint32_t fields;
	uint64_t used, first, second; /* bytes: of the hot fields, of the two parts */
	size_t trial;
	bool tried;
};

struct record {
	struct ml_spot sum;
	const struct ml_region *region;
	uint64_t **used; /* by spot: references by field; the last entry counts those of
			    no field */
	uint32_t *at;    /* by byte of an element: its field */
	struct cut cuts[CUTS];
};

struct mine {
	struct record records[MAX_REGIONS];
	size_t count;
	uint8_t *number; /* by region of the tables: number of its record + 1 */
};

static const struct ml_field *field_of(const struct ml_find *f, const struct record *r,
				       uint32_t i)
{
	return &f->tables->fields.at[r->region->field + i];
}

/*
 * Finds the field of each byte of an element; bytes of no field get the number of fields.
 */
static void find_bytes(struct ml_find *f, struct record *r)
{
	uint64_t elem = r->region->elem;

	r->at = ml_arena_alloc(f->arena, elem * sizeof(*r->at));
	for (uint64_t i = 0; i < elem; i++)
		r->at[i] = r->region->fields;
	for (uint32_t k = r->region->fields; k-- > 0;) {
		const struct ml_field *x = field_of(f, r, k);

		for (uint64_t i = x->offset; i < elem && i - x->offset < x->size; i++)
			r->at[i] = k;
	}
}

/* Whether there are enough elements that an array of one field is worth it. */
static bool has_elements(const struct ml_find *f, uint32_t region)
{
	size_t blocks;
	uint64_t size = ml_find_block_size(f, region, &blocks);

	return size / f->tables->regions.at[region].elem * blocks >= MIN_ELEMENTS;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = *mine = ml_arena_alloc(f->arena, sizeof(*m));

	m->number = ml_arena_alloc(f->arena, f->tables->regions.count);
	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		uint32_t region = f->spots[i].region;
		struct record *r = &m->records[m->count];

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		if (!ml_find_movable(f, region) || m->number[region])
			continue;
		r->region = &f->tables->regions.at[region];
		if (r->region->fields < 2 || r->region->elem < MIN_ELEM ||
		    r->region->elem > MAX_ELEM)
			continue;
		r->sum = ml_find_sum(f, region);
		if (r->sum.excess < f->min_cycles || !has_elements(f, region))
			continue;
		r->used = ml_arena_alloc(f->arena, f->spot_count * sizeof(*r->used));
		find_bytes(f, r);
		m->number[region] = (uint8_t)++m->count;
	}
	if (m->count)
		ml_find_watch(f);
}

/* A reference may overlap several fields: vectors, copies of structures. */
static void count_fields(const struct record *r, uint64_t *used, uint64_t byte,
			 unsigned size)
{
	uint32_t last = UINT32_MAX;

	for (uint64_t i = byte; i < byte + size && i < r->region->elem; i++) {
		if (r->at[i] != last)
			used[r->at[i]]++;
		last = r->at[i];
	}
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	for (size_t i = 0; i < s->refs->count; i++) {
		uint32_t region = s->region[i];

		if (region >= f->tables->regions.count || !m->number[region])
			continue;
		const struct record *r = &m->records[m->number[region] - 1];
		const struct ml_spot *spot = s->spot[i];
		if (!spot)
			continue;
		uint64_t **used = &r->used[spot - f->spots];
		if (!*used)
			*used = ml_arena_alloc(f->arena,
					       (r->region->fields + 1) * sizeof(**used));
		count_fields(r, *used, s->offset[i] % r->region->elem,
			     ml_what_size(s->refs->what[i]));
	}
}

static uint64_t used_by(const struct record *r, size_t spot, uint32_t field)
{
	return r->used[spot] ? r->used[spot][field] : 0;
}

/*
 * Adds the fields that one function uses, or one line; returns the cost of its references
 * to the region. A field with less than a hundredth of the references does not count as
 * used.
 */
static double add_user(struct ml_find *f, const struct record *r, size_t first, bool line,
		       bool *taken, bool *hot)
{
	uint64_t *used = ml_arena_alloc(f->arena,
					(r->region->fields + 1) * sizeof(*used));
	uint64_t all = 0;
	double cost = 0;

	for (size_t i = first; i < f->spot_count; i++) {
		if (f->spots[i].region != r->sum.region ||
		    (line ? i != first
			  : !ml_find_together(f, &f->spots[i], &f->spots[first])))
			continue;
		taken[i] = true;
		cost += f->spots[i].excess;
		for (uint32_t k = 0; k <= r->region->fields; k++) {
			used[k] += used_by(r, i, k);
			all += used_by(r, i, k);
		}
	}
	for (uint32_t k = 0; k < r->region->fields; k++)
		hot[k] |= used[k] * 100 > all;
	return cost;
}

/* Finds the fields of the costliest users, up to a share of the region's cost. */
static void find_hot(struct ml_find *f, const struct record *r, double share, bool lines,
		     struct cut *c)
{
	bool *taken = ml_arena_alloc(f->arena, f->spot_count);
	double sum = 0;

	c->hot = ml_arena_alloc(f->arena, r->region->fields);
	for (size_t i = 0; i < f->spot_count && sum < share * r->sum.excess; i++)
		if (f->spots[i].region == r->sum.region && !taken[i])
			sum += add_user(f, r, i, lines, taken, c->hot);
	for (uint32_t k = 0; k < r->region->fields; k++)
		if (c->hot[k]) {
			c->used += field_of(f, r, k)->size;
			c->fields++;
		}
}

static uint64_t align(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Packs the bytes of one part; returns its size. */
static uint64_t lay_out(const struct ml_find *f, const struct record *r, const bool *hot,
			bool part, uint64_t from, uint32_t *to)
{
	uint64_t at = from;
	uint32_t last = UINT32_MAX;

	for (uint64_t byte = 0; byte < r->region->elem; byte++) {
		uint32_t field = r->at[byte];

		if ((field < r->region->fields && hot[field]) != part)
			continue;
		if (field != last && field < r->region->fields) {
			uint64_t size = field_of(f, r, field)->size;

			at = from + align(at - from, size >= 8 ? 8 : size >= 4 ? 4 : 1);
		}
		last = field;
		to[byte] = (uint32_t)at++;
	}
	return at - from;
}

static void try_cut(struct ml_find *f, const struct record *r, struct cut *c)
{
	struct ml_change change = { .kind = ML_CHANGE_SPLIT,
				    .region = r->sum.region,
				    .pitch = r->region->elem };
	uint32_t *to = ml_arena_alloc(f->arena, r->region->elem * sizeof(*to));

	c->first = lay_out(f, r, c->hot, true, 0, to);
	c->first = align(c->first, c->first >= 8 ? 8 : 4);
	c->second = lay_out(f, r, c->hot, false, c->first, to);
	if (!c->second || !c->fields || c->fields == r->region->fields ||
	    4 * c->first > 3 * r->region->elem)
		return;
	change.unit = c->first;
	change.pad = c->second;
	change.to = to;
	if (ml_rows_are_nodes(f, r->sum.region)) {
		change.chunk = ml_heap_chunk(r->region->elem);
		/* with the pointer to the other part */
		change.first_chunk = ml_heap_chunk(c->first + POINTER);
		change.second_chunk = ml_heap_chunk(c->second);
		if (change.first_chunk >= change.chunk)
			return;
	}
	c->tried = true;
	c->trial = ml_find_try(f, &change, NULL);
}

/* Whether no earlier cut has the same fields. */
static bool is_new(const struct record *r, unsigned cut)
{
	for (unsigned k = 0; k < cut; k++)
		if (!memcmp(r->cuts[k].hot, r->cuts[cut].hot, r->region->fields))
			return false;
	return true;
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++)
		for (unsigned k = 0; k < CUTS; k++) {
			struct record *r = &m->records[i];
			struct cut *c = &r->cuts[k];

			find_hot(f, r, covered[k].share, covered[k].lines, c);
			if (is_new(r, k))
				try_cut(f, r, c);
		}
}

/* "x, vx and 3 more". */
static const char *names(struct ml_find *f, const struct record *r, const struct cut *c,
			 bool hot)
{
	const char *text = "";
	uint32_t all = hot ? c->fields : r->region->fields - c->fields, n = 0;

	for (uint32_t i = 0; i < r->region->fields && n < NAMED; i++) {
		if (c->hot[i] != hot)
			continue;
		const char *name = ml_tables_text(f->tables, field_of(f, r, i)->name);
		const char *sep = !n++ ? "" : n == all ? " and " : ", ";

		text = ml_arena_printf(f->arena, "%s%s%s", text, sep, *name ? name : "?");
	}
	return all > n ? ml_arena_printf(f->arena, "%s and %u more", text, all - n)
		       : text;
}

/* Share of the region's references that go to the hot fields. */
static double hot_share(const struct ml_find *f, const struct record *r,
			const struct cut *c)
{
	uint64_t all = 0, hot = 0;

	for (size_t i = 0; i < f->spot_count; i++)
		for (uint32_t k = 0; k <= r->region->fields; k++) {
			all += used_by(r, i, k);
			if (k < r->region->fields && c->hot[k])
				hot += used_by(r, i, k);
		}
	return all ? (double)hot / (double)all : 0;
}

static void tell(struct ml_find *f, const struct record *r, const struct cut *cut,
		 double saved)
{
	const struct ml_spot *s = &r->sum;
	const char *name = ml_find_region(f, s->region), *hot = names(f, r, cut, true);
	const char *cold = names(f, r, cut, false), *l1 = f->p->machine.level[0].name;
	const struct ml_trial *t = &f->tried[cut->trial].trial;
	uint64_t before = ml_find_missed(t->region_before, 1);
	uint64_t after = ml_find_missed(t->region_after, 1);
	struct ml_candidate *c = ml_find_add(f, s->region, ml_find_worst(f, s->region),
					     saved, true);

	ml_find_tried(f, c, cut->trial);
	c->finding.title = ml_arena_printf(
		f->arena, "only a part of each element of %s is used", name);
	ml_find_say(f, c, "%s of its references go to %s: %s of the %s of an element.",
		    ml_find_percent(f, hot_share(f, r, cut)), hot,
		    ml_find_count(f, cut->used), ml_find_bytes(f, r->region->elem));
	if (*cold)
		ml_find_say(
			f, c,
			"Each fetch also brings in fields that are not used there: %s.",
			cold);
	ml_find_say(f, c, "%s.", ml_find_misses(f, s->served));
	ml_find_say(f, c, "Split in two, its misses of %s change from %s to %s.", l1,
		    ml_find_count(f, before), ml_find_count(f, after));
	c->finding.advice = ml_arena_printf(
		f->arena,
		ml_rows_are_nodes(f, s->region)
			? "keep %s in blocks of %s own, the other fields behind a pointer or "
			  "in an array beside them"
			: "keep %s in an array of %s own, the other fields in another",
		hot, cut->fields == 1 ? "its" : "their");
	ml_find_fact_text(c, "used", hot);
	ml_find_fact(c, "used_bytes", (double)cut->used);
	ml_find_fact(c, "element", (double)r->region->elem);
	ml_find_fact(c, "used_share", hot_share(f, r, cut));
	ml_find_fact(c, "misses_tried", (double)before);
	ml_find_fact(c, "misses_predicted", (double)after);
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == s->region)
			ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; i < m->count; i++) {
		const struct record *r = &m->records[i];
		const struct cut *best = NULL;
		double max = 0;

		for (unsigned k = 0; k < CUTS; k++) {
			const struct cut *c = &r->cuts[k];
			double saved = c->tried ? ml_find_saved(f, c->trial) : 0;

			if (saved > max) {
				max = saved;
				best = c;
			}
		}
		if (max >= f->min_cycles)
			tell(f, r, best, max);
	}
}

const struct ml_finder ml_find_fields = {
	.kind = "fields",
	.rule = "A loop uses some fields of a structure and fetches all of them.",
	.view = { .name = "regions",
		  .miss = "A line of {line} bytes comes in, with all fields; the program "
			  "uses only {used}." },
	.legal = "Legal if nothing outside knows the layout (files, other "
		 "programs, code that takes a pointer to an element)",
	.weight = 1,
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
};
