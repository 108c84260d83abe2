/*
 * Value width of integer fields of structures. A site has one range of values; a pass
 * over the references shows which fields it stores to. A store counts for each field that
 * it covers. The simulated change gives each such field as many bytes as its values need,
 * and orders the fields by their alignment, the largest first.
 */
#include <stdlib.h>

#include "lib/analyse/find/find_report.h"
#include "lib/analyse/finders/find_width_parts.h"
#include "lib/trace/tables.h"

enum {
	MAX_REGIONS = 3,
	MAX_FIELDS = 63, /* a bit each in `met` */
	MAX_ELEM = 4096,
	MIN_ELEMENTS = 64,
	NAMED = 4 /* fields that a sentence names */
};
#define SEEN ((uint64_t)1 << MAX_FIELDS)

struct slim_field {
	const struct ml_field *field;
	struct ml_width_range range;
	uint64_t need;          /* bytes */
	uint64_t alignment, to; /* in the new structure */
};

struct record {
	const struct ml_region *region;
	uint32_t number; /* of the region */
	struct slim_field *fields;
	uint8_t *at;     /* by byte of an element: its field, or MAX_FIELDS */
	uint64_t *met;   /* by site: the fields that it stores to; SEEN: it was seen */
	uint32_t *to;    /* by byte of an element: its new offset */
	uint64_t packed; /* bytes of an element; 0: nothing to try */
	size_t trial;
};

struct ml_width_fields {
	const struct ml_width_values *values;
	struct record records[MAX_REGIONS];
	size_t count;
	uint8_t *number; /* by region of the tables: number of its record + 1 */
	size_t regions;
};

/* Finds the field of each byte. False: fields overlap, or reach beyond the element. */
static bool find_bytes(struct ml_find *f, struct record *r)
{
	uint64_t elem = r->region->elem, end = 0;

	r->fields = ml_arena_alloc(f->arena, r->region->fields * sizeof(*r->fields));
	r->at = ml_arena_alloc(f->arena, elem);
	for (uint64_t i = 0; i < elem; i++)
		r->at[i] = MAX_FIELDS;
	for (uint32_t k = 0; k < r->region->fields; k++) {
		const struct ml_field *x = &f->tables->fields.at[r->region->field + k];
		const char *type = ml_tables_text(f->tables, x->type);

		if (!x->size || x->offset < end || x->offset + x->size > elem)
			return false;
		end = x->offset + x->size;
		r->fields[k] = (struct slim_field){
			.field = x,
			.range = { .unknown = !ml_width_is_integer(type, x->size) },
		};
		for (uint64_t i = x->offset; i < end; i++)
			r->at[i] = (uint8_t)k;
	}
	return true;
}

static bool fits(struct ml_find *f, const struct ml_width_values *v, struct record *r)
{
	const struct ml_region *x = r->region;
	size_t blocks;

	return x->fields && x->fields <= MAX_FIELDS && x->elem <= MAX_ELEM &&
	       ml_find_sum(f, r->number).excess >= f->min_cycles &&
	       ml_find_block_size(f, r->number, &blocks) / x->elem * blocks >=
		       MIN_ELEMENTS &&
	       ml_width_is_known(f, v, r->number) && find_bytes(f, r);
}

struct ml_width_fields *ml_width_fields_look(struct ml_find *f,
					     const struct ml_width_values *v)
{
	struct ml_width_fields *w = ml_arena_alloc(f->arena, sizeof(*w));

	w->values = v;
	w->regions = f->tables->regions.count;
	w->number = ml_arena_alloc(f->arena, w->regions);
	for (size_t i = 0; i < f->spot_count && w->count < MAX_REGIONS; i++) {
		uint32_t region = f->spots[i].region;
		struct record *r = &w->records[w->count];

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		if (!ml_find_movable(f, region) || w->number[region])
			continue;
		*r = (struct record){ .number = region,
				      .region = &f->tables->regions.at[region] };
		if (!fits(f, v, r))
			continue;
		r->met = ml_arena_alloc(f->arena,
					f->tables->sites.count * sizeof(*r->met));
		w->number[region] = (uint8_t)++w->count;
	}
	if (w->count)
		ml_find_watch(f);
	return w;
}

/*
 * A site stores `size` bytes at an offset of an element. Values are known by parts of the
 * store, from its first byte on: a field must be such a part.
 */
static void store(const struct ml_width_values *v, struct record *r, uint32_t site,
		  uint64_t offset, uint64_t size)
{
	uint64_t elem = r->region->elem;

	r->met[site] |= SEEN;
	for (uint64_t i = 0; i < size; i++) {
		uint8_t k = r->at[(offset + i) % elem];

		if (k == MAX_FIELDS || r->met[site] >> k & 1)
			continue;
		struct slim_field *x = &r->fields[k];
		uint64_t before = (offset + i) % elem - x->field->offset;

		r->met[site] |= (uint64_t)1 << k;
		if (before || i + x->field->size > size || i % x->field->size)
			x->range.unknown = true;
		else
			ml_width_add(&x->range, v, site, x->field->size);
	}
}

void ml_width_fields_see(struct ml_width_fields *w, const struct ml_seen *s)
{
	const struct ml_batch *b = s->refs;

	for (size_t i = 0; i < b->count; i++) {
		uint32_t region = s->region[i];

		if (region >= w->regions || !w->number[region] ||
		    ml_what_kind(b->what[i]) != ML_WRITE)
			continue;
		struct record *r = &w->records[w->number[region] - 1];
		store(w->values, r, b->site[i], s->offset[i] % r->region->elem,
		      ml_what_size(b->what[i]));
	}
}

/* Whether the references that were seen have all sites that store to the structures. */
static bool saw_all(const struct ml_find *f, const struct record *r)
{
	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];

		if (c->kind[ML_WRITE] && ml_find_same(f, c->region) == r->number &&
		    !r->met[c->site])
			return false;
	}
	return true;
}

static int by_alignment(const void *a, const void *b)
{
	const struct slim_field *x = *(struct slim_field *const *)a;
	const struct slim_field *y = *(struct slim_field *const *)b;

	if (x->alignment != y->alignment)
		return x->alignment > y->alignment ? -1 : 1;
	return x->field->offset < y->field->offset ? -1 : 1;
}

/* Lays the fields out with the bytes that they need. False: none needs less. */
static bool pack(struct ml_find *f, struct record *r)
{
	uint32_t count = r->region->fields;
	struct slim_field **order = ml_arena_alloc(f->arena, count * sizeof(*order));
	uint64_t at = 0;
	bool slim = false;

	for (uint32_t k = 0; k < count; k++) {
		struct slim_field *x = order[k] = &r->fields[k];

		x->need = ml_width_need(&x->range, x->field->size);
		x->alignment = 8;
		if (x->need < x->field->size)
			x->alignment = x->need;
		while (x->need % x->alignment || x->field->offset % x->alignment)
			x->alignment /= 2;
		slim |= x->need < x->field->size;
	}
	if (!slim)
		return false;
	qsort(order, count, sizeof(*order), by_alignment);
	for (uint32_t k = 0; k < count; k++) {
		uint64_t a = order[k]->alignment;

		order[k]->to = (at + a - 1) / a * a;
		at = order[k]->to + order[k]->need;
	}
	r->packed = (at + order[0]->alignment - 1) / order[0]->alignment *
		    order[0]->alignment;
	return r->packed < r->region->elem;
}

/*
 * References keep their sizes, which are too large for narrower fields. They begin at a
 * multiple of their size, so that they reach into no line that the smaller ones would not
 * touch.
 */
static void find_offsets(struct ml_find *f, struct record *r)
{
	r->to = ml_arena_alloc(f->arena, r->region->elem * sizeof(*r->to));
	for (uint32_t k = 0; k < r->region->fields; k++) {
		const struct slim_field *x = &r->fields[k];
		bool slim = x->need < x->field->size;
		uint64_t to = slim ? x->to / x->field->size * x->field->size : x->to;

		for (uint64_t i = 0; i < x->field->size; i++)
			r->to[x->field->offset + i] =
				(uint32_t)(to + i < r->packed ? to + i : r->packed - 1);
	}
}

void ml_width_fields_try(struct ml_find *f, struct ml_width_fields *w)
{
	for (size_t i = 0; i < w->count; i++) {
		struct record *r = &w->records[i];

		if (!saw_all(f, r) || !pack(f, r)) {
			r->packed = 0;
			continue;
		}
		find_offsets(f, r);
		r->trial = ml_find_try(f,
				       &(struct ml_change){ .kind = ML_CHANGE_SPLIT,
							    .region = r->number,
							    .pitch = r->region->elem,
							    .unit = r->packed,
							    .to = r->to },
				       NULL);
	}
}

/* Says the range of each narrower field; returns their new types: "a as uint8_t, ...". */
static const char *say_fields(struct ml_find *f, struct ml_candidate *c,
			      const struct record *r)
{
	const char *types = "", *ranges = "";
	unsigned named = 0, more = 0;

	for (uint32_t k = 0; k < r->region->fields; k++) {
		const struct slim_field *x = &r->fields[k];
		const char *name = ml_tables_text(f->tables, x->field->name);

		if (x->need == x->field->size)
			continue;
		if (named == NAMED) {
			more++;
			continue;
		}
		types = ml_arena_printf(f->arena, "%s%s%s as %s", types,
					named ? ", " : "", name,
					ml_width_type(f, &x->range, x->need));
		ranges = ml_arena_printf(f->arena, "%s%s%s between %lld and %lld (%s)",
					 ranges, named ? ", " : "", name,
					 (long long)x->range.min, (long long)x->range.max,
					 ml_find_bytes(f, x->field->size));
		named++;
	}
	if (more)
		types = ml_arena_printf(f->arena, "%s, and %u more alike", types, more);
	ml_find_say(f, c, "All values that this run stores lie in these ranges: %s%s.",
		    ranges, more ? ", and more fields" : "");
	return types;
}

static void tell(struct ml_find *f, const struct record *r, double saved)
{
	const char *name = ml_find_region(f, r->number);
	const struct ml_trial *t = &f->tried[r->trial].trial;
	struct ml_candidate *c = ml_find_add(f, r->number, ml_find_worst(f, r->number),
					     saved, true);

	ml_find_tried(f, c, r->trial);
	c->finding.title = ml_arena_printf(f->arena, "fields of %s are wider than values",
					   name);
	const char *types = say_fields(f, c, r);
	ml_find_say(f, c, "With elements of %s, its misses of %s change from %s to %s.",
		    ml_find_bytes(f, r->packed), f->p->machine.level[0].name,
		    ml_find_count(f, ml_find_missed(t->region_before, 1)),
		    ml_find_count(f, ml_find_missed(t->region_after, 1)));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"store fields of %s narrower: %s, with the fields ordered by size, the "
		"largest first: %s instead of %s. Legal if no input stores other values "
		"(check them where they are stored) and nothing outside knows the layout",
		name, types, ml_find_bytes(f, r->packed),
		ml_find_bytes(f, r->region->elem));
	ml_find_fact(c, "element", (double)r->region->elem);
	ml_find_fact(c, "need", (double)r->packed);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == r->number)
			ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
}

void ml_width_fields_conclude(struct ml_find *f, struct ml_width_fields *w)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct record *r = &w->records[i];
		double saved = r->packed ? ml_find_saved(f, r->trial) : 0;

		if (r->packed && saved >= f->min_cycles)
			tell(f, r, saved);
	}
}
