/*
 * Value width: an array of integers whose values would fit fewer bytes. The recorder
 * keeps the smallest and the largest value of each store on request (stored_values.h).
 * Values that no store shows make an array unknown: those of system calls, of libraries
 * and those that a variable has from the start. The simulated change gives each element
 * as many bytes as its values need.
 */
#include <string.h>

#include "lib/analyse/find/find_kinds.h"
#include "lib/analyse/find/find_spots.h"
#include "lib/trace/address_ranges.h"
#include "lib/trace/stored_values.h"
#include "lib/trace/tables.h"

enum { MAX_REGIONS = 3 };

struct array {
	uint32_t region;
	int64_t min, max;
	uint64_t need; /* bytes */
	size_t trial;
};

struct mine {
	struct ml_stored_value *of;      /* by site; widths 0: unknown */
	struct ml_address_ranges filled; /* by system calls */
	struct array arrays[MAX_REGIONS];
	size_t count;
};

/* The values of all sites. False: the trace has none. */
static bool read_values(struct ml_find *f, struct mine *m)
{
	const char *text = ml_tables_meta_find(f->tables, "values stored");
	const char *filled = ml_tables_meta_find(f->tables, "written by the system");
	size_t count = f->tables->sites.count;
	struct ml_stored_value v;

	if (!text || !filled || !ml_address_ranges_parse(&m->filled, filled))
		return false;
	m->of = ml_arena_alloc(f->arena, count * sizeof(*m->of));
	while (ml_stored_values_next(&text, &v))
		if (v.site < count)
			m->of[v.site] = v;
	return !*text;
}

/*
 * A typedef may stand for anything. The values themselves tell: those of pointers and of
 * floating point need all bytes, unless all are 0.
 */
static bool is_integer(const struct ml_find *f, const struct ml_region *r)
{
	static const char *const others[] = { "*", "float", "double", "real", "complex" };
	const char *type = ml_tables_text(f->tables, r->type);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strstr(type, others[i]))
			return false;
	return !r->fields && (r->elem == 2 || r->elem == 4 || r->elem == 8);
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

/* Whether only the program's own stores give the region its values. */
static bool is_known(const struct ml_find *f, const struct mine *m, uint32_t region)
{
	const struct ml_block *blocks[] = { f->trace->blocks, f->tables->globals.at };
	size_t counts[] = { f->trace->block_count, f->tables->globals.count };

	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < counts[k]; i++) {
			const struct ml_block *b = &blocks[k][i];

			if (ml_find_same(f, b->region) == region &&
			    (ml_address_ranges_meets(&m->filled, b->addr, b->size) ||
			     (k == 1 && b->size && !starts_as_zero(f, b))))
				return false;
		}
	return true;
}

/* The range of all values of the region. False: some are not known. */
static bool find_range(const struct ml_find *f, const struct mine *m, struct array *a)
{
	uint64_t elem = f->tables->regions.at[a->region].elem;
	unsigned width = elem == 2 ? 0 : elem == 4 ? 1 : 2;

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];
		const struct ml_stored_value *v = &m->of[c->site];

		if (!c->kind[ML_WRITE] || ml_find_same(f, c->region) != a->region)
			continue;
		if (v->widths <= width)
			return false;
		a->min = v->min[width] < a->min ? v->min[width] : a->min;
		a->max = v->max[width] > a->max ? v->max[width] : a->max;
	}
	return true;
}

/* The bytes of the smallest type that has all these values, signed or not. */
static uint64_t bytes_of(int64_t min, int64_t max)
{
	for (uint64_t bytes = 1; bytes < 8; bytes *= 2) {
		int64_t half = (int64_t)1 << (8 * bytes - 1);

		if ((min >= -half && max < half) || (min >= 0 && max < 2 * half))
			return bytes;
	}
	return 8;
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

	if (!read_values(f, m))
		return;
	*mine = m;
	for (size_t i = 0; i < f->spot_count && m->count < MAX_REGIONS; i++) {
		struct array *a = &m->arrays[m->count];
		uint32_t region = f->spots[i].region;

		if (ml_find_negligible(f, &f->spots[i]))
			break;
		if (!ml_find_movable(f, region) || known(m, region) ||
		    !is_integer(f, &f->tables->regions.at[region]) ||
		    ml_find_sum(f, region).excess < f->min_cycles ||
		    !is_known(f, m, region))
			continue;
		*a = (struct array){ .region = region };
		if (!find_range(f, m, a) || a->min == a->max)
			continue;
		a->need = bytes_of(a->min, a->max);
		m->count += a->need < f->tables->regions.at[region].elem;
	}
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
}

static void tell(struct ml_find *f, const struct array *a, double saved)
{
	const struct ml_region *r = &f->tables->regions.at[a->region];
	const char *name = ml_find_region(f, a->region);
	const struct ml_trial *t = &f->trials[a->trial];
	const char *type = ml_arena_printf(f->arena, "%sint%u_t", a->min < 0 ? "" : "u",
					   (unsigned)a->need * 8);
	struct ml_candidate *c = ml_find_add(f, a->region, ml_find_worst(f, a->region),
					     saved, true);

	ml_find_tried(f, c, a->trial);
	c->finding.title = ml_arena_printf(f->arena, "values of %s need %s of %llu", name,
					   ml_find_bytes(f, a->need),
					   (unsigned long long)r->elem);
	ml_find_say(f, c,
		    "All values that this run stores in it lie between %lld and %lld; an "
		    "element has %s.",
		    (long long)a->min, (long long)a->max, ml_find_bytes(f, r->elem));
	ml_find_say(f, c, "With elements of %s, its misses of %s change from %s to %s.",
		    ml_find_bytes(f, a->need), f->p->machine.level[0].name,
		    ml_find_count(f, ml_find_missed(t->region_before, 1)),
		    ml_find_count(f, ml_find_missed(t->region_after, 1)));
	c->finding.advice = ml_arena_printf(
		f->arena,
		"store %s as %s (integer(%llu) in Fortran). Legal if no input stores other "
		"values; check them where they are stored",
		name, type, (unsigned long long)a->need);
	ml_find_fact(c, "min", (double)a->min);
	ml_find_fact(c, "max", (double)a->max);
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

	for (size_t i = 0; m && f->trials && i < m->count; i++) {
		double saved = ml_find_saved(f, m->arrays[i].trial);

		if (saved >= f->min_cycles)
			tell(f, &m->arrays[i], saved);
	}
}

const struct ml_finder ml_find_width = {
	.kind = "value width",
	.weight = 1.2, /* the change is one word */
	.look = look,
	.try = try,
	.conclude = conclude,
};
