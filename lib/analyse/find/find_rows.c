#include "lib/analyse/find/find_rows.h"

#include <stdlib.h>

#include "lib/trace/ref.h"

enum { MIN_ROWS = 4 };

struct ml_rows ml_rows_find(const struct ml_find *f, uint32_t region, uint64_t pitch)
{
	struct ml_rows now = { 0 }, longest = { 0 };

	for (size_t i = 0; i < f->trace->block_count; i++) {
		const struct ml_block *b = &f->trace->blocks[i];

		if (ml_find_same(f, b->region) != region || b->size > pitch)
			continue;
		if (b->addr == now.base + now.size)
			now.size += pitch;
		else
			now = (struct ml_rows){ b->addr, pitch };
		longest = now.size > longest.size ? now : longest;
	}
	return longest.size >= MIN_ROWS * pitch ? longest : (struct ml_rows){ 0 };
}

bool ml_rows_are_nodes(const struct ml_find *f, uint32_t region)
{
	const struct ml_region *r = &f->tables->regions.at[region];

	return r->kind == ML_REGION_HEAP && r->fields >= 2 &&
	       ml_find_block_size(f, region, NULL) < 2 * r->elem;
}

static bool reads_pointers(const struct ml_find *f, const struct ml_profile_cell *c)
{
	return !c->caller && !c->kind[ML_WRITE] && c->strides && c->stride[0].bytes &&
	       (uint64_t)llabs(c->stride[0].bytes) < f->line &&
	       10 * c->stride[0].count > 9 * c->steps;
}

const struct ml_change *ml_rows_pointers(struct ml_find *f, const struct ml_spot *s)
{
	bool *by = ml_arena_alloc(f->arena, f->tables->sites.count + 1), any = false;
	struct ml_change *drop = ml_arena_alloc(f->arena, sizeof(*drop));

	for (size_t i = 0; i < f->p->cell_count; i++) {
		const struct ml_profile_cell *c = &f->p->cells[i];

		if (ml_find_spot(f, c->site, c->caller, ml_find_same(f, c->region)) ==
			    s &&
		    reads_pointers(f, c))
			any = by[c->site] = true;
	}
	*drop = (struct ml_change){ .kind = ML_CHANGE_DROP,
				    .region = s->region,
				    .by = by };
	return any ? drop : NULL;
}
