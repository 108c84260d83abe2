#include "record/session/guest_memory.h"

#include <stdio.h>
#include <string.h>

#include "lib/trace/writer.h"
#include "record/symbols/heapname.h"
#include "record/session/ring_message.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"

enum {
	DEPTH = 64,
	NUMBERS_AHEAD = 1 << 16,
	STACK_REACH = 8 << 20, /* of the first thread, which grows */
};

void ml_guest_memory_init(struct ml_guest_memory *b, struct ml_objects *objects,
			  struct ml_writer *writer)
{
	*b = (struct ml_guest_memory){ .objects = objects, .writer = writer };
}

void ml_guest_memory_release(struct ml_guest_memory *b)
{
	ml_free(b->stacks);
	ml_free(b->mapped);
	ml_live_memory_release(&b->heap);
	ml_live_memory_release(&b->registered);
	ml_map_release(&b->numbers);
	ml_arena_release(&b->arena);
}

void ml_guest_stack(struct ml_guest_memory *b, uint32_t id, const uint64_t *ips,
		    size_t count)
{
	if (id > b->stack_count + NUMBERS_AHEAD) /* guests number them one by one */
		return;
	if (count > DEPTH)
		count = DEPTH;
	b->stacks = ml_grow(b->stacks, &b->stack_cap, id + 1u, sizeof(*b->stacks));
	struct ml_guest_stack *s = &b->stacks[id];
	/* a child of fork says again what it has from its parent */
	if (count && s->count == count && !memcmp(s->ip, ips, count * sizeof(*ips)))
		return;
	*s = (struct ml_guest_stack){ .count = (uint32_t)count };
	s->ip = ml_arena_alloc(&b->arena, count * sizeof(*s->ip));
	memcpy(s->ip, ips, count * sizeof(*s->ip));
	if (id >= b->stack_count)
		b->stack_count = id + 1;
	*ml_map_add(&b->numbers, ml_hash(ips, count * sizeof(*ips)), NULL) = id + 1u;
}

uint32_t ml_guest_stack_of(struct ml_guest_memory *b, const uint64_t *ips, size_t count)
{
	while (count && !ips[count - 1])
		count--;
	if (count > DEPTH)
		count = DEPTH;
	uint64_t *number = ml_map_find(&b->numbers, ml_hash(ips, count * sizeof(*ips)));
	if (number)
		return (uint32_t)*number - 1;
	uint32_t id = (uint32_t)b->stack_count;
	ml_guest_stack(b, id, ips, count);
	return id;
}

/* The region of what a stack allocates or maps; it is named when the first block comes.
 */
static uint32_t region_of(struct ml_guest_memory *b, uint32_t id,
			  enum ml_region_kind kind, uint64_t size)
{
	uint32_t sites[DEPTH];

	if (id >= b->stack_count || !b->stacks[id].count)
		return 0;
	struct ml_guest_stack *s = &b->stacks[id];
	uint32_t *region = kind == ML_REGION_HEAP ? &s->heap : &s->mmap;
	if (!*region) {
		for (uint32_t i = 0; i < s->count; i++)
			sites[i] = ml_sites_resolve(b->objects, s->ip[i]);
		*region = ml_heapname_region(b->objects, kind, sites, s->count, size);
	}
	return *region;
}

/* The block that began there ends; `serial`, if not 0, is the one that is meant. */
static void end(struct ml_guest_memory *b, uint64_t addr, uint64_t serial)
{
	struct ml_memory_piece *there = ml_live_memory_find(&b->heap, addr);

	if (!there || (serial && serial != there->serial))
		return;
	ml_live_memory_end(there);
	ml_writer_free(b->writer, addr);
}

void ml_guest_free(struct ml_guest_memory *b, uint64_t addr)
{
	end(b, addr, 0);
}

void ml_guest_make(struct ml_guest_memory *b, struct ml_guest_making *m,
		   enum ml_make what, uint64_t old)
{
	if (what == ML_MAKE_FREED && m->serial)
		end(b, m->old, m->serial);
	*m = (struct ml_guest_making){ 0 };
	if (what != ML_MAKE_BEGIN)
		return;
	const struct ml_memory_piece *there = ml_live_memory_find(&b->heap, old);
	*m = (struct ml_guest_making){ ml_writer_time(b->writer) + 1, old,
				       there ? there->serial : 0 };
}

/*
 * The old block lives until the new one is there: what was copied was read from it. By
 * then somebody else may have got its memory, hence the serial. The new one is told
 * first, as no event may be earlier than the one before.
 */
void ml_guest_alloc(struct ml_guest_memory *b, struct ml_guest_making *m, uint32_t stack,
		    uint64_t addr, uint64_t size)
{
	ml_writer_alloc_since(b->writer, region_of(b, stack, ML_REGION_HEAP, size), addr,
			      size, m->since - 1);
	ml_live_memory_add(&b->heap, addr, size, stack);
	if (m->serial && m->old != addr)
		end(b, m->old, m->serial);
	*m = (struct ml_guest_making){ 0 };
}

static void begin(struct ml_guest_memory *b, uint64_t low, uint64_t high, uint32_t stack)
{
	b->mapped = ml_grow(b->mapped, &b->mapped_cap, b->mapped_count + 1,
			    sizeof(*b->mapped));
	b->mapped[b->mapped_count++] = (struct ml_guest_mapped){ low, high, stack };
	ml_writer_alloc(b->writer, region_of(b, stack, ML_REGION_MMAP, high - low), low,
			high - low);
}

void ml_guest_mmap(struct ml_guest_memory *b, uint32_t stack, uint64_t addr,
		   uint64_t size)
{
	begin(b, addr, addr + size, stack);
}

void ml_guest_unmap(struct ml_guest_memory *b, uint64_t low, uint64_t high)
{
	for (size_t i = b->mapped_count; i-- > 0;) {
		struct ml_guest_mapped m = b->mapped[i];

		if (m.high <= low || m.low >= high)
			continue;
		b->mapped[i] = b->mapped[--b->mapped_count];
		ml_writer_free(b->writer, m.low);
		if (m.low < low)
			begin(b, m.low, low, m.stack);
		if (m.high > high)
			begin(b, high, m.high, m.stack);
	}
}

void ml_guest_region(struct ml_guest_memory *b, bool stack, const uint64_t *payload,
		     const char *name)
{
	struct ml_tables *tables = b->objects->tables;
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
	ml_writer_register(b->writer, number, addr, bytes);
	ml_live_memory_add(&b->registered, addr, bytes, number);
}

void ml_guest_unregion(struct ml_guest_memory *b, uint64_t addr)
{
	struct ml_memory_piece *there = ml_live_memory_find(&b->registered, addr);

	if (!there)
		return;
	ml_live_memory_end(there);
	ml_writer_unregister(b->writer, addr);
}

/* The stack is told before the first block of it that needs it. */
static void tell_block(const struct ml_guest_memory *b, enum ml_word type, uint32_t stack,
		       uint64_t addr, uint64_t size, bool *told, struct ml_buf *out)
{
	if (stack < b->stack_count && !told[stack]) {
		const struct ml_guest_stack *s = &b->stacks[stack];

		told[stack] = true;
		if (s->count)
			ml_ring_message_put(out, ML_WORD_STACK, stack, s->ip, s->count,
					    NULL);
	}
	ml_ring_message_put(out, type, stack, (const uint64_t[]){ addr, size }, 2, NULL);
}

/* Of each thread the last entry counts. */
static void tell_stacks(const struct ml_tables *tables, uint32_t forking,
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

static void tell_heap(const struct ml_guest_memory *b, bool *told, struct ml_buf *out)
{
	size_t count;
	struct ml_memory_piece *list = ml_live_memory_list(&b->heap, &count);

	for (size_t i = 0; i < count; i++)
		tell_block(b, ML_WORD_ALLOC, list[i].number, list[i].addr, list[i].size,
			   told, out);
	ml_free(list);
}

static void tell_registered(const struct ml_guest_memory *b, struct ml_buf *out)
{
	const struct ml_tables *tables = b->objects->tables;
	size_t count;
	struct ml_memory_piece *list = ml_live_memory_list(&b->registered, &count);

	for (size_t i = 0; i < count; i++) {
		const struct ml_region *r = &tables->regions.at[list[i].number];
		uint64_t payload[5] = { list[i].addr, list[i].size, r->elem, r->dim[0],
					r->dims > 1 ? r->dim[1] : 1 };

		ml_ring_message_put(out, ML_WORD_REGION, r->kind == ML_REGION_STACK,
				    payload, 5, ml_tables_text(tables, r->name));
	}
	ml_free(list);
}

void ml_guest_memory_tell(const struct ml_guest_memory *b, uint32_t thread,
			  struct ml_buf *out)
{
	bool *told = ml_resize(NULL, b->stack_count + 1);

	memset(told, 0, b->stack_count + 1);
	tell_heap(b, told, out);
	for (size_t i = 0; i < b->mapped_count; i++) {
		const struct ml_guest_mapped *m = &b->mapped[i];

		tell_block(b, ML_WORD_MMAP, m->stack, m->low, m->high - m->low, told,
			   out);
	}
	ml_free(told);
	tell_stacks(b->objects->tables, thread, out);
	tell_registered(b, out);
}
