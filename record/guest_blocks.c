#include "record/guest_blocks.h"

#include <string.h>

#include "lib/trace/writer.h"
#include "record/heapname.h"
#include "record/sites.h"

enum { DEPTH = 64, NUMBERS_AHEAD = 1 << 16 };

void ml_guest_blocks_init(struct ml_guest_blocks *b, struct ml_objects *objects,
			  struct ml_writer *writer)
{
	*b = (struct ml_guest_blocks){ .objects = objects, .writer = writer };
}

void ml_guest_blocks_release(struct ml_guest_blocks *b)
{
	ml_free(b->stacks);
	ml_free(b->mapped);
	ml_map_release(&b->numbers);
	ml_arena_release(&b->arena);
}

void ml_guest_stack(struct ml_guest_blocks *b, uint32_t id, const uint64_t *ips,
		    size_t count)
{
	if (id > b->stack_count + NUMBERS_AHEAD) /* guests number them one by one */
		return;
	b->stacks = ml_grow(b->stacks, &b->stack_cap, id + 1u, sizeof(*b->stacks));
	struct ml_guest_stack *s = &b->stacks[id];
	*s = (struct ml_guest_stack){ .count = (uint32_t)(count < DEPTH ? count
									: DEPTH) };
	s->ip = ml_arena_alloc(&b->arena, s->count * sizeof(*s->ip));
	memcpy(s->ip, ips, s->count * sizeof(*s->ip));
	if (id >= b->stack_count)
		b->stack_count = id + 1;
}

/* The region of what a stack allocates or maps; it is named when the first block comes.
 */
static uint32_t region_of(struct ml_guest_blocks *b, uint32_t id,
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

void ml_guest_alloc(struct ml_guest_blocks *b, uint32_t stack, uint64_t addr,
		    uint64_t size, uint64_t since)
{
	ml_writer_alloc_since(b->writer, region_of(b, stack, ML_REGION_HEAP, size), addr,
			      size, since);
}

static void begin(struct ml_guest_blocks *b, uint64_t low, uint64_t high, uint32_t region)
{
	b->mapped = ml_grow(b->mapped, &b->mapped_cap, b->mapped_count + 1,
			    sizeof(*b->mapped));
	b->mapped[b->mapped_count++] = (struct ml_guest_mapped){ low, high, region };
	ml_writer_alloc(b->writer, region, low, high - low);
}

void ml_guest_mmap(struct ml_guest_blocks *b, uint32_t stack, uint64_t addr,
		   uint64_t size)
{
	begin(b, addr, addr + size, region_of(b, stack, ML_REGION_MMAP, size));
}

void ml_guest_block(struct ml_guest_blocks *b, bool mapped, uint64_t addr, uint64_t size,
		    const uint64_t *ips, size_t count)
{
	bool is_new;

	while (count && !ips[count - 1])
		count--;
	uint64_t *number = ml_map_add(&b->numbers, ml_hash(ips, count * sizeof(*ips)),
				      &is_new);
	if (is_new) {
		*number = b->stack_count;
		ml_guest_stack(b, (uint32_t)*number, ips, count);
	}
	if (mapped)
		ml_guest_mmap(b, (uint32_t)*number, addr, size);
	else
		ml_guest_alloc(b, (uint32_t)*number, addr, size, UINT64_MAX);
}

void ml_guest_unmap(struct ml_guest_blocks *b, uint64_t low, uint64_t high)
{
	for (size_t i = b->mapped_count; i-- > 0;) {
		struct ml_guest_mapped m = b->mapped[i];

		if (m.high <= low || m.low >= high)
			continue;
		b->mapped[i] = b->mapped[--b->mapped_count];
		ml_writer_free(b->writer, m.low);
		if (m.low < low)
			begin(b, m.low, low, m.region);
		if (m.high > high)
			begin(b, high, m.high, m.region);
	}
}
