#include "lib/trace/region_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/search.h"
#include "lib/trace/region_lookup_parts.h"
#include "lib/trace/trace.h"

enum {
	STACK_REACH = 8 * 1024 *
		      1024 /* how far the main stack may grow below what was seen */
};

static int by_address(const void *a, const void *b)
{
	const struct ml_block *x = *(const struct ml_block *const *)a;
	const struct ml_block *y = *(const struct ml_block *const *)b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size > y->size ? -1 : x->size < y->size;
}

static void add_static(struct ml_region_lookup *s, uint64_t low, uint64_t high,
		       const struct ml_block *b)
{
	if (low >= high)
		return;
	s->statics = ml_grow(s->statics, &s->static_cap, s->static_count + 1,
			     sizeof(*s->statics));
	s->statics[s->static_count++] =
		(struct ml_region_lookup_stretch){ low, high, b->region, b->addr };
}

static uint64_t end_of(const struct ml_block *b)
{
	return b->size > UINT64_MAX - b->addr ? UINT64_MAX : b->addr + b->size;
}

/*
 * Variables lie inside sections: a sweep over the blocks by address with a stack of those
 * that are open gives each address to the innermost one.
 */
static void make_statics(struct ml_region_lookup *s)
{
	size_t count = s->trace->tables.globals.count, depth = 0;
	const struct ml_block **sorted = ml_resize(NULL,
						   2 * (count + 1) * sizeof(*sorted));
	const struct ml_block **open = sorted + count + 1;
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &s->trace->tables.globals.at[i];
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 0; i <= count; i++) {
		uint64_t next = i < count ? sorted[i]->addr : UINT64_MAX;

		while (depth && end_of(open[depth - 1]) <= next) {
			const struct ml_block *top = open[--depth];

			add_static(s, at, end_of(top), top);
			at = end_of(top) > at ? end_of(top) : at;
		}
		if (depth)
			add_static(s, at, next, open[depth - 1]);
		at = next;
		if (i < count)
			open[depth++] = sorted[i];
	}
	ml_free(sorted);
}

static void count_blocks(struct ml_region_lookup *s)
{
	struct ml_trace *t = s->trace;

	s->blocks = ml_arena_alloc(&s->arena,
				   t->tables.regions.count * sizeof(*s->blocks));
	s->ordinal = ml_arena_alloc(&s->arena,
				    (t->block_count + 1) * sizeof(*s->ordinal));
	for (size_t i = 0; i < t->block_count; i++)
		s->ordinal[i] = s->blocks[t->blocks[i].region]++;
}

struct ml_region_lookup *ml_region_lookup_open(struct ml_trace *t, struct ml_err *err)
{
	if (!ml_trace_load_blocks(t, err))
		return NULL;
	struct ml_region_lookup *s = ml_resize(NULL, sizeof(*s));
	*s = (struct ml_region_lookup){ .trace = t, .epoch = 1 };
	make_statics(s);
	count_blocks(s);
	return s;
}

static void copy_map(struct ml_map *to, const struct ml_map *from)
{
	for (size_t i = 0; i < from->cap; i++)
		if (from->cells[i].used)
			*ml_map_add(to, from->cells[i].key, NULL) = from->cells[i].value;
}

struct ml_region_lookup *ml_region_lookup_open_like(const struct ml_region_lookup *other,
						    struct ml_err *err)
{
	struct ml_region_lookup *s = ml_region_lookup_open(other->trace, err);

	if (!s)
		return NULL;
	s->own = ml_grow(s->own, &s->own_cap, other->own_count, sizeof(*s->own));
	s->own_name = ml_grow(s->own_name, &s->name_cap, other->own_count,
			      sizeof(*s->own_name));
	s->own_count = other->own_count;
	for (size_t i = 0; i < other->own_count; i++) {
		s->own[i] = other->own[i];
		s->own_name[i] = ml_arena_strdup(&s->arena, other->own_name[i]);
	}
	copy_map(&s->stacks, &other->stacks);
	copy_map(&s->others, &other->others);
	return s;
}

void ml_region_lookup_close(struct ml_region_lookup *s)
{
	ml_live_blocks_release(&s->heap);
	ml_live_blocks_release(&s->over);
	ml_free(s->statics);
	ml_free(s->maps);
	ml_map_release(&s->stacks);
	ml_map_release(&s->others);
	ml_free(s->own);
	ml_free(s->own_name);
	ml_free(s->cells);
	ml_free(s->slots);
	ml_arena_release(&s->arena);
	ml_free(s);
}

void ml_region_lookup_rewind(struct ml_region_lookup *s)
{
	ml_live_blocks_release(&s->heap);
	ml_live_blocks_release(&s->over);
	s->map_count = 0;
	s->nested = false;
	s->next_block = s->next_map = 0;
	s->due = 0;
	s->epoch++;
}

/* Index of the first stretch that ends behind addr. */
static size_t stretch_at(const struct ml_region_lookup_stretch *list, size_t count,
			 uint64_t addr)
{
	return ml_search_above(list, count, sizeof(*list),
			       offsetof(struct ml_region_lookup_stretch, high), addr);
}

static uint32_t own_region(struct ml_region_lookup *s, enum ml_region_kind kind,
			   const char *name)
{
	s->own = ml_grow(s->own, &s->own_cap, s->own_count + 1, sizeof(*s->own));
	s->own_name = ml_grow(s->own_name, &s->name_cap, s->own_count + 1,
			      sizeof(*s->own_name));
	s->own[s->own_count].kind = kind;
	s->own_name[s->own_count] = name;
	return (uint32_t)(s->trace->tables.regions.count + s->own_count++);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The region of what a mapping holds, one for each kind and file. */
static uint32_t mapping_region(struct ml_region_lookup *s, const struct ml_mapping *m)
{
	bool is_new;
	uint64_t *region = ml_map_add(
		&s->others, (uint64_t)m->path << 8 | (uint64_t)m->kind, &is_new);
	const char *path = ml_tables_text(&s->trace->tables, m->path);

	if (!is_new)
		return (uint32_t)*region;
	switch (m->kind) {
	case ML_MAPPING_HEAP:
		*region = own_region(s, ML_REGION_HEAP, "heap outside known blocks");
		break;
	case ML_MAPPING_ANON:
		*region = own_region(s, ML_REGION_MMAP, "anonymous memory");
		break;
	case ML_MAPPING_FILE:
		*region = own_region(
			s, ML_REGION_MMAP,
			ml_arena_printf(&s->arena, "file %s", base_name(path)));
		break;
	default: *region = *path ? own_region(s, ML_REGION_OTHER, path) : 0;
	}
	return (uint32_t)*region;
}

/* Cuts [low, high) out of the mappings; what is left of one stays. */
static void unmap(struct ml_region_lookup *s, uint64_t low, uint64_t high)
{
	size_t i = stretch_at(s->maps, s->map_count, low);

	while (i < s->map_count && s->maps[i].low < high) {
		struct ml_region_lookup_stretch *m = &s->maps[i];

		if (m->low < low && m->high > high) {
			s->maps = ml_grow(s->maps, &s->map_cap, s->map_count + 1,
					  sizeof(*s->maps));
			m = &s->maps[i];
			memmove(m + 1, m, (s->map_count - i) * sizeof(*m));
			s->map_count++;
			m[0].high = low;
			m[1].low = high;
			return;
		}
		if (m->low < low) {
			m->high = low;
			i++;
		} else if (m->high > high) {
			m->low = high;
			return;
		} else {
			memmove(m, m + 1, (s->map_count - i - 1) * sizeof(*m));
			s->map_count--;
		}
	}
}

static void apply_mapping(struct ml_region_lookup *s, const struct ml_mapping *m)
{
	if (m->low >= m->high)
		return;
	unmap(s, m->low, m->high);
	s->epoch++;
	if (m->kind == ML_MAPPING_NONE)
		return;
	s->maps = ml_grow(s->maps, &s->map_cap, s->map_count + 1, sizeof(*s->maps));
	size_t i = stretch_at(s->maps, s->map_count, m->low);
	memmove(&s->maps[i + 1], &s->maps[i], (s->map_count - i) * sizeof(*s->maps));
	s->map_count++;
	s->maps[i] = (struct ml_region_lookup_stretch){ m->low, m->high,
							mapping_region(s, m), m->low };
}

/* Does b cover part of a registered block that lives on beside it? */
static bool begins_inside(struct ml_region_lookup *s, const struct ml_block *b)
{
	uint64_t other;

	return b->over && b->size &&
	       (ml_live_blocks_find(&s->over, s->trace->blocks, b->addr, b->from,
				    &other) ||
		ml_live_blocks_find(&s->over, s->trace->blocks, end_of(b) - 1, b->from,
				    &other));
}

void ml_region_lookup_advance(struct ml_region_lookup *s, uint64_t time)
{
	const struct ml_trace *t = s->trace;

	while (s->next_map < t->tables.mappings.count &&
	       t->tables.mappings.at[s->next_map].time <= time)
		apply_mapping(s, &t->tables.mappings.at[s->next_map++]);
	while (s->next_block < t->block_count && t->blocks[s->next_block].from <= time) {
		const struct ml_block *b = &t->blocks[s->next_block];

		/* a jump over the whole life of a block need not know it */
		if (b->until > time) {
			s->nested |= begins_inside(s, b);
			ml_live_blocks_add(b->over ? &s->over : &s->heap, t->blocks,
					   s->next_block, b->from);
			s->epoch += b->over;
			ml_region_lookup_fill_holes(s, b);
		}
		s->next_block++;
	}
	s->due = ML_FOREVER;
	if (s->next_map < t->tables.mappings.count)
		s->due = t->tables.mappings.at[s->next_map].time;
	if (s->next_block < t->block_count && t->blocks[s->next_block].from < s->due)
		s->due = t->blocks[s->next_block].from;
}

/* The function whose business the reference is: the user's, if a library works for it. */
static uint32_t function_of(const struct ml_region_lookup *s, const struct ml_ref *ref)
{
	return ml_tables_frame(&s->trace->tables, ref->caller ? ref->caller : ref->site)
		.func;
}

static uint32_t stack_region(struct ml_region_lookup *s, uint16_t thread, uint32_t func)
{
	bool is_new;
	uint64_t *region = ml_map_add(&s->stacks, (uint64_t)thread << 32 | func, &is_new);

	if (is_new) {
		const char *name = ml_tables_text(&s->trace->tables, func);

		*region = own_region(
			s, ML_REGION_STACK,
			ml_arena_printf(&s->arena, "stack of %s%s",
					*name ? name : "unknown functions",
					thread == 1 ? ""
						    : ml_arena_printf(&s->arena,
								      " (thread %u)",
								      thread)));
		s->own[s->own_count - 1].thread = thread;
		s->own[s->own_count - 1].func = func;
	}
	return (uint32_t)*region;
}

/* The lowest address that may be the thread's stack. */
static uint64_t stack_low(const struct ml_thread *t)
{
	if (t->id == 1 && t->stack_high > STACK_REACH &&
	    t->stack_low > t->stack_high - STACK_REACH)
		return t->stack_high - STACK_REACH;
	return t->stack_low;
}

/* The thread on whose stack addr lies: its own, if stacks were used again. */
static const struct ml_thread *stack_at(const struct ml_region_lookup *s, uint64_t addr,
					uint16_t thread)
{
	const struct ml_thread *found = NULL;

	for (size_t i = s->trace->tables.threads.count; i-- > 0;) {
		const struct ml_thread *t = &s->trace->tables.threads.at[i];

		if (addr < stack_low(t) || addr >= t->stack_high)
			continue;
		if (t->id == thread)
			return t;
		if (!found)
			found = t;
	}
	return found;
}

/* Keeps of what was found only the part around addr that is not in [low, high). */
static void cut(struct ml_region_lookup_found *f, uint64_t addr, uint64_t low,
		uint64_t high)
{
	if (low > addr && low < f->high)
		f->high = low;
	if (high <= addr && high > f->low)
		f->low = high;
}

/* Index i is of the first stretch that ends behind addr, which it does not hold. */
static void cut_stretches(struct ml_region_lookup_found *f, uint64_t addr,
			  const struct ml_region_lookup_stretch *list, size_t count,
			  size_t i)
{
	if (i < count)
		cut(f, addr, list[i].low, list[i].high);
	if (i)
		cut(f, addr, list[i - 1].low, list[i - 1].high);
}

/*
 * What no block, static stretch or stack holds, such as what malloc keeps between its
 * blocks: the part of a line around addr of which that can be said. Where there are no
 * blocks at all, as in imported traces, it is all up to the next thing that is known.
 */
static void find_hole(struct ml_region_lookup *s, const struct ml_ref *ref,
		      struct ml_region_lookup_found *f)
{
	const struct ml_tables *t = &s->trace->tables;
	uint64_t addr = ref->addr, line = ((uint64_t)1 << ML_REGION_LOOKUP_LINE_BITS) - 1;
	size_t i = stretch_at(s->maps, s->map_count, addr);

	f->hole = s->trace->block_count;
	if (!f->hole) {
		f->low = 0;
		f->high = UINT64_MAX;
	} else {
		f->low = addr & ~line;
		f->high = (addr | line) < UINT64_MAX ? (addr | line) + 1 : UINT64_MAX;
	}
	if (i < s->map_count && s->maps[i].low <= addr) {
		f->region = s->maps[i].region;
		f->origin = s->maps[i].origin;
		cut(f, addr, 0, s->maps[i].low);
		cut(f, addr, s->maps[i].high, UINT64_MAX);
	} else {
		f->unmapped = true;
		cut_stretches(f, addr, s->maps, s->map_count, i);
	}
	cut_stretches(f, addr, s->statics, s->static_count,
		      stretch_at(s->statics, s->static_count, addr));
	for (size_t k = 0; k < t->threads.count; k++)
		cut(f, addr, stack_low(&t->threads.at[k]), t->threads.at[k].stack_high);
	ml_live_blocks_cut(&s->heap, s->trace->blocks, addr, ref->time, &f->low,
			   &f->high);
}

/*
 * The whole stack t, but for the parts of others that go before it: those of the thread
 * itself, and all of them where somebody else's stack is looked at.
 */
static void find_stack(struct ml_region_lookup *s, const struct ml_ref *ref,
		       const struct ml_thread *t, struct ml_region_lookup_found *f)
{
	const struct ml_tables *tables = &s->trace->tables;

	f->region = stack_region(s, t->id, function_of(s, ref));
	f->origin = t->stack_low;
	f->low = stack_low(t);
	f->high = t->stack_high;
	for (size_t i = 0; i < tables->threads.count; i++) {
		const struct ml_thread *x = &tables->threads.at[i];

		if (x->id == ref->thread || t->id != ref->thread)
			cut(f, ref->addr, stack_low(x), x->stack_high);
	}
	cut_stretches(f, ref->addr, s->statics, s->static_count,
		      stretch_at(s->statics, s->static_count, ref->addr));
	if (t->id == 1)
		f->until = ML_FOREVER; /* nothing is allocated in there */
}

/* A registered region may cover part of what was found. */
static void uncover(struct ml_region_lookup *s, const struct ml_ref *ref,
		    struct ml_region_lookup_found *f)
{
	ml_live_blocks_cut(&s->over, s->trace->blocks, ref->addr, ref->time, &f->low,
			   &f->high);
}

struct ml_region_lookup_found ml_region_lookup_look(struct ml_region_lookup *s,
						    const struct ml_ref *ref)
{
	uint64_t addr = ref->addr, block;
	struct ml_region_lookup_found f = { .low = addr,
					    .high = addr + 1,
					    .origin = addr,
					    .block = ML_NO_BLOCK,
					    .until = ML_FOREVER };
	bool over = ml_live_blocks_find(&s->over, s->trace->blocks, addr, ref->time,
					&block);

	if (over ||
	    ml_live_blocks_find(&s->heap, s->trace->blocks, addr, ref->time, &block)) {
		const struct ml_block *b = &s->trace->blocks[block];

		if (!over || !s->nested) {
			f.low = b->addr;
			f.high = end_of(b);
		}
		f.origin = b->addr;
		f.block = block;
		f.until = b->until;
		f.region = b->region;
		if (!over)
			uncover(s, ref, &f);
		return f;
	}
	size_t i = stretch_at(s->statics, s->static_count, addr);
	if (i < s->static_count && s->statics[i].low <= addr) {
		const struct ml_region_lookup_stretch *x = &s->statics[i];

		f.low = x->low;
		f.high = x->high;
		f.origin = x->origin;
		f.region = x->region;
		uncover(s, ref, &f);
		return f;
	}
	/* what no block covers now may be covered by the next one that begins */
	if (s->next_block < s->trace->block_count)
		f.until = s->trace->blocks[s->next_block].from;
	const struct ml_thread *t = stack_at(s, addr, ref->thread);
	if (t)
		find_stack(s, ref, t, &f);
	else
		find_hole(s, ref, &f);
	uncover(s, ref, &f);
	return f;
}

static inline const struct ml_region_lookup_found *look_up(struct ml_region_lookup *s,
							   const struct ml_ref *ref)
{
	struct ml_region_lookup_memo *m = &s->memo[ref->site % ML_REGION_LOOKUP_MEMO];
	const struct ml_region_lookup_found *f = &m->found;

	if (ref->time >= s->due)
		ml_region_lookup_advance(s, ref->time);
	if (m->epoch != s->epoch || m->site != ref->site || ref->addr < f->low ||
	    ref->addr >= f->high || ref->time >= f->until || m->caller != ref->caller ||
	    m->thread != ref->thread)
		*m = (struct ml_region_lookup_memo){ ml_region_lookup_look(s, ref),
						     ref->site, ref->caller, s->epoch,
						     ref->thread };
	return f;
}

struct ml_place ml_region_lookup_find(struct ml_region_lookup *s,
				      const struct ml_ref *ref)
{
	const struct ml_region_lookup_found *f = look_up(s, ref);

	return (struct ml_place){ f->region, f->block,
				  f->unmapped ? 0 : ref->addr - f->origin };
}

uint32_t ml_region_lookup_regions(const struct ml_region_lookup *s)
{
	return (uint32_t)(s->trace->tables.regions.count + s->own_count);
}

const struct ml_region *ml_region_lookup_region(const struct ml_region_lookup *s,
						uint32_t region)
{
	size_t known = s->trace->tables.regions.count;

	return region < known ? &s->trace->tables.regions.at[region]
			      : &s->own[region - known];
}

const char *ml_region_lookup_name(const struct ml_region_lookup *s, uint32_t region)
{
	size_t known = s->trace->tables.regions.count;

	if (region >= known)
		return s->own_name[region - known];
	return ml_tables_text(&s->trace->tables,
			      s->trace->tables.regions.at[region].name);
}

uint64_t ml_region_lookup_size(const struct ml_region_lookup *s, const struct ml_place *p)
{
	if (p->block != ML_NO_BLOCK)
		return s->trace->blocks[p->block].size;
	const struct ml_tables *t = &s->trace->tables;
	for (size_t i = 0; i < t->globals.count; i++)
		if (t->globals.at[i].region == p->region)
			return t->globals.at[i].size;
	return 0;
}

/* The name of the field that holds offset, "" if none. */
static const char *field_at(const struct ml_tables *t, const struct ml_region *r,
			    uint64_t offset)
{
	for (uint32_t i = 0; i < r->fields; i++) {
		const struct ml_field *f = &t->fields.at[r->field + i];

		if (offset >= f->offset && offset - f->offset < f->size)
			return ml_tables_text(t, f->name);
	}
	return "";
}

const char *ml_region_lookup_describe(const struct ml_region_lookup *s,
				      const struct ml_place *p, struct ml_arena *a)
{
	const struct ml_region *r = ml_region_lookup_region(s, p->region);
	const char *text = ml_region_lookup_name(s, p->region);

	if (p->block != ML_NO_BLOCK && s->blocks[p->region] > 1)
		text = ml_arena_printf(a, "%s#%u", text, s->ordinal[p->block]);
	if (r->kind == ML_REGION_STACK)
		return text;
	if (!r->elem)
		return ml_arena_printf(a, "%s+%llu", text, (unsigned long long)p->offset);
	uint64_t element = p->offset / r->elem, within = p->offset % r->elem;
	uint64_t size = ml_region_lookup_size(s, p);
	uint32_t dims = r->dims ? r->dims : 1;
	if (r->dims || size != r->elem) {
		uint64_t below = 1; /* elements of the dimensions behind */

		for (uint32_t i = 1; i < dims; i++)
			below *= r->dim[i] ? r->dim[i] : 1;
		for (uint32_t i = 0; i < dims; i++) {
			text = ml_arena_printf(a, "%s[%llu]", text,
					       (unsigned long long)(element / below));
			element %= below;
			if (i + 1 < dims)
				below /= r->dim[i + 1] ? r->dim[i + 1] : 1;
		}
	}
	const char *field = field_at(&s->trace->tables, r, within);
	if (*field)
		return ml_arena_printf(a, "%s.%s", text, field);
	return within ? ml_arena_printf(a, "%s+%llu", text, (unsigned long long)within)
		      : text;
}
