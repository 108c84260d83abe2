#include "record/symbols/heap_name.h"

#include <string.h>

#include "record/source/fortran_shape.h"
#include "record/source/fortran_statement.h"
#include "record/symbols/heap_name_parts.h"
#include "record/symbols/member_arrays.h"
#include "record/symbols/objects.h"
#include "record/symbols/types.h"

enum { RETURNS_MAX = 4 }; /* frames in a row that only return the block */

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A function received the block of an inner one, which calls it `inner`: p = make() names
 * what is p->data inside of make "p->data". */
static void receive(struct ml_candidate *inner, const struct ml_candidate *outer)
{
	struct ml_statement *s = &inner->statement;
	char suffix[ML_LVALUE_MAX];

	size_t word = strcspn(s->name, ".-[%");
	memcpy(suffix, s->name + word, strlen(s->name + word) + 1);
	if (!*suffix) {
		bool typed = inner->known && inner->variable.typed;
		struct ml_candidate type = *inner;

		*inner = *outer;
		if (typed && !(outer->known && outer->variable.typed)) {
			inner->variable = type.variable;
			inner->object = type.object;
			inner->known = true;
		}
		return;
	}
	size_t n = strlen(outer->statement.name);
	if (n + strlen(suffix) >= ML_LVALUE_MAX)
		return;
	memcpy(s->name, outer->statement.name, n);
	memcpy(s->name + n, suffix, strlen(suffix) + 1);
}

/*
 * Finds the frame after which the region is named. True: its statement names a variable.
 * *best has no site if all frames belong to the system. Functions that hand the block to
 * their callers are passed by, as long as a caller has a name for it.
 */
static bool choose(struct ml_objects *o, const uint32_t *stack, size_t depth,
		   struct ml_candidate *best)
{
	struct ml_heap_frames frames = {
		.objects = o, .stack = stack, .depth = depth, .callee = ""
	};
	struct ml_candidate c;
	int returns = 0;
	bool unseen = false;

	*best = (struct ml_candidate){ 0 };
	while (ml_heap_frames_next(&frames, &c)) {
		bool named = c.statement.name[0], have = best->statement.name[0];
		bool wrapper = ml_heap_frames_is_wrapper(
			ml_tables_text(o->tables, c.frame.func));

		unseen |= !have && (!c.frame.line || c.library);
		if (named && have)
			receive(best, &c);
		else if (named || !best->site ||
			 ml_heap_frames_is_wrapper(
				 ml_tables_text(o->tables, best->frame.func)))
			*best = c;
		if (!c.passed && (named || have || !wrapper))
			break;
		if (c.passed && !wrapper && returns++ == RETURNS_MAX)
			break;
	}
	ml_heap_name_hold(best, &frames);
	best->unseen = unseen;
	return best->statement.name[0];
}

/* Sizes of types of C on x86-64. */
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

static void set_type(struct ml_objects *o, struct ml_candidate *c, uint64_t size,
		     struct ml_region *r)
{
	/* void *p = malloc(sizeof(struct context)) */
	if (c->object && (!c->known || (c->variable.pointer && !c->variable.typed)) &&
	    !size_of(c->statement.type) &&
	    ml_types_named(c->object, c->vaddr, c->statement.type, &c->variable.type))
		c->known = c->variable.typed = c->variable.pointer = true;
	if (!c->known || !c->variable.typed) {
		r->elem = size_of(c->statement.type);
		r->type = ml_tables_name(o->tables, c->statement.type);
		return;
	}
	uint64_t row = ml_types_size(&c->variable.type);
	/* matrix *a = make(n, n): the library also allocates what a->data points to */
	if (c->unseen && size != row && ml_types_is_record(&c->variable.type))
		return;
	r->column_major = ml_fortran_is(ml_tables_text(o->tables, c->frame.file));
	ml_types_shape(o, c->object, &c->variable.type, row, r);
	/* A pointer to rows: the block has as many rows as fit. A pointer to the whole
	 * array: its shape is that of the block. */
	if (c->bounds[0]) {
		r->dims = 0;
		if (r->elem)
			ml_fortran_shape(r, c->bounds, size / r->elem, &o->sources,
					 ml_tables_text(o->tables, c->frame.file));
	} else if (r->dims && row && size / row == 1) {
		return;
	} else if (r->dims && r->dims < ML_DIMS && row && size / row) {
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

		if (*func && !ml_heap_frames_is_wrapper(func) &&
		    !ml_heap_frames_is_library(func, ""))
			return func;
	}
	return NULL;
}

/* " from f": the function of the same program or library that called a frame without
 * source; many allocations go through one nameless function. */
static const char *caller_name(struct ml_objects *o, const uint32_t *stack, size_t depth,
			       const struct ml_candidate *c, struct ml_arena *a)
{
	struct ml_tables *t = o->tables;
	bool behind = false;

	for (size_t i = 0; i < depth; i++) {
		const struct ml_site *site = &t->sites.at[stack[i]];
		struct ml_frame f = ml_tables_frame(t, stack[i]);
		const char *func = ml_tables_text(t, f.func);

		if (behind && site->object != c->site->object)
			break;
		if (behind && f.func != c->frame.func && *func &&
		    !ml_heap_frames_is_wrapper(func))
			return ml_arena_printf(a, " from %s", func);
		behind |= site == c->site;
	}
	return "";
}

/* "720000 bytes of multiarray_umath": a large block of code without lines, or of a
 * library that such code uses. A function without a name stands for its library. */
static const char *sized_name(const char *name, const char *library, uint64_t size,
			      struct ml_arena *a)
{
	size_t n = library ? strlen(library) : 0;

	if (library && strchr(library, '+'))
		n = strcspn(library, ".+");
	return ml_arena_printf(a, "%llu bytes of %.*s", (unsigned long long)size,
			       (int)(n ? n : strlen(name)), n ? library : name);
}

/* A name for blocks that no variable names. */
static const char *plain_name(struct ml_objects *o, const uint32_t *stack, size_t depth,
			      const struct ml_candidate *c, uint64_t size,
			      struct ml_arena *a)
{
	const char *func = ml_tables_text(o->tables, c->frame.func);
	const char *name = NULL;

	if (c->site && c->frame.line)
		name = ml_arena_printf(a, "%s:%u", func, c->frame.line);
	else if (c->site && *func)
		name = ml_arena_printf(a, "%s%s", func,
				       caller_name(o, stack, depth, c, a));
	if (name && !c->frame.line && size >= ML_HEAP_NAME_LARGE)
		return sized_name(name, c->library, size, a);
	if (name)
		return c->library ? ml_arena_printf(a, "%s in %s", c->library, name)
				  : name;
	name = system_name(o, stack, depth);
	return name ? name
		    : ml_arena_printf(a, "heap of %s",
				      o->program ? o->program->base : "the program");
}

/* Blocks that a library allocates for itself while a line of the user's code calls one of
 * its functions are one region. */
static uint64_t *same_name(struct ml_objects *o, const struct ml_region *r,
			   const struct ml_candidate *c)
{
	uint32_t key[] = { r->kind, r->name, r->object, r->line };

	if (c->statement.name[0] || !c->library)
		return NULL;
	return ml_map_add(&o->plain, ml_hash(key, sizeof(key)), NULL);
}

uint32_t ml_heap_name_region(struct ml_objects *o, enum ml_region_kind kind,
			     const uint32_t *stack, size_t depth, uint64_t size,
			     struct ml_region_parts *parts)
{
	struct ml_tables *t = o->tables;
	struct ml_region r = { .kind = kind, .depth = (uint32_t)depth };
	struct ml_arena a = { 0 };
	struct ml_candidate c;
	bool named = choose(o, stack, depth, &c);

	r.name = ml_tables_name(t, named ? c.statement.name
					 : plain_name(o, stack, depth, &c, size, &a));
	ml_arena_release(&a);
	r.func = c.frame.func;
	r.file = c.frame.file;
	r.line = c.frame.line;
	r.object = c.site ? c.site->object : depth ? t->sites.at[stack[0]].object : 0;
	bool large = !c.frame.line && size >= ML_HEAP_NAME_LARGE;
	uint64_t *same = large ? NULL : same_name(o, &r, &c);
	if (parts)
		parts->count = 0;
	if (same && *same)
		return (uint32_t)*same;
	if (c.site)
		set_type(o, &c, size, &r);
	r.stack = (uint32_t)t->stacks.count;
	for (size_t i = 0; i < depth; i++)
		*ML_ADD(t->stacks) = stack[i];
	*ML_ADD(t->regions) = r;
	uint32_t number = (uint32_t)t->regions.count - 1;
	if (same)
		*same = number;
	if (parts && named && c.known && c.variable.typed && c.variable.pointer)
		ml_member_arrays_divide(parts, o, c.object, &c.variable.type, number,
					size);
	return number;
}
