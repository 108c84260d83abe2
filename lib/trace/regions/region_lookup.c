#include "lib/trace/regions/region_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/path.h"
#include "lib/base/search.h"
#include "lib/trace/regions/region_lookup_parts.h"
#include "lib/trace/regions/region_shape.h"
#include "lib/trace/trace.h"

static int by_address(const void *a, const void *b)
{
	const struct ml_block *x = *(const struct ml_block *const *)a;
	const struct ml_block *y = *(const struct ml_block *const *)b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size > y->size ? -1 : x->size < y->size;
}

static void add_static(struct ml_region_lookup *l, uint64_t low, uint64_t high,
		       const struct ml_block *b)
{
	if (low >= high)
		return;
	l->statics = ml_grow(l->statics, &l->static_cap, l->static_count + 1,
			     sizeof(*l->statics));
	l->statics[l->static_count++] =
		(struct ml_region_lookup_stretch){ low, high, b->region, b->addr };
}

static uint64_t end_of(const struct ml_block *b)
{
	return b->size > UINT64_MAX - b->addr ? UINT64_MAX : b->addr + b->size;
}

/*
 * Variables lie inside sections. A sweep over the blocks by address, with a stack of the
 * blocks that are open, gives each address to its innermost block.
 */
static void make_statics(struct ml_region_lookup *l)
{
	size_t count = l->trace->tables.globals.count, depth = 0;
	const struct ml_block **sorted = ml_resize(NULL,
						   2 * (count + 1) * sizeof(*sorted));
	const struct ml_block **open = sorted + count + 1;
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &l->trace->tables.globals.at[i];
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 0; i <= count; i++) {
		uint64_t next = i < count ? sorted[i]->addr : UINT64_MAX;

		while (depth && end_of(open[depth - 1]) <= next) {
			const struct ml_block *top = open[--depth];

			add_static(l, at, end_of(top), top);
			at = end_of(top) > at ? end_of(top) : at;
		}
		if (depth)
			add_static(l, at, next, open[depth - 1]);
		at = next;
		if (i < count)
			open[depth++] = sorted[i];
	}
	ml_free(sorted);
}

static void count_blocks(struct ml_region_lookup *l)
{
	struct ml_trace *t = l->trace;

	l->blocks = ml_arena_alloc(&l->arena,
				   t->tables.regions.count * sizeof(*l->blocks));
	l->ordinal = ml_arena_alloc(&l->arena,
				    (t->block_count + 1) * sizeof(*l->ordinal));
	for (size_t i = 0; i < t->block_count; i++)
		l->ordinal[i] = l->blocks[t->blocks[i].region]++;
}

struct ml_region_lookup *ml_region_lookup_open(struct ml_trace *t, struct ml_err *err)
{
	if (!ml_trace_load_blocks(t, err))
		return NULL;
	struct ml_region_lookup *l = ml_resize(NULL, sizeof(*l));
	*l = (struct ml_region_lookup){ .trace = t, .epoch = 1 };
	ml_stack_index_init(&l->stack_index, &t->tables);
	make_statics(l);
	count_blocks(l);
	l->func = ml_arena_alloc(&l->arena, t->tables.sites.count * sizeof(*l->func));
	return l;
}

static void copy_map(struct ml_map *to, const struct ml_map *from)
{
	const struct ml_map_cell *c;

	for (size_t at = 0; (c = ml_map_next(from, &at));)
		*ml_map_add(to, c->key, NULL) = c->value;
}

struct ml_region_lookup *ml_region_lookup_open_like(const struct ml_region_lookup *other,
						    struct ml_err *err)
{
	struct ml_region_lookup *l = ml_region_lookup_open(other->trace, err);

	if (!l)
		return NULL;
	l->own = ml_grow(l->own, &l->own_cap, other->own_count, sizeof(*l->own));
	l->own_name = ml_grow(l->own_name, &l->name_cap, other->own_count,
			      sizeof(*l->own_name));
	l->own_count = other->own_count;
	for (size_t i = 0; i < other->own_count; i++) {
		l->own[i] = other->own[i];
		l->own_name[i] = ml_arena_strdup(&l->arena, other->own_name[i]);
	}
	copy_map(&l->stacks, &other->stacks);
	copy_map(&l->others, &other->others);
	return l;
}

void ml_region_lookup_close(struct ml_region_lookup *l)
{
	ml_live_blocks_release(&l->heap);
	ml_live_blocks_release(&l->over);
	ml_stack_index_release(&l->stack_index);
	ml_free(l->statics);
	ml_free(l->maps);
	ml_map_release(&l->stacks);
	ml_map_release(&l->others);
	ml_free(l->own);
	ml_free(l->own_name);
	ml_free(l->cells);
	ml_free(l->slots);
	ml_arena_release(&l->arena);
	ml_free(l);
}

void ml_region_lookup_rewind(struct ml_region_lookup *l)
{
	ml_live_blocks_release(&l->heap);
	ml_live_blocks_release(&l->over);
	l->map_count = 0;
	l->nested = false;
	l->next_block = l->next_map = 0;
	l->due = 0;
	l->epoch++;
}

/* Index of the first stretch that ends above addr. */
static size_t stretch_at(const struct ml_region_lookup_stretch *list, size_t count,
			 uint64_t addr)
{
	return ml_search_above(list, count, sizeof(*list),
			       offsetof(struct ml_region_lookup_stretch, high), addr);
}

static uint32_t own_region(struct ml_region_lookup *l, enum ml_region_kind kind,
			   const char *name)
{
	l->own = ml_grow(l->own, &l->own_cap, l->own_count + 1, sizeof(*l->own));
	l->own_name = ml_grow(l->own_name, &l->name_cap, l->own_count + 1,
			      sizeof(*l->own_name));
	l->own[l->own_count].kind = kind;
	l->own_name[l->own_count] = name;
	return (uint32_t)(l->trace->tables.regions.count + l->own_count++);
}

/* The region of a mapping: one for each kind and file. */
static uint32_t mapping_region(struct ml_region_lookup *l, const struct ml_mapping *m)
{
	bool is_new;
	uint64_t *region = ml_map_add(
		&l->others, (uint64_t)m->path << 8 | (uint64_t)m->kind, &is_new);
	const char *path = ml_tables_text(&l->trace->tables, m->path);

	if (!is_new)
		return (uint32_t)*region;
	switch (m->kind) {
	case ML_MAPPING_HEAP:
		*region = own_region(l, ML_REGION_HEAP, "heap outside known blocks");
		break;
	case ML_MAPPING_ANON:
		*region = own_region(l, ML_REGION_MMAP, "anonymous memory");
		break;
	case ML_MAPPING_FILE:
		*region = own_region(
			l, ML_REGION_MMAP,
			ml_arena_printf(&l->arena, "file %s", ml_path_name(path)));
		break;
	default: *region = *path ? own_region(l, ML_REGION_OTHER, path) : 0;
	}
	return (uint32_t)*region;
}

/* Removes [low, high) from the mappings; the rest of a mapping stays. */
static void unmap(struct ml_region_lookup *l, uint64_t low, uint64_t high)
{
	size_t i = stretch_at(l->maps, l->map_count, low);

	while (i < l->map_count && l->maps[i].low < high) {
		struct ml_region_lookup_stretch *m = &l->maps[i];

		if (m->low < low && m->high > high) {
			l->maps = ml_grow(l->maps, &l->map_cap, l->map_count + 1,
					  sizeof(*l->maps));
			m = &l->maps[i];
			memmove(m + 1, m, (l->map_count - i) * sizeof(*m));
			l->map_count++;
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
			memmove(m, m + 1, (l->map_count - i - 1) * sizeof(*m));
			l->map_count--;
		}
	}
}

static void apply_mapping(struct ml_region_lookup *l, const struct ml_mapping *m)
{
	if (m->low >= m->high)
		return;
	unmap(l, m->low, m->high);
	l->epoch++;
	if (m->kind == ML_MAPPING_NONE)
		return;
	l->maps = ml_grow(l->maps, &l->map_cap, l->map_count + 1, sizeof(*l->maps));
	size_t i = stretch_at(l->maps, l->map_count, m->low);
	memmove(&l->maps[i + 1], &l->maps[i], (l->map_count - i) * sizeof(*l->maps));
	l->map_count++;
	l->maps[i] = (struct ml_region_lookup_stretch){ m->low, m->high,
							mapping_region(l, m), m->low };
}

/* Does the registered block b overlap another one that stays live? */
static bool begins_inside(struct ml_region_lookup *l, const struct ml_block *b)
{
	uint64_t other;

	return b->over && b->size &&
	       (ml_live_blocks_find(&l->over, l->trace->blocks, b->addr, b->from,
				    &other) ||
		ml_live_blocks_find(&l->over, l->trace->blocks, end_of(b) - 1, b->from,
				    &other));
}

void ml_region_lookup_advance(struct ml_region_lookup *l, uint64_t time)
{
	const struct ml_trace *t = l->trace;

	while (l->next_map < t->tables.mappings.count &&
	       t->tables.mappings.at[l->next_map].time <= time)
		apply_mapping(l, &t->tables.mappings.at[l->next_map++]);
	while (l->next_block < t->block_count && t->blocks[l->next_block].from <= time) {
		const struct ml_block *b = &t->blocks[l->next_block];

		/* blocks that begin and end before `time` do not matter */
		if (b->until > time) {
			l->nested |= begins_inside(l, b);
			ml_live_blocks_add(b->over ? &l->over : &l->heap, t->blocks,
					   l->next_block, b->from);
			l->epoch += b->over;
			ml_region_lookup_fill_holes(l, b);
		}
		l->next_block++;
	}
	l->due = ML_FOREVER;
	if (l->next_map < t->tables.mappings.count)
		l->due = t->tables.mappings.at[l->next_map].time;
	if (l->next_block < t->block_count && t->blocks[l->next_block].from < l->due)
		l->due = t->blocks[l->next_block].from;
}

/* The function that a reference counts for: the caller in the user's code, if any. Code
 * of the standard library counts for the function that it is inlined into. */
static uint32_t function_of(struct ml_region_lookup *l, const struct ml_ref *ref)
{
	uint32_t site = ref->caller ? ref->caller : ref->site;

	if (!l->func[site])
		l->func[site] = ml_tables_own_frame(&l->trace->tables, site).func + 1;
	return l->func[site] - 1;
}

static uint32_t stack_region(struct ml_region_lookup *l, uint16_t thread, uint32_t func)
{
	bool is_new;
	uint64_t *region = ml_map_add(&l->stacks, (uint64_t)thread << 32 | func, &is_new);

	if (is_new) {
		const char *name = ml_tables_text(&l->trace->tables, func);

		*region = own_region(
			l, ML_REGION_STACK,
			ml_arena_printf(&l->arena, "stack of %s%s",
					*name ? name : "unknown functions",
					thread == 1 ? ""
						    : ml_arena_printf(&l->arena,
								      " (thread %u)",
								      thread)));
		l->own[l->own_count - 1].thread = thread;
		l->own[l->own_count - 1].func = func;
	}
	return (uint32_t)*region;
}

/* Narrows the addresses of an answer to the part around addr outside of [low, high). */
static void cut(struct ml_region_lookup_found *f, uint64_t addr, uint64_t low,
		uint64_t high)
{
	if (low > addr && low < f->high)
		f->high = low;
	if (high <= addr && high > f->low)
		f->low = high;
}

/* The same for the neighbours of addr in a list. Stretch i is the first that ends above
 * addr; it does not hold addr. */
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
 * Fills in the answer for an address in no block, static stretch or stack, for example
 * the memory that malloc keeps between its blocks. The answer holds for the part of the
 * address line around addr that nothing else covers. A trace without blocks, such as an
 * imported one, has no lines: there it holds up to the next mapping, static or stack.
 */
static void find_hole(struct ml_region_lookup *l, const struct ml_ref *ref,
		      struct ml_region_lookup_found *f)
{
	uint64_t addr = ref->addr, line = ((uint64_t)1 << ML_REGION_LOOKUP_LINE_BITS) - 1;
	size_t i = stretch_at(l->maps, l->map_count, addr);

	f->hole = l->trace->block_count;
	if (!f->hole) {
		f->low = 0;
		f->high = UINT64_MAX;
	} else {
		f->low = addr & ~line;
		f->high = (addr | line) < UINT64_MAX ? (addr | line) + 1 : UINT64_MAX;
	}
	if (i < l->map_count && l->maps[i].low <= addr) {
		f->region = l->maps[i].region;
		f->origin = l->maps[i].origin;
		cut(f, addr, 0, l->maps[i].low);
		cut(f, addr, l->maps[i].high, UINT64_MAX);
	} else {
		f->unmapped = true;
		cut_stretches(f, addr, l->maps, l->map_count, i);
	}
	cut_stretches(f, addr, l->statics, l->static_count,
		      stretch_at(l->statics, l->static_count, addr));
	ml_stack_index_cut(&l->stack_index, addr, &f->low, &f->high);
	ml_live_blocks_cut(&l->heap, l->trace->blocks, addr, ref->time, &f->low,
			   &f->high);
}

/*
 * Fills in the answer for an address on the stack of thread t. The answer holds for the
 * whole stack but for parts that belong to a stack with precedence: another stack of the
 * referencing thread, or any other stack if t is not that thread.
 */
static void find_stack(struct ml_region_lookup *l, const struct ml_ref *ref,
		       const struct ml_thread *t, struct ml_region_lookup_found *f)
{
	f->region = stack_region(l, t->id, function_of(l, ref));
	f->origin = t->stack_low;
	f->low = ml_stack_low(t);
	f->high = t->stack_high;
	if (t->id == ref->thread)
		ml_stack_index_cut_own(&l->stack_index, ref->addr, t->id, &f->low,
				       &f->high);
	else
		ml_stack_index_cut(&l->stack_index, ref->addr, &f->low, &f->high);
	cut_stretches(f, ref->addr, l->statics, l->static_count,
		      stretch_at(l->statics, l->static_count, ref->addr));
	if (t->id == 1)
		f->until = ML_FOREVER; /* no block is allocated on the main stack */
}

/* Narrows the answer to addresses that no registered block covers. */
static void uncover(struct ml_region_lookup *l, const struct ml_ref *ref,
		    struct ml_region_lookup_found *f)
{
	ml_live_blocks_cut(&l->over, l->trace->blocks, ref->addr, ref->time, &f->low,
			   &f->high);
}

struct ml_region_lookup_found ml_region_lookup_look(struct ml_region_lookup *l,
						    const struct ml_ref *ref)
{
	uint64_t addr = ref->addr, block;
	struct ml_region_lookup_found f = { .low = addr,
					    .high = addr + 1,
					    .origin = addr,
					    .block = ML_NO_BLOCK,
					    .until = ML_FOREVER };
	bool over = ml_live_blocks_find(&l->over, l->trace->blocks, addr, ref->time,
					&block);

	if (over ||
	    ml_live_blocks_find(&l->heap, l->trace->blocks, addr, ref->time, &block)) {
		const struct ml_block *b = &l->trace->blocks[block];

		if (!over || !l->nested) {
			f.low = b->addr;
			f.high = end_of(b);
		}
		f.origin = b->addr;
		f.block = block;
		f.until = b->until;
		f.region = b->region;
		if (!over)
			uncover(l, ref, &f);
		return f;
	}
	size_t i = stretch_at(l->statics, l->static_count, addr);
	if (i < l->static_count && l->statics[i].low <= addr) {
		const struct ml_region_lookup_stretch *x = &l->statics[i];

		f.low = x->low;
		f.high = x->high;
		f.origin = x->origin;
		f.region = x->region;
		uncover(l, ref, &f);
		return f;
	}
	/* the next block that begins may cover the address */
	if (l->next_block < l->trace->block_count)
		f.until = l->trace->blocks[l->next_block].from;
	const struct ml_thread *t = ml_stack_index_find(&l->stack_index, addr,
							ref->thread);
	if (t)
		find_stack(l, ref, t, &f);
	else
		find_hole(l, ref, &f);
	uncover(l, ref, &f);
	return f;
}

static const struct ml_region_lookup_found *look_up(struct ml_region_lookup *l,
						    const struct ml_ref *ref)
{
	struct ml_region_lookup_memo *m = &l->memo[ref->site % ML_REGION_LOOKUP_MEMO];
	const struct ml_region_lookup_found *f = &m->found;

	if (ref->time >= l->due)
		ml_region_lookup_advance(l, ref->time);
	if (m->epoch != l->epoch || m->site != ref->site || ref->addr < f->low ||
	    ref->addr >= f->high || ref->time >= f->until || m->caller != ref->caller ||
	    m->thread != ref->thread)
		*m = (struct ml_region_lookup_memo){ ml_region_lookup_look(l, ref),
						     ref->site, ref->caller, l->epoch,
						     ref->thread };
	return f;
}

struct ml_place ml_region_lookup_find(struct ml_region_lookup *l,
				      const struct ml_ref *ref)
{
	const struct ml_region_lookup_found *f = look_up(l, ref);

	return (struct ml_place){ f->region, f->block,
				  f->unmapped ? 0 : ref->addr - f->origin };
}

/* The memo of a site mostly holds its next reference, too. */
void ml_region_lookup_places(struct ml_region_lookup *l, const struct ml_batch *batch,
			     uint32_t *region, uint64_t *block, uint64_t *offset)
{
	for (size_t i = 0; i < batch->count; i++) {
		uint32_t site = batch->site[i];
		uint64_t addr = batch->addr[i], time = batch->time + i;
		const struct ml_region_lookup_memo *m =
			&l->memo[site % ML_REGION_LOOKUP_MEMO];
		const struct ml_region_lookup_found *f = &m->found;

		if (__builtin_expect(
			    addr - f->low >= f->high - f->low || m->site != site ||
				    m->caller != batch->caller[i] ||
				    m->thread != batch->thread[i] || time >= f->until ||
				    time >= l->due || m->epoch != l->epoch,
			    0)) {
			struct ml_ref ref = ml_batch_ref(batch, i);

			f = look_up(l, &ref);
		}
		region[i] = f->region;
		block[i] = f->block;
		offset[i] = f->unmapped ? 0 : addr - f->origin;
	}
}

uint32_t ml_region_lookup_regions(const struct ml_region_lookup *l)
{
	return (uint32_t)(l->trace->tables.regions.count + l->own_count);
}

const struct ml_region *ml_region_lookup_region(const struct ml_region_lookup *l,
						uint32_t region)
{
	size_t known = l->trace->tables.regions.count;

	return region < known ? &l->trace->tables.regions.at[region]
			      : &l->own[region - known];
}

const char *ml_region_lookup_name(const struct ml_region_lookup *l, uint32_t region)
{
	size_t known = l->trace->tables.regions.count;

	if (region >= known)
		return l->own_name[region - known];
	return ml_tables_text(&l->trace->tables,
			      l->trace->tables.regions.at[region].name);
}

uint64_t ml_region_lookup_size(const struct ml_region_lookup *l, const struct ml_place *p)
{
	if (p->block != ML_NO_BLOCK)
		return l->trace->blocks[p->block].size;
	const struct ml_tables *t = &l->trace->tables;
	for (size_t i = 0; i < t->globals.count; i++)
		if (t->globals.at[i].region == p->region)
			return t->globals.at[i].size;
	return 0;
}

/* The name of the field at an offset; "": none. */
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

const char *ml_region_lookup_describe(const struct ml_region_lookup *l,
				      const struct ml_place *p, struct ml_arena *a)
{
	const struct ml_region *r = ml_region_lookup_region(l, p->region);
	const char *text = ml_region_lookup_name(l, p->region);

	if (p->block != ML_NO_BLOCK && l->blocks[p->region] > 1)
		text = ml_arena_printf(a, "%s#%u", text, l->ordinal[p->block]);
	if (r->kind == ML_REGION_STACK)
		return text;
	if (!r->elem)
		return ml_arena_printf(a, "%s+%llu", text, (unsigned long long)p->offset);
	uint64_t element = p->offset / r->elem, within = p->offset % r->elem;
	uint64_t size = ml_region_lookup_size(l, p);
	if (r->dims || size != r->elem)
		text = ml_arena_printf(a, "%s%s", text, ml_region_index(r, element, a));
	const char *field = field_at(&l->trace->tables, r, within);
	if (*field)
		return ml_arena_printf(a, "%s.%s", text, field);
	return within ? ml_arena_printf(a, "%s+%llu", text, (unsigned long long)within)
		      : text;
}
