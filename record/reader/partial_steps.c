#include "record/reader/partial_steps.h"

#include <string.h>

#include "lib/trace/control.h"
#include "lib/trace/shape.h"
#include "lib/trace/writer.h"

void ml_partial_steps_init(struct ml_partial_steps *t, struct ml_writer *writer)
{
	*t = (struct ml_partial_steps){ .writer = writer };
}

void ml_partial_steps_release(struct ml_partial_steps *t)
{
	ml_map_release(&t->made);
	ml_free(t->shapes);
	ml_arena_release(&t->arena);
}

/* The shape is a run of the first `slots` slots of shape `whole`. */
static void note_code(const struct ml_partial_steps *t, uint32_t shape, uint32_t whole,
		      size_t slots)
{
	const struct ml_shapes *shapes = ml_writer_shapes(t->writer);
	uint32_t path = shapes->at[whole].path;

	while (shapes->path[path].slots < slots)
		path++;
	ml_control_joins(ml_writer_control(t->writer), shapes, shape, &path, 1);
}

/* Bases are numbered anew, in the order in which the remaining slots first use them. */
static void make(struct ml_partial_steps *t, const struct ml_shape *shape,
		 uint32_t number, const bool *keep, size_t slots)
{
	struct ml_slot *slot = ml_arena_alloc(&t->arena, slots * sizeof(*slot));
	struct ml_base *base = ml_arena_alloc(&t->arena, slots * sizeof(*base));
	uint16_t *from = ml_arena_alloc(&t->arena, slots * sizeof(*from));
	uint16_t renamed[ML_SLOTS_MAX];
	struct ml_shape partial = {
		.slot = slot, .base = base, .user = shape->user, .clobber = shape->clobber
	};

	memset(renamed, 0xff, sizeof(renamed));
	for (size_t i = 0; i < slots; i++) {
		if (!keep[i])
			continue;
		struct ml_slot s = shape->slot[i];
		/* a slot is kept only if its access happened */
		s.maybe = false;
		if (s.base != ML_NO_BASE) {
			if (renamed[s.base] == 0xffff) {
				renamed[s.base] = partial.bases;
				from[partial.bases] = s.base;
				base[partial.bases] = shape->base[s.base];
				base[partial.bases++].state = ML_OWN_STATE;
			}
			s.base = renamed[s.base];
		}
		slot[partial.slots++] = s;
	}
	t->shapes = ml_grow(t->shapes, &t->cap, t->count + 1, sizeof(*t->shapes));
	t->shapes[t->count++] = (struct ml_partial_shape){
		ml_writer_shape(t->writer, &partial), partial.bases, from
	};
	note_code(t, t->shapes[t->count - 1].number, number, slots);
}

bool ml_partial_steps_write(struct ml_partial_steps *t, const struct ml_shape *shape,
			    uint32_t number, uint32_t caller, const uint64_t *value,
			    const bool *keep, size_t slots, struct ml_err *err)
{
	uint64_t kept[ML_SLOTS_MAX];
	bool is_new;
	uint64_t key = ml_hash(keep, slots * sizeof(*keep)) +
		       number * 0x9e3779b97f4a7c15u;
	uint64_t *index = ml_map_add(&t->made, key, &is_new);

	if (is_new) {
		*index = t->count;
		make(t, shape, number, keep, slots);
	}
	const struct ml_partial_shape *partial = &t->shapes[*index];
	for (size_t i = 0; i < partial->bases; i++)
		kept[i] = value[partial->from[i]];
	struct ml_step step = {
		ml_writer_path(t->writer, partial->number, partial->bases), caller, kept
	};
	return ml_writer_steps(t->writer, &step, 1, err);
}
