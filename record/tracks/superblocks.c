#include "record/tracks/superblocks.h"

#include "record/tracks/callers.h"

enum { RSP = 4 };

void ml_superblock_note_sp(struct ml_superblock *k, const struct ml_shape *shape)
{
	k->sp_base = k->sp_end = -1;
	for (int i = 0; i < shape->bases && k->sp_base < 0; i++)
		if (shape->base[i].reg == RSP) {
			k->sp_base = (int16_t)i;
			k->sp_before = -shape->base[i].delta;
		}
	for (int i = 0; i < shape->effects; i++)
		if (shape->effect[i].reg == RSP) {
			k->sp_end = (int16_t)shape->effect[i].base;
			k->sp_after = shape->effect[i].delta;
		}
}

uint64_t ml_superblock_sp_before(const struct ml_superblock *k, const uint64_t *value,
				 size_t bases, uint64_t sp)
{
	if (k->sp_base >= 0 && (size_t)k->sp_base < bases)
		return ML_WORD_VALUE(value[k->sp_base]) + (uint64_t)(int64_t)k->sp_before;
	return sp;
}

void ml_superblock_stepped(const struct ml_superblock *k, const uint64_t *value,
			   uint32_t back, uint64_t sp, struct ml_callers *c)
{
	c->sp = !back && k->sp_end >= 0
			? ML_WORD_VALUE(value[k->sp_end]) + (uint64_t)(int64_t)k->sp_after
			: sp;
	c->returned = !back && k->returns;
	if (k->call[k->exits - back])
		c->last_call = k->call[k->exits - back];
}
