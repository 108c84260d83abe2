#include "record/reader/only_in.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/tables.h"
#include "record/symbols/objects.h"

enum { UNKNOWN, NO, YES };

void ml_only_in_release(struct ml_only_in *o)
{
	ml_free(o->inlined);
}

/* The symbol of the code at ip, or "". */
static const char *symbol_at(const struct ml_only_in *o, uint64_t ip)
{
	const struct ml_range *range = ml_objects_find(o->objects, ip);
	uint64_t vaddr;

	if (!range || !ml_object_open(range->image->object) ||
	    !ml_objects_vaddr(range, ip, &vaddr))
		return "";
	const struct ml_symbol *s = ml_object_func(range->image->object, vaddr);
	return s ? s->name : "";
}

static bool is_frame(const struct ml_only_in *o, uint32_t frame)
{
	return !strcmp(ml_tables_text(o->tables, o->tables->frames.at[frame].func),
		       o->function);
}

/* Is the rest of a symbol that of a function which the compiler made of a parallel
 * region? gcc: f._omp_fn.0; clang: f.omp_outlined, .omp_outlined. */
static bool is_parallel(const char *rest)
{
	return strstr(rest, "._omp_fn.") || strstr(rest, "omp_outlined");
}

enum ml_only_in_place ml_only_in_place(struct ml_only_in *o, uint64_t ip, uint32_t site)
{
	const struct ml_site *x = &o->tables->sites.at[site];
	size_t n = o->function ? strlen(o->function) : 0;

	if (!n)
		return ML_ONLY_ELSEWHERE;
	const char *symbol = symbol_at(o, ip);
	/* the outermost frame is the function itself, the others are inlined into it */
	if (!strcmp(symbol, o->function) ||
	    (x->frames && is_frame(o, x->frame + x->frames - 1)) ||
	    (!strncmp(symbol, o->function, n) && symbol[n] == '.' &&
	     is_parallel(symbol + n)))
		return ML_ONLY_FUNCTION;
	return is_parallel(symbol) ? ML_ONLY_PARALLEL : ML_ONLY_ELSEWHERE;
}

bool ml_only_in_site(struct ml_only_in *o, uint32_t site)
{
	o->inlined = ml_grow(o->inlined, &o->cap, site + 1u, sizeof(*o->inlined));
	if (o->inlined[site] == UNKNOWN) {
		const struct ml_site *x = &o->tables->sites.at[site];

		o->inlined[site] = NO;
		for (uint32_t i = 0; i < x->frames; i++)
			if (is_frame(o, x->frame + i))
				o->inlined[site] = YES;
	}
	return o->inlined[site] == YES;
}

static void enter(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp)
{
	o->insiders++;
	o->entered = true;
	t->inside = true;
	t->sp = sp;
	t->depth = 0;
}

void ml_only_in_enter(struct ml_only_in *o, struct ml_only_in_thread *t,
		      enum ml_only_in_place place, uint64_t sp)
{
	if (!t->inside &&
	    (place == ML_ONLY_FUNCTION || (place == ML_ONLY_PARALLEL && o->insiders)))
		enter(o, t, sp);
}

void ml_only_in_call(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp)
{
	if (!t->inside)
		enter(o, t, sp - 1); /* left as soon as the callee has returned */
}

static void leave(struct ml_only_in *o, struct ml_only_in_thread *t)
{
	t->inside = false;
	o->insiders--;
}

void ml_only_in_leave(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp)
{
	if (t->inside && sp > t->sp)
		leave(o, t);
}

void ml_only_in_return(struct ml_only_in *o, struct ml_only_in_thread *t, uint64_t sp)
{
	if (!t->inside)
		return;
	if (sp > t->sp || (sp == t->sp && !t->depth))
		leave(o, t);
	else if (t->depth)
		t->depth--;
}
