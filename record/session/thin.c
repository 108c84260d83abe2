#include "record/session/thin.h"

#include <string.h>

#include "lib/trace/shape.h"
#include "lib/trace/writer.h"

void ml_thin_init(struct ml_thin *t, struct ml_writer *writer)
{
	*t = (struct ml_thin){ .writer = writer };
}

void ml_thin_release(struct ml_thin *t)
{
	ml_map_release(&t->made);
	ml_free(t->rest);
	ml_arena_release(&t->arena);
}

/* Bases are numbered anew, in the order in which the remaining slots first use them. */
static void make(struct ml_thin *t, const struct ml_shape *shape, const bool *keep,
		 size_t slots)
{
	struct ml_slot *slot = ml_arena_alloc(&t->arena, slots * sizeof(*slot));
	struct ml_base *base = ml_arena_alloc(&t->arena, slots * sizeof(*base));
	uint16_t *from = ml_arena_alloc(&t->arena, slots * sizeof(*from));
	uint16_t renamed[ML_SLOTS_MAX];
	struct ml_shape rest = {
		.slot = slot, .base = base, .user = shape->user, .clobber = shape->clobber
	};

	memset(renamed, 0xff, sizeof(renamed));
	for (size_t i = 0; i < slots; i++) {
		if (!keep[i])
			continue;
		struct ml_slot s = shape->slot[i];
		/* what was kept has happened */
		s.maybe = false;
		if (s.base != ML_NO_BASE) {
			if (renamed[s.base] == 0xffff) {
				renamed[s.base] = rest.bases;
				from[rest.bases] = s.base;
				base[rest.bases] = shape->base[s.base];
				base[rest.bases++].state = ML_OWN_STATE;
			}
			s.base = renamed[s.base];
		}
		slot[rest.slots++] = s;
	}
	t->rest = ml_grow(t->rest, &t->cap, t->count + 1, sizeof(*t->rest));
	t->rest[t->count++] = (struct ml_thin_shape){ ml_writer_shape(t->writer, &rest),
						      rest.bases, from };
}

bool ml_thin_step(struct ml_thin *t, const struct ml_shape *shape, uint32_t number,
		  uint32_t caller, const uint64_t *value, const bool *keep, size_t slots,
		  struct ml_err *err)
{
	uint64_t kept[ML_SLOTS_MAX];
	bool is_new;
	uint64_t key = ml_hash(keep, slots * sizeof(*keep)) +
		       number * 0x9e3779b97f4a7c15u;
	uint64_t *index = ml_map_add(&t->made, key, &is_new);

	if (is_new) {
		*index = t->count;
		make(t, shape, keep, slots);
	}
	const struct ml_thin_shape *rest = &t->rest[*index];
	for (size_t i = 0; i < rest->bases; i++)
		kept[i] = value[rest->from[i]];
	struct ml_step step = { ml_writer_path(t->writer, rest->number, rest->bases),
				caller, kept };
	return ml_writer_steps(t->writer, &step, 1, err);
}
