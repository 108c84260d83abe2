/*
 * Value width: integers whose values would fit fewer bytes, here whole arrays of them;
 * find_width_fields.c has fields of structures. The recorder
 * keeps the smallest and the largest value of each store on request (stored_values.h).
 * Values that no store shows make an array unknown: those of system calls, of libraries
 * and those that a variable has from the start. The simulated change gives each element
 * as many bytes as its values need.
 */
#include <string.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_report.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/analyse/finders/find_width_parts.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = 3 };

struct array {
	uint32_t region;
	struct ml_width_range range;
	uint64_t need; /* bytes */
	size_t trial;
};

struct mine {
	struct ml_width_values values;
	struct array arrays[MAX_REGIONS];
	size_t count;
	struct ml_width_fields *fields;
};

/* The values of all sites. False: the trace has none. */
static bool read_values(struct ml_find *f, struct ml_width_values *values)
{
	const char *text = ml_tables_meta_find(f->tables, "values stored");
	const char *filled = ml_tables_meta_find(f->tables, "written by the system");
	size_t count = f->tables->sites.count;
	struct ml_stored_value v;

	if (!text || !filled || !ml_address_ranges_parse(&values->filled, filled))
		return false;
	values->of = ml_arena_alloc(f->arena, count * sizeof(*values->of));
	while (ml_stored_values_next(&text, &v))
		if (v.site < count)
			values->of[v.site] = v;
	return !*text;
}

bool ml_width_is_integer(const char *type, uint64_t size)
{
	static const char *const others[] = { "*", "float", "double", "real", "complex" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strstr(type, others[i]))
			return false;
	return size == 2 || size == 4 || size == 8;
}

/* A variable whose last byte lies in a file starts with values of that file. */
static bool starts_as_zero(const struct ml_find *f, const struct ml_block *b)
{
	uint64_t last = b->addr + b->size - 1;
	bool file = false;

	for (size_t i = 0; i < f->tables->mappings.count; i++) {
		const struct ml_mapping *x = &f->tables->mappings.at[i];

		if (x->low <= last && last < x->high)
			file = x->kind == ML_MAPPING_FILE;
	}
	return !file;
}

bool ml_width_is_known(const struct ml_find *f, const struct ml_width_values *v,
		       uint32_t region)
{
	const struct ml_block *blocks[] = { f->trace->blocks, f->tables->globals.at };
	size_t counts[] = { f->trace->block_count, f->tables->globals.count };

	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < counts[k]; i++) {
			const struct ml_block *b = &blocks[k][i];

			if (ml_find_same(f, b->region) == region &&
			    (ml_address_ranges_meets(&v->filled, b->addr, b->size) ||
			     (k == 1 && b->size && !starts_as_zero(f, b))))
				return false;
		}
	return true;
}

void ml_width_add(struct ml_width_range *r, const struct ml_width_values *values,
		  uint32_t site, uint64_t size)
{
	const struct ml_stored_value *v = &values->of[site];
	unsigned width = size == 2 ? 0 : size == 4 ? 1 : 2;

	if (v->widths <= width) {
		r->unknown = true;
		return;
	}
	r->min = v->min[width] < r->min ? v->min[width] : r->min;
	r->max = v->max[width] > r->max ? v->max[width] : r->max;
}

uint64_t ml_width_need(const struct ml_width_range *r, uint64_t size)
{
	if (r->unknown || r->min == r->max)
		return size;
	for (uint64_t bytes = 1; bytes < size; bytes *= 2) {
		int64_t half = (int64_t)1 << (8 * bytes - 1);

		if ((r->min >= -half && r->max < half) ||
		    (r->min >= 0 && r->max < 2 * half))
			return bytes;
	}
	return size;
}

const char *ml_width_type(struct ml_find *f, const struct ml_width_range *r,
			  uint64_t need)
{
	return ml_arena_printf(f->arena, "%sint%u_t", r->min < 0 ? "" : "u",
			       (unsigned)need * 8);
}

/* The range of all values of a region of integers. */
static struct ml_width_range find_range(const struct ml_find *f,
					const struct ml_width_values *v, uint32_t region)
{
	struct ml_width_range range = { 0 };

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];

		if (c->kind[ML_WRITE] && ml_find_same(f, c->region) == region)
			ml_width_add(&range, v, c->site,
				     f->tables->regions.at[region].elem);
	}
	return range;
}

static bool known(const struct mine *m, uint32_t region)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->arrays[i].region == region)
			return true;
	return false;
}

static void look(struct ml_find *f, void **mine)
{
	struct mine *m = ml_arena_alloc(f->arena, sizeof(*m));

	if (!read_values(f, &m->values))
		return;
	*mine = m;
	m->fields = ml_width_fields_look(f, &m->values);
	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		struct array *a = &m->arrays[m->count];
		uint32_t region = f->spots[i].region;
		const struct ml_region *r = &f->tables->regions.at[region];

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		if (!ml_find_movable(f, region) || known(m, region) || r->fields ||
		    !ml_width_is_integer(ml_tables_text(f->tables, r->type), r->elem) ||
		    ml_find_sum(f, region).excess < f->min_cycles ||
		    !ml_width_is_known(f, &m->values, region))
			continue;
		*a = (struct array){ .region = region };
		a->range = find_range(f, &m->values, region);
		a->need = ml_width_need(&a->range, r->elem);
		m->count += a->need < r->elem;
	}
}

static void see(struct ml_find *f, void *arg, const struct ml_seen *s)
{
	struct mine *m = arg;

	(void)f;
	ml_width_fields_see(m->fields, s);
}

static void try(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && i < m->count; i++) {
		struct array *a = &m->arrays[i];

		a->trial = ml_find_try(
			f,
			&(struct ml_change){
				.kind = ML_CHANGE_SHRINK,
				.region = a->region,
				.pitch = f->tables->regions.at[a->region].elem,
				.unit = a->need },
			NULL);
	}
	if (m)
		ml_width_fields_try(f, m->fields);
}

static void tell(struct ml_find *f, const struct array *a, double saved)
{
	const struct ml_region *r = &f->tables->regions.at[a->region];
	const char *name = ml_find_region(f, a->region);
	const struct ml_trial *t = &f->tried[a->trial].trial;
	const char *type = ml_width_type(f, &a->range, a->need);
	struct ml_candidate *c = ml_find_add(f, a->region, ml_find_worst(f, a->region),
					     saved, true);

	ml_find_tried(f, c, a->trial);
	c->finding.title = ml_arena_printf(f->arena, "values of %s need %s of %llu", name,
					   ml_find_bytes(f, a->need),
					   (unsigned long long)r->elem);
	ml_find_say(f, c,
		    "All values that this run stores in it lie between %lld and %lld; an "
		    "element has %s.",
		    (long long)a->range.min, (long long)a->range.max,
		    ml_find_bytes(f, r->elem));
	ml_find_say(f, c, "With elements of %s, its misses of %s change from %s to %s.",
		    ml_find_bytes(f, a->need), f->p->machine.level[0].name,
		    ml_find_count(f, ml_find_missed(t->region_before, 1)),
		    ml_find_count(f, ml_find_missed(t->region_after, 1)));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"store %s as %s (integer(%llu) in Fortran). Legal if no input stores other "
		"values; check them where they are stored",
		name, type, (unsigned long long)a->need);
	ml_find_fact(c, "min", (double)a->range.min);
	ml_find_fact(c, "max", (double)a->range.max);
	ml_find_fact(c, "element", (double)r->elem);
	ml_find_fact(c, "need", (double)a->need);
	ml_find_fact(c, "misses_tried", (double)ml_find_missed(t->region_before, 1));
	ml_find_fact(c, "misses_predicted", (double)ml_find_missed(t->region_after, 1));
	for (size_t i = 0; i < f->spot_count; i++)
		if (f->spots[i].region == a->region)
			ml_find_claim(f, c, &f->spots[i], f->spots[i].excess);
}

static void conclude(struct ml_find *f, void *arg)
{
	struct mine *m = arg;

	for (size_t i = 0; m && f->simulated && i < m->count; i++) {
		double saved = ml_find_saved(f, m->arrays[i].trial);

		if (saved >= f->min_cycles)
			tell(f, &m->arrays[i], saved);
	}
	if (m && f->simulated)
		ml_width_fields_conclude(f, m->fields);
}

const struct ml_finder ml_find_width = {
	.kind = "value width",
	.rule = "Integers are wider than the values that they hold.",
	.view = { .name = "regions",
		  .miss = "Its value would fit into fewer bytes, and a line of {line} "
			  "would then hold more of them." },
	.weight = 1.2, /* the change is one word */
	.look = look,
	.see = see,
	.try = try,
	.conclude = conclude,
};
