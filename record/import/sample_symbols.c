#include "record/import/sample_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/samples/samples.h"
#include "lib/samples/samples_make.h"
#include "record/import/perf_mapping.h"
#include "record/symbols/globals.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"

enum { PAGE = 4096, VOTES = 4096 };

struct namer {
	struct ml_samples *s;
	struct ml_tables tables;
	struct ml_objects objects;
	struct ml_block *globals; /* of named variables, by address */
	size_t global_count;
	size_t mapped; /* files that were mapped */
};

static void take_mapping(struct namer *n, const char *at, const char *end)
{
	struct ml_perf_mapping m;

	if (!ml_perf_mapping_read(&m, at, end))
		return;
	ml_objects_map(&n->objects, m.low, m.high, m.offset, m.prot, ML_MAPPING_FILE,
		       m.path);
	n->mapped++;
}

/* Reads the mappings in the text of perf script. */
static void read_mappings(struct namer *n)
{
	static const char mark[] = "PERF_RECORD_MMAP";
	struct ml_file_map map;
	struct ml_err ignored;

	if (strcmp(n->s->format, "perf-script") != 0 || n->s->map.data ||
	    !ml_file_map_open(&map, n->s->path, &ignored))
		return;
	const char *at = (const char *)map.data, *all = at + map.size;
	while (at < all &&
	       (at = memmem(at, (size_t)(all - at), mark, sizeof(mark) - 1))) {
		const char *end = memchr(at, '\n', (size_t)(all - at));

		end = end ? end : all;
		take_mapping(n, at, end);
		at = end;
	}
	ml_file_map_close(&map);
}

static int by_address(const void *a, const void *b)
{
	const struct ml_block *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The symbol with a name; NULL: there is none. */
static const struct ml_symbol *find_function(struct ml_object *o, const char *name)
{
	ml_object_func(o, 0); /* reads the symbols */
	for (size_t i = 0; i < o->funcs.count; i++)
		if (!strcmp(o->funcs.at[i].name, name))
			return &o->funcs.at[i];
	return NULL;
}

static bool is_fixed(const struct ml_object *o)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < o->segments; i++)
		low = o->segment[i].vaddr < low ? o->segment[i].vaddr : low;
	return low >= PAGE; /* a program at an address of its own is not moved */
}

/*
 * Where the file was loaded. Each sample whose function has a name of the file votes for
 * the page-aligned base that puts its instruction into that function.
 */
static bool find_base(struct namer *n, struct ml_object *o, uint64_t *base)
{
	const struct ml_samples_column *ip = ml_samples_role(n->s, ML_SAMPLES_IP),
				       *f = ml_samples_role(n->s, ML_SAMPLES_FUNCTION);
	const struct ml_symbol **of_name;
	uint64_t votes[VOTES];
	size_t count = 0, best = 0;

	*base = 0;
	if (is_fixed(o))
		return true;
	if (!f || f->kind != ML_SAMPLES_NAMES)
		return false;
	of_name = ml_arena_alloc(&n->s->arena, f->name_count * sizeof(*of_name) + 1);
	for (size_t i = 0; i < f->name_count; i++)
		of_name[i] = find_function(o, f->names[i]);
	for (uint64_t row = 0; row < n->s->rows && count < VOTES; row++) {
		if (ml_samples_missing(ip, row) || ml_samples_missing(f, row))
			continue;
		const struct ml_symbol *x = of_name[ml_samples_bits(f, row)];
		uint64_t at = ml_samples_bits(ip, row);

		if (x && at >= x->low && x->high - x->low < PAGE &&
		    at - (at - x->low) / PAGE * PAGE < x->high)
			votes[count++] = (at - x->low) / PAGE * PAGE;
	}
	qsort(votes, count, sizeof(*votes), by_value);
	for (size_t i = 0, from = 0; i < count; i++) {
		if (votes[i] != votes[from])
			from = i;
		if (i + 1 - from > best) {
			best = i + 1 - from;
			*base = votes[i];
		}
	}
	return best > 0;
}

/* Maps the file that the user named. */
static bool map_binary(struct namer *n, const struct ml_sample_binary *b,
		       struct ml_err *err)
{
	struct ml_object o;
	uint64_t base = b->base;

	ml_object_init(&o, b->path);
	bool ok = ml_object_open(&o) && o.segments;
	if (!ok)
		ml_fail(err, ML_FORMAT, "%s: this is no program or library", b->path);
	else if (!b->has_base && !find_base(n, &o, &base))
		ok = ml_fail(err, ML_USAGE,
			     "%s: it is not known where this file was loaded; say --base "
			     "ADDRESS",
			     b->path);
	for (size_t i = 0; ok && i < o.segments; i++) {
		const struct ml_segment *g = &o.segment[i];
		uint64_t inside = g->vaddr % PAGE;

		ml_objects_map(&n->objects, base + g->vaddr - inside,
			       (base + g->vaddr + g->memsz + PAGE - 1) / PAGE * PAGE,
			       g->offset - inside, g->prot, ML_MAPPING_FILE, b->path);
	}
	n->mapped += ok;
	ml_object_release(&o);
	return ok;
}

static void list_globals(struct namer *n)
{
	ml_globals_update(&n->objects);
	n->globals = ml_arena_alloc(&n->s->arena,
				    (n->tables.globals.count + 1) * sizeof(*n->globals));
	for (size_t i = 0; i < n->tables.globals.count; i++) {
		const struct ml_block *x = &n->tables.globals.at[i];

		if (n->tables.regions.at[x->region].kind == ML_REGION_GLOBAL)
			n->globals[n->global_count++] = *x;
	}
	qsort(n->globals, n->global_count, sizeof(*n->globals), by_address);
}

static const struct ml_block *find_global(const struct namer *n, uint64_t address)
{
	size_t low = 0, high = n->global_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (n->globals[middle].addr <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address - n->globals[low - 1].addr < n->globals[low - 1].size
		       ? &n->globals[low - 1]
		       : NULL;
}

/* A new column that takes over a role; *old is the column that had it, or -1. */
static size_t replace(struct ml_samples *s, const char *name, enum ml_samples_kind kind,
		      enum ml_samples_role role, int *old)
{
	const char *free = name;

	for (unsigned i = 2; ml_samples_find(s, free) >= 0; i++)
		free = ml_arena_printf(&s->arena, "%s %u", name, i);
	*old = s->role[role];
	return ml_samples_add_column(s, free, kind);
}

/* The value that the old column has, if it is of the same kind. */
static void put_old(struct ml_samples *s, size_t column, int old, uint64_t row)
{
	const struct ml_samples_column *c = old < 0 ? NULL : &s->columns[old];

	if (!c || ml_samples_missing(c, row) || c->kind != s->columns[column].kind)
		ml_samples_put_missing(s, column, row);
	else if (c->kind == ML_SAMPLES_NAMES) {
		const char *name = c->names[ml_samples_bits(c, row)];

		ml_samples_put_name(s, column, row, name, strlen(name));
	} else
		ml_samples_put(s, column, row, ml_samples_bits(c, row));
}

static void name_code(struct namer *n)
{
	struct ml_samples *s = n->s;
	int old[3];
	size_t file = replace(s, "file", ML_SAMPLES_NAMES, ML_SAMPLES_FILE, &old[0]),
	       line = replace(s, "line", ML_SAMPLES_UNSIGNED, ML_SAMPLES_LINE, &old[1]),
	       function = replace(s, "function", ML_SAMPLES_NAMES, ML_SAMPLES_FUNCTION,
				  &old[2]);
	const struct ml_samples_column *ip = ml_samples_role(s, ML_SAMPLES_IP);

	for (uint64_t row = 0; row < s->rows; row++) {
		uint64_t at = ml_samples_missing(ip, row) ? 0 : ml_samples_bits(ip, row);
		struct ml_frame f = { 0 };

		if (at && ml_objects_find(&n->objects, at))
			f = ml_tables_frame(&n->tables,
					    ml_sites_resolve(&n->objects, at));
		const char *path = ml_tables_text(&n->tables, f.file),
			   *name = ml_tables_text(&n->tables, f.func);
		if (f.file && f.line) {
			ml_samples_put_name(s, file, row, path, strlen(path));
			ml_samples_put(s, line, row, f.line);
		} else {
			put_old(s, file, old[0], row);
			put_old(s, line, old[1], row);
		}
		if (f.func)
			ml_samples_put_name(s, function, row, name, strlen(name));
		else
			put_old(s, function, old[2], row);
	}
	ml_samples_set_role(s, file, ML_SAMPLES_FILE);
	ml_samples_set_role(s, line, ML_SAMPLES_LINE);
	ml_samples_set_role(s, function, ML_SAMPLES_FUNCTION);
}

static void name_data(struct namer *n)
{
	struct ml_samples *s = n->s;
	int old[2];
	size_t variable = replace(s, "variable", ML_SAMPLES_NAMES, ML_SAMPLES_VARIABLE,
				  &old[0]),
	       index = replace(s, "index", ML_SAMPLES_UNSIGNED, ML_SAMPLES_INDEX,
			       &old[1]);
	const struct ml_samples_column *address = ml_samples_role(s, ML_SAMPLES_ADDRESS);

	for (uint64_t row = 0; row < s->rows; row++) {
		bool known = !ml_samples_missing(address, row);
		uint64_t at = known ? ml_samples_bits(address, row) : 0;
		const struct ml_block *b = known ? find_global(n, at) : NULL;

		if (!b) {
			put_old(s, variable, old[0], row);
			put_old(s, index, old[1], row);
			continue;
		}
		const struct ml_region *g = &n->tables.regions.at[b->region];
		const char *name = ml_tables_text(&n->tables, g->name);
		ml_samples_put_name(s, variable, row, name, strlen(name));
		ml_samples_put(s, index, row, g->elem ? (at - b->addr) / g->elem : 0);
	}
	ml_samples_set_role(s, variable, ML_SAMPLES_VARIABLE);
	ml_samples_set_role(s, index, ML_SAMPLES_INDEX);
}

static bool has_numbers(const struct ml_samples *s, enum ml_samples_role role)
{
	const struct ml_samples_column *c = ml_samples_role(s, role);

	return c && c->kind == ML_SAMPLES_UNSIGNED;
}

bool ml_sample_symbols(struct ml_samples *s, const struct ml_sample_binary *b,
		       struct ml_err *err)
{
	bool ip = has_numbers(s, ML_SAMPLES_IP),
	     address = has_numbers(s, ML_SAMPLES_ADDRESS);
	struct namer n = { .s = s };

	if (b->path && !ip)
		return ml_fail(err, ML_USAGE,
			       "%s: no column tells the instruction of a sample; say "
			       "--columns ip=HEADING",
			       s->path);
	if (!ip)
		return true;
	ml_tables_init(&n.tables);
	ml_objects_init(&n.objects, &n.tables);
	read_mappings(&n);
	bool ok = !b->path || (n.mapped && !b->has_base) || map_binary(&n, b, err);
	if (ok && n.mapped) {
		list_globals(&n);
		name_code(&n);
		if (address)
			name_data(&n);
		ml_samples_pack(s);
	}
	ml_objects_release(&n.objects);
	ml_tables_release(&n.tables);
	return ok;
}
