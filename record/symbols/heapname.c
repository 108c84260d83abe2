#include "record/symbols/heapname.h"

#include <string.h>
#include <strings.h>

#include "record/symbols/code.h"
#include "record/symbols/objects.h"
#include "record/symbols/statement.h"
#include "record/symbols/types.h"
#include "record/symbols/variable.h"

/* Frames that are looked at: wrappers are near the allocation. */
enum { FRAMES_MAX = 64, RETURNS_MAX = 4 };

struct candidate {
	const struct ml_site *site;
	struct ml_frame frame;
	struct ml_statement statement;
	struct ml_variable variable;
	struct ml_object *object; /* of site, or NULL */
	bool known;               /* DWARF knows the variable */
};

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_library(const char *func, const char *file)
{
	return starts(func, "std::") || starts(func, "__gnu_cxx::") ||
	       starts(func, "operator new") || starts(file, "/usr/include/c++/") ||
	       starts(file, "/usr/lib/gcc/");
}

static bool is_wrapper(const char *func)
{
	return strcasestr(func, "alloc") || strcasestr(func, "strdup") ||
	       strcasestr(func, "memdup");
}

static void look(struct ml_objects *o, struct candidate *c, bool innermost,
		 const char *callee)
{
	const struct ml_range *r = ml_objects_find(o, c->site->ip);
	uint64_t vaddr = 0;
	uint32_t column = 0;

	if (r && ml_objects_vaddr(r, c->site->ip, &vaddr))
		c->object = r->image->object;
	/* The line table has the column of the innermost frame only. */
	if (c->object && innermost)
		column = ml_code_column(c->object, vaddr);
	ml_statement_read(&c->statement, &o->sources,
			  ml_tables_text(o->tables, c->frame.file), c->frame.line, column,
			  callee);
	c->known = c->object && c->statement.name[0] &&
		   ml_variable_find(&c->variable, c->object, vaddr, c->statement.name,
				    c->statement.deref);
}

/*
 * Finds the frame to name the region after; true if its statement names a
 * variable. *best is a frame without a site if there is nothing but the system's.
 */
static bool choose(struct ml_objects *o, const uint32_t *stack, size_t depth,
		   struct candidate *best)
{
	struct ml_tables *t = o->tables;
	const char *callee = "";
	struct candidate wrapper = { 0 };
	bool wrapped = false;
	int returns = 0;

	*best = (struct candidate){ 0 };
	for (size_t i = 0; i < depth && i < FRAMES_MAX; i++) {
		const struct ml_site *site = &t->sites.at[stack[i]];

		for (uint32_t k = 0; k < site->frames; k++) {
			struct candidate c = { .site = site,
					       .frame = t->frames.at[site->frame + k] };
			const char *func = ml_tables_text(t, c.frame.func);

			if (!site->user ||
			    is_library(func, ml_tables_text(t, c.frame.file))) {
				callee = func;
				continue;
			}
			look(o, &c, k == 0, callee);
			callee = func;
			bool named = c.statement.name[0];
			if (is_wrapper(func)) {
				/* What a wrapper keeps for itself is a name no one knows.
				 */
				if (named && c.known && !c.variable.local && !wrapped) {
					wrapper = c;
					wrapped = true;
				}
				if (!best->site)
					*best = c;
				continue;
			}
			if (named) {
				*best = c;
				return true;
			}
			if (!returns)
				*best = c;
			if (!c.statement.returned || returns++ == RETURNS_MAX)
				goto done;
		}
	}
done:
	if (wrapped)
		*best = wrapper;
	return wrapped;
}

/* Sizes of the types that C guarantees to be so on the platforms that we record. */
static uint64_t size_of(const char *type)
{
	static const struct {
		const char *name;
		uint64_t size;
	} types[] = {
		{ "char", 1 },     { "int8_t", 1 },    { "uint8_t", 1 },
		{ "bool", 1 },     { "short", 2 },     { "int16_t", 2 },
		{ "uint16_t", 2 }, { "int", 4 },       { "unsigned", 4 },
		{ "int32_t", 4 },  { "uint32_t", 4 },  { "float", 4 },
		{ "long", 8 },     { "int64_t", 8 },   { "uint64_t", 8 },
		{ "size_t", 8 },   { "double", 8 },    { "ssize_t", 8 },
		{ "intptr_t", 8 }, { "uintptr_t", 8 },
	};

	if (starts(type, "unsigned "))
		type += 9;
	if (strchr(type, '*'))
		return 8;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i].name, type) == 0)
			return types[i].size;
	return 0;
}

static void set_type(struct ml_objects *o, struct candidate *c, uint64_t size,
		     struct ml_region *r)
{
	if (!c->known || !c->variable.typed) {
		r->elem = size_of(c->statement.type);
		r->type = ml_tables_name(o->tables, c->statement.type);
		return;
	}
	uint64_t row = ml_types_size(&c->variable.type);
	ml_types_shape(o, c->object, &c->variable.type, row, r);
	/* A pointer to rows: as many of them as fit. */
	if (r->dims && r->dims < ML_DIMS && row && size / row) {
		memmove(r->dim + 1, r->dim, r->dims * sizeof(*r->dim));
		r->dim[0] = size / row;
		r->dims++;
	} else {
		r->dims = 0;
	}
}

/* The nearest function that is not the allocator itself. */
static const char *system_name(struct ml_objects *o, const uint32_t *stack, size_t depth)
{
	struct ml_tables *t = o->tables;

	for (size_t i = 0; i < depth; i++) {
		struct ml_frame f = ml_tables_frame(t, stack[i]);
		const char *func = ml_tables_text(t, f.func);

		if (*func && !is_wrapper(func) && !is_library(func, ""))
			return func;
	}
	return NULL;
}

uint32_t ml_heapname_region(struct ml_objects *o, enum ml_region_kind kind,
			    const uint32_t *stack, size_t depth, uint64_t size)
{
	struct ml_tables *t = o->tables;
	struct ml_region r = { .kind = kind, .depth = (uint32_t)depth };
	struct ml_arena a = { 0 };
	struct candidate c;
	const char *name;

	bool named = choose(o, stack, depth, &c);
	const char *func = ml_tables_text(t, c.frame.func);
	if (named)
		name = c.statement.name;
	else if (c.site && c.frame.line)
		name = ml_arena_printf(&a, "%s:%u", func, c.frame.line);
	else if (c.site && *func)
		name = func;
	else
		name = system_name(o, stack, depth);
	if (!name)
		name = ml_arena_printf(&a, "heap of %s",
				       o->program ? o->program->base : "the program");
	r.name = ml_tables_name(t, name);
	ml_arena_release(&a);
	r.func = c.frame.func;
	r.file = c.frame.file;
	r.line = c.frame.line;
	if (c.site) {
		r.object = c.site->object;
		set_type(o, &c, size, &r);
	} else if (depth) {
		r.object = t->sites.at[stack[0]].object;
	}
	r.stack = (uint32_t)t->stacks.count;
	for (size_t i = 0; i < depth; i++)
		*ML_ADD(t->stacks) = stack[i];
	*ML_ADD(t->regions) = r;
	return (uint32_t)t->regions.count - 1;
}
