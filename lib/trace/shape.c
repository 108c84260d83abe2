#include "lib/trace/shape.h"

#include <string.h>

void ml_shapes_release(struct ml_shapes *s)
{
	ml_free(s->at);
	ml_free(s->path);
	ml_arena_release(&s->arena);
	*s = (struct ml_shapes){ 0 };
}

static void add_path(struct ml_shapes *s, uint16_t slots, uint16_t bases)
{
	s->path = ml_grow(s->path, &s->path_cap, s->paths + 1, sizeof(*s->path));
	s->path[s->paths++] = (struct ml_path){ (uint32_t)s->count, slots, bases };
}

static void *copy(struct ml_shapes *s, const void *from, size_t count, size_t size)
{
	void *to = ml_arena_alloc(&s->arena, count * size);

	if (count)
		memcpy(to, from, count * size);
	return to;
}

/* The decoder copies columns four at a time, so they are padded to a multiple of four. */
static void make_columns(struct ml_shapes *s, struct ml_shape *shape)
{
	size_t room = ((size_t)shape->slots + 3) & ~(size_t)3;
	uint64_t *offset = ml_arena_alloc(&s->arena, room * sizeof(*offset));
	uint32_t *site = ml_arena_alloc(&s->arena, room * sizeof(*site));
	uint16_t *what = ml_arena_alloc(&s->arena, room * sizeof(*what));
	uint16_t *base_of = ml_arena_alloc(&s->arena, room * sizeof(*base_of));

	for (size_t i = 0; i < shape->slots; i++) {
		const struct ml_slot *slot = &shape->slot[i];

		offset[i] = slot->offset;
		site[i] = slot->site;
		what[i] = slot->what;
		base_of[i] = slot->base == ML_NO_BASE ? shape->bases : slot->base;
	}
	shape->offset = offset;
	shape->site = site;
	shape->what = what;
	shape->base_of = base_of;
}

uint32_t ml_shapes_add(struct ml_shapes *s, const struct ml_shape *shape)
{
	struct ml_shape own = *shape;

	own.slot = copy(s, shape->slot, shape->slots, sizeof(*shape->slot));
	own.base = copy(s, shape->base, shape->bases, sizeof(*shape->base));
	own.exit = copy(s, shape->exit, shape->exits, sizeof(*shape->exit));
	own.effect = copy(s, shape->effect, shape->effects, sizeof(*shape->effect));
	own.maybe = false;
	for (size_t i = 0; i < own.slots; i++)
		own.maybe |= own.slot[i].maybe;
	own.path = (uint32_t)s->paths;
	own.state = s->states;
	make_columns(s, &own);
	for (size_t i = 0; i < own.exits; i++)
		add_path(s, own.exit[i].slots, own.exit[i].bases);
	add_path(s, own.slots, own.bases);
	s->states += own.bases;
	s->at = ml_grow(s->at, &s->cap, s->count + 1, sizeof(*s->at));
	s->at[s->count] = own;
	return (uint32_t)s->count++;
}

static void put_shape(const struct ml_shape *shape, struct ml_buf *out)
{
	ml_buf_varint(out, shape->slots);
	ml_buf_varint(out, shape->bases);
	ml_buf_varint(out, shape->exits);
	ml_buf_varint(out, shape->effects);
	ml_buf_varint(out, shape->clobber);
	ml_buf_u8(out, shape->user);
	int64_t site = 0;
	for (size_t i = 0; i < shape->slots; i++) {
		const struct ml_slot *slot = &shape->slot[i];
		unsigned base = slot->base == ML_NO_BASE ? 0 : slot->base + 1u;

		ml_buf_zigzag(out, (int64_t)slot->offset);
		ml_buf_zigzag(out, (int64_t)slot->site - site);
		ml_buf_varint(out, slot->what);
		ml_buf_varint(out, base << 1 | slot->maybe);
		site = slot->site;
	}
	for (size_t i = 0; i < shape->bases; i++) {
		ml_buf_u8(out, shape->base[i].reg);
		ml_buf_zigzag(out, shape->base[i].delta);
	}
	for (size_t i = 0; i < shape->exits; i++) {
		ml_buf_varint(out, shape->exit[i].slots);
		ml_buf_varint(out, shape->exit[i].bases);
	}
	for (size_t i = 0; i < shape->effects; i++) {
		ml_buf_u8(out, shape->effect[i].reg);
		ml_buf_varint(out, shape->effect[i].base);
		ml_buf_zigzag(out, shape->effect[i].delta);
	}
}

void ml_shapes_put(struct ml_shapes *s, struct ml_buf *out)
{
	for (; s->put < s->count; s->put++)
		put_shape(&s->at[s->put], out);
}

struct raw_shape {
	struct ml_slot slot[ML_SLOTS_MAX];
	struct ml_base base[ML_SLOTS_MAX];
	struct ml_exit exit[ML_SLOTS_MAX];
	struct ml_effect effect[ML_REGS];
};

static const char *get_slots(struct ml_shape *shape, struct raw_shape *raw,
			     struct ml_bytes *in, size_t sites)
{
	int64_t site = 0;
	uint16_t next = 0; /* a base belongs to the first slot that uses it, in order */

	for (size_t i = 0; i < shape->slots; i++) {
		struct ml_slot *slot = &raw->slot[i];

		slot->offset = (uint64_t)ml_bytes_zigzag(in);
		site = (int64_t)((uint64_t)site + (uint64_t)ml_bytes_zigzag(in));
		slot->what = (uint16_t)ml_bytes_varint(in);
		uint64_t base = ml_bytes_varint(in);
		slot->maybe = base & 1;
		base >>= 1;
		if (site < 0 || (uint64_t)site >= sites)
			return "a slot names a site that does not exist";
		if (base > shape->bases)
			return "a slot names a base that does not exist";
		if (slot->maybe && !base)
			return "a conditional slot has no base";
		slot->site = (uint32_t)site;
		slot->base = base ? (uint16_t)(base - 1) : ML_NO_BASE;
		if (base && slot->base >= next) {
			if (slot->base > next)
				return "bases are out of order";
			next++;
		}
	}
	return next == shape->bases ? NULL : "a base is not used";
}

/* Bases that a path needs come before its end, or the decoder would use unset ones. */
static const char *get_exits(struct ml_shape *shape, struct raw_shape *raw,
			     struct ml_bytes *in)
{
	for (size_t i = 0; i < shape->exits; i++) {
		uint64_t slots = ml_bytes_varint(in), bases = ml_bytes_varint(in);

		if (slots > shape->slots || bases > shape->bases)
			return "an exit lies behind the end";
		for (size_t k = 0; k < slots; k++)
			if (raw->slot[k].base != ML_NO_BASE && raw->slot[k].base >= bases)
				return "an exit needs a base that comes later";
		raw->exit[i] = (struct ml_exit){ (uint16_t)slots, (uint16_t)bases };
	}
	return NULL;
}

static const char *get_shape(struct ml_shape *shape, struct raw_shape *raw,
			     struct ml_bytes *in, size_t sites)
{
	uint64_t slots = ml_bytes_varint(in), bases = ml_bytes_varint(in);
	uint64_t exits = ml_bytes_varint(in), effects = ml_bytes_varint(in);

	if (slots > ML_SLOTS_MAX || bases > slots || exits > ML_SLOTS_MAX ||
	    effects > ML_REGS)
		return "its counts are too large";
	*shape = (struct ml_shape){
		.slots = (uint16_t)slots,
		.bases = (uint16_t)bases,
		.exits = (uint16_t)exits,
		.effects = (uint16_t)effects,
		.slot = raw->slot,
		.base = raw->base,
		.exit = raw->exit,
		.effect = raw->effect,
	};
	shape->clobber = (uint16_t)ml_bytes_varint(in);
	shape->user = ml_bytes_u8(in);
	const char *wrong = get_slots(shape, raw, in, sites);
	if (wrong)
		return wrong;
	for (size_t i = 0; i < bases; i++) {
		raw->base[i].reg = ml_bytes_u8(in);
		raw->base[i].delta = (int32_t)ml_bytes_zigzag(in);
		if (raw->base[i].reg >= ML_REGS && raw->base[i].reg != ML_NO_REG)
			return "a base names a register that does not exist";
	}
	wrong = get_exits(shape, raw, in);
	if (wrong)
		return wrong;
	for (size_t i = 0; i < effects; i++) {
		raw->effect[i].reg = ml_bytes_u8(in);
		raw->effect[i].base = (uint16_t)ml_bytes_varint(in);
		raw->effect[i].delta = (int32_t)ml_bytes_zigzag(in);
		if (raw->effect[i].reg >= ML_REGS || raw->effect[i].base >= bases)
			return "an effect names a register or base that does not exist";
	}
	return in->bad ? "it ends early" : NULL;
}

bool ml_shapes_get(struct ml_shapes *s, struct ml_bytes *in, size_t sites, struct ml_err *err)
{
	struct raw_shape *raw = ml_resize(NULL, sizeof(*raw));
	const char *wrong = NULL;

	while (in->at < in->end && !wrong) {
		struct ml_shape shape;

		wrong = get_shape(&shape, raw, in, sites);
		if (!wrong)
			ml_shapes_add(s, &shape);
	}
	ml_free(raw);
	return !wrong || ml_fail(err, ML_FORMAT, "shape %zu: %s", s->count, wrong);
}
