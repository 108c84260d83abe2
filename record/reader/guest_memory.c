#include "record/reader/guest_memory.h"

#include <stdio.h>
#include <string.h>

#include "lib/trace/writer.h"
#include "record/symbols/heap_name.h"
#include "record/symbols/member_arrays.h"
#include "record/reader/ring_message.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"

enum {
	DEPTH = 64,
	NUMBERS_AHEAD = 1 << 16,
	STACK_REACH = 8 << 20, /* of the first thread, whose stack grows */
	SIZES_MAX = 16,        /* sizes of a stack that have regions of their own */
};

void ml_guest_memory_init(struct ml_guest_memory *g, struct ml_objects *objects,
			  struct ml_writer *writer)
{
	*g = (struct ml_guest_memory){ .objects = objects, .writer = writer };
}

void ml_guest_memory_release(struct ml_guest_memory *g)
{
	ml_free(g->stacks);
	ml_free(g->mapped);
	ml_live_memory_release(&g->heap);
	ml_live_memory_release(&g->registered);
	ml_map_release(&g->numbers);
	ml_map_release(&g->sized);
	ml_arena_release(&g->arena);
}

void ml_guest_memory_add_stack(struct ml_guest_memory *g, uint32_t id,
			       const uint64_t *ips, size_t count)
{
	if (id > g->stack_count + NUMBERS_AHEAD) /* guests number them consecutively */
		return;
	if (count > DEPTH)
		count = DEPTH;
	g->stacks = ml_grow(g->stacks, &g->stack_cap, id + 1u, sizeof(*g->stacks));
	struct ml_guest_stack *s = &g->stacks[id];
	/* a forked child declares again the stacks that it inherits */
	if (count && s->count == count && !memcmp(s->ip, ips, count * sizeof(*ips)))
		return;
	*s = (struct ml_guest_stack){ .count = (uint32_t)count };
	s->ip = ml_arena_alloc(&g->arena, count * sizeof(*s->ip));
	memcpy(s->ip, ips, count * sizeof(*s->ip));
	if (id >= g->stack_count)
		g->stack_count = id + 1;
	*ml_map_add(&g->numbers, ml_hash(ips, count * sizeof(*ips)), NULL) = id + 1u;
}

uint32_t ml_guest_memory_find_stack(struct ml_guest_memory *g, const uint64_t *ips,
				    size_t count)
{
	while (count && !ips[count - 1])
		count--;
	if (count > DEPTH)
		count = DEPTH;
	uint64_t *number = ml_map_find(&g->numbers, ml_hash(ips, count * sizeof(*ips)));
	if (number)
		return (uint32_t)*number - 1;
	uint32_t id = (uint32_t)g->stack_count;
	ml_guest_memory_add_stack(g, id, ips, count);
	return id;
}

static uint32_t new_region(struct ml_guest_memory *g, const struct ml_guest_stack *s,
			   enum ml_region_kind kind, uint64_t size,
			   struct ml_region_parts *parts)
{
	uint32_t sites[DEPTH];

	for (uint32_t i = 0; i < s->count; i++)
		sites[i] = ml_sites_resolve(g->objects, s->ip[i]);
	return ml_heap_name_region(g->objects, kind, sites, s->count, size, parts);
}

static bool has_line(const struct ml_guest_memory *g, uint32_t region)
{
	return g->objects->tables->regions.at[region].line;
}

/* A new region is that of all blocks of its stack, or of those of one size: returns it
 * then, else 0. */
static uint32_t keep_region(struct ml_guest_memory *g, uint32_t id, uint64_t size,
			    uint32_t region)
{
	struct ml_guest_stack *s = &g->stacks[id];
	uint64_t key[] = { id, size };

	if (size < ML_HEAP_NAME_LARGE || has_line(g, region)) {
		s->heap = region;
		return 0;
	}
	s->sizes++;
	*ml_map_add(&g->sized, ml_hash(key, sizeof(key)), NULL) = region;
	return region;
}

/*
 * Code without lines, such as an interpreter, allocates everything at a few places. What
 * tells its large arrays apart is their size. 0: the block belongs to the other ones of
 * the stack.
 */
static uint32_t region_of_size(struct ml_guest_memory *g, uint32_t id, uint64_t size)
{
	struct ml_guest_stack *s = &g->stacks[id];
	uint64_t key[] = { id, size };
	bool is_new;

	if (size < ML_HEAP_NAME_LARGE || (s->heap && has_line(g, s->heap)))
		return 0;
	uint64_t *known = ml_map_add(&g->sized, ml_hash(key, sizeof(key)), &is_new);
	if (!is_new || s->sizes == SIZES_MAX)
		return (uint32_t)*known;
	return keep_region(g, id, size, new_region(g, s, ML_REGION_HEAP, size, NULL));
}

/* The region of the blocks of a stack; it is made and named with the first block. */
static uint32_t region_of(struct ml_guest_memory *g, uint32_t id,
			  enum ml_region_kind kind, uint64_t size)
{
	if (id >= g->stack_count || !g->stacks[id].count)
		return 0;
	struct ml_guest_stack *s = &g->stacks[id];
	uint32_t *region = kind == ML_REGION_HEAP ? &s->heap : &s->mmap;
	uint32_t sized = kind == ML_REGION_HEAP ? region_of_size(g, id, size) : 0;

	if (sized)
		return sized;
	if (!*region)
		*region = new_region(g, s, kind, size, NULL);
	return *region;
}

/* The parts of the blocks of a stack that have this size, or NULL: a structure with
 * tables in it. The first block of a stack decides. */
static const struct ml_region_parts *parts_of(struct ml_guest_memory *g, uint32_t id,
					      uint64_t size)
{
	struct ml_region_parts parts;

	if (id >= g->stack_count || !g->stacks[id].count)
		return NULL;
	struct ml_guest_stack *s = &g->stacks[id];
	if (!s->heap && !s->sizes && !s->parts && size >= ML_MEMBER_ARRAY_SIZE) {
		uint32_t region = new_region(g, s, ML_REGION_HEAP, size, &parts);

		if (parts.count) {
			s->parts = ml_arena_alloc(&g->arena, sizeof(parts));
			*s->parts = parts;
		} else {
			keep_region(g, id, size, region);
		}
	}
	return s->parts && s->parts->size == size ? s->parts : NULL;
}

/* Ends the block that begins at addr. A serial other than 0 must be that of the block. */
static void end(struct ml_guest_memory *g, uint64_t addr, uint64_t serial)
{
	struct ml_memory_piece *there = ml_live_memory_find(&g->heap, addr);

	if (!there || (serial && serial != there->serial))
		return;
	const struct ml_region_parts *p = there->number < g->stack_count
						  ? g->stacks[there->number].parts
						  : NULL;
	bool divided = p && p->size == there->size;
	ml_live_memory_remove(there);
	for (size_t i = 0; divided && i < p->count; i++)
		ml_writer_free(g->writer, addr + p->at[i].offset);
	if (!divided)
		ml_writer_free(g->writer, addr);
}

void ml_guest_memory_free(struct ml_guest_memory *g, uint64_t addr)
{
	end(g, addr, 0);
}

void ml_guest_memory_allocating(struct ml_guest_memory *g, struct ml_guest_allocation *m,
				enum ml_allocating what, uint64_t old)
{
	if (what == ML_ALLOCATING_FREED && m->serial)
		end(g, m->old, m->serial);
	*m = (struct ml_guest_allocation){ 0 };
	if (what != ML_ALLOCATING_BEGIN)
		return;
	const struct ml_memory_piece *there = ml_live_memory_find(&g->heap, old);
	*m = (struct ml_guest_allocation){ ml_writer_time(g->writer) + 1, old,
					   there ? there->serial : 0 };
}

/*
 * The old block lives until the new one exists, because realloc copies from it. By then
 * another thread may have been given the same memory, hence the serial. The new block is
 * written first: events of a trace are in order of time, and the new block begins
 * earlier than the old one ends.
 */
void ml_guest_memory_alloc(struct ml_guest_memory *g, struct ml_guest_allocation *m,
			   uint32_t stack, uint64_t addr, uint64_t size)
{
	const struct ml_region_parts *p = parts_of(g, stack, size);

	for (size_t i = 0; p && i < p->count; i++)
		ml_writer_alloc_since(g->writer, p->at[i].region, addr + p->at[i].offset,
				      p->at[i].size, m->since - 1);
	if (!p)
		ml_writer_alloc_since(g->writer,
				      region_of(g, stack, ML_REGION_HEAP, size), addr,
				      size, m->since - 1);
	ml_live_memory_add(&g->heap, addr, size, stack);
	if (m->serial && m->old != addr)
		end(g, m->old, m->serial);
	*m = (struct ml_guest_allocation){ 0 };
}

static void begin(struct ml_guest_memory *g, uint64_t low, uint64_t high, uint32_t stack)
{
	g->mapped = ml_grow(g->mapped, &g->mapped_cap, g->mapped_count + 1,
			    sizeof(*g->mapped));
	g->mapped[g->mapped_count++] = (struct ml_guest_mapped){ low, high, stack };
	ml_writer_alloc(g->writer, region_of(g, stack, ML_REGION_MMAP, high - low), low,
			high - low);
}

void ml_guest_memory_mmap(struct ml_guest_memory *g, uint32_t stack, uint64_t addr,
			  uint64_t size)
{
	begin(g, addr, addr + size, stack);
}

void ml_guest_memory_unmap(struct ml_guest_memory *g, uint64_t low, uint64_t high)
{
	for (size_t i = g->mapped_count; i-- > 0;) {
		struct ml_guest_mapped m = g->mapped[i];

		if (m.high <= low || m.low >= high)
			continue;
		g->mapped[i] = g->mapped[--g->mapped_count];
		ml_writer_free(g->writer, m.low);
		if (m.low < low)
			begin(g, m.low, low, m.stack);
		if (m.high > high)
			begin(g, high, m.high, m.stack);
	}
}

void ml_guest_memory_register(struct ml_guest_memory *g, bool stack,
			      const uint64_t *payload, const char *name)
{
	struct ml_tables *tables = g->objects->tables;
	uint64_t addr = payload[0], bytes = payload[1], rows = payload[3],
		 cols = payload[4];
	struct ml_region *r = ML_ADD(tables->regions);
	uint32_t number = (uint32_t)tables->regions.count - 1;

	r->kind = stack ? ML_REGION_STACK : ML_REGION_REGISTERED;
	r->name = ml_tables_name(tables, name);
	r->elem = payload[2];
	if (rows > 1 || cols > 1) {
		r->dims = cols > 1 ? 2 : 1;
		r->dim[0] = rows;
		r->dim[1] = cols;
	}
	ml_writer_register(g->writer, number, addr, bytes);
	ml_live_memory_add(&g->registered, addr, bytes, number);
}

void ml_guest_memory_unregister(struct ml_guest_memory *g, uint64_t addr)
{
	struct ml_memory_piece *there = ml_live_memory_find(&g->registered, addr);

	if (!there)
		return;
	ml_live_memory_remove(there);
	ml_writer_unregister(g->writer, addr);
}

/* Declares the stack before the first of its blocks. */
static void report_block(const struct ml_guest_memory *g, enum ml_word type,
			 uint32_t stack, uint64_t addr, uint64_t size, bool *declared,
			 struct ml_buf *out)
{
	if (stack < g->stack_count && !declared[stack]) {
		const struct ml_guest_stack *s = &g->stacks[stack];

		declared[stack] = true;
		if (s->count)
			ml_ring_message_put(out, ML_WORD_STACK, stack, s->ip, s->count,
					    NULL);
	}
	ml_ring_message_put(out, type, stack, (const uint64_t[]){ addr, size }, 2, NULL);
}

/* The last entry of a thread is the valid one. */
static void report_stacks(const struct ml_tables *tables, uint32_t forking,
			  struct ml_buf *out)
{
	bool seen[UINT16_MAX + 1] = { false };

	for (size_t i = tables->threads.count; i-- > 0;) {
		const struct ml_thread *t = &tables->threads.at[i];
		uint64_t low = t->stack_low, high = t->stack_high;
		char name[64];

		if (seen[t->id])
			continue;
		seen[t->id] = true;
		if (t->id == forking || t->until != ML_FOREVER || low >= high)
			continue;
		if (t->id == 1 && high > STACK_REACH && low > high - STACK_REACH)
			low = high - STACK_REACH;
		snprintf(name, sizeof(name), "stack of thread %u of the parent", t->id);
		ml_ring_message_put(out, ML_WORD_REGION, 1,
				    (const uint64_t[]){ low, high - low, 1, 0, 0 }, 5,
				    name);
	}
}

static void report_heap(const struct ml_guest_memory *g, bool *declared,
			struct ml_buf *out)
{
	size_t count;
	struct ml_memory_piece *list = ml_live_memory_list(&g->heap, &count);

	for (size_t i = 0; i < count; i++)
		report_block(g, ML_WORD_ALLOC, list[i].number, list[i].addr, list[i].size,
			     declared, out);
	ml_free(list);
}

static void report_registered(const struct ml_guest_memory *g, struct ml_buf *out)
{
	const struct ml_tables *tables = g->objects->tables;
	size_t count;
	struct ml_memory_piece *list = ml_live_memory_list(&g->registered, &count);

	for (size_t i = 0; i < count; i++) {
		const struct ml_region *r = &tables->regions.at[list[i].number];
		uint64_t payload[5] = { list[i].addr, list[i].size, r->elem, r->dim[0],
					r->dims > 1 ? r->dim[1] : 1 };

		ml_ring_message_put(out, ML_WORD_REGION, r->kind == ML_REGION_STACK,
				    payload, 5, ml_tables_text(tables, r->name));
	}
	ml_free(list);
}

void ml_guest_memory_report(const struct ml_guest_memory *g, uint32_t thread,
			    struct ml_buf *out)
{
	bool *declared = ml_resize(NULL, g->stack_count + 1);

	memset(declared, 0, g->stack_count + 1);
	report_heap(g, declared, out);
	for (size_t i = 0; i < g->mapped_count; i++) {
		const struct ml_guest_mapped *m = &g->mapped[i];

		report_block(g, ML_WORD_MMAP, m->stack, m->low, m->high - m->low,
			     declared, out);
	}
	ml_free(declared);
	report_stacks(g->objects->tables, thread, out);
	report_registered(g, out);
}
