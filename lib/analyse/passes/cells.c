#include "lib/analyse/passes/cells.h"

enum { ALIGN = 64 };

void ml_cells_init(struct ml_cells *x, size_t size)
{
	size_t recent = (size_t)1 << ML_CELLS_RECENT_BITS;
	size_t hashed = (size_t)1 << ML_CELLS_HASHED_BITS;

	*x = (struct ml_cells){ .size = size };
	x->recent = ml_arena_alloc(&x->arena, recent * sizeof(*x->recent));
	x->hashed = ml_arena_alloc(&x->arena, hashed * sizeof(*x->hashed));
}

void ml_cells_release(struct ml_cells *x)
{
	ml_free(x->at);
	ml_map_release(&x->pairs);
	ml_map_release(&x->index);
	ml_arena_release(&x->arena);
	*x = (struct ml_cells){ 0 };
}

static size_t slot_of(uint32_t site)
{
	return site & ((1u << ML_CELLS_RECENT_BITS) - 1);
}

static size_t hash_of(uint32_t site, uint32_t caller, uint32_t region)
{
	return ((site + caller * 0x85ebca6bu) * 0x9e3779b1u ^ region * 0xc2b2ae35u) >>
	       (32 - ML_CELLS_HASHED_BITS);
}

void *ml_cells_again(struct ml_cells *x, uint32_t site, uint32_t caller, uint32_t region)
{
	struct ml_cell *c = x->hashed[hash_of(site, caller, region)];

	if (!ml_cell_is(c, site, caller, region))
		return NULL;
	return x->recent[slot_of(site)] = c;
}

void *ml_cells_find(struct ml_cells *x, uint32_t site, uint32_t caller, uint32_t region,
		    bool *is_new)
{
	uint64_t *pair = ml_map_add(&x->pairs, (uint64_t)caller << 32 | site, is_new);

	if (*is_new)
		*pair = x->pairs.count;
	uint64_t *cell = ml_map_add(&x->index, (uint64_t)region << 32 | *pair, is_new);
	if (*is_new) {
		*cell = x->count;
		x->at = ml_grow(x->at, &x->cap, x->count + 1, sizeof(*x->at));
		uintptr_t room = (uintptr_t)ml_arena_alloc(&x->arena, x->size + ALIGN);

		x->at[x->count] = (void *)((room + ALIGN - 1) / ALIGN * ALIGN);
		*x->at[x->count++] = (struct ml_cell){ site, caller, region };
	}
	x->hashed[hash_of(site, caller, region)] = x->at[*cell];
	return x->recent[slot_of(site)] = x->at[*cell];
}
