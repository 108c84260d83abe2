#include "lib/trace/shape.h"

#include <string.h>

void ml_shapes_release(struct ml_shapes *s)
{
	ml_arena_release(&s->arena);
	*s = (struct ml_shapes){ 0 };
}

/* Like ml_grow, but the old array stays valid until the arena is released. */
static void *grow(struct ml_shapes *s, void *old, size_t *cap, size_t need, size_t elem)
{
	if (need <= *cap)
		return old;
	size_t room = *cap ? *cap * 2 : 256;
	void *grown = ml_arena_alloc(&s->arena, room * elem);
	if (*cap)
		memcpy(grown, old, *cap * elem);
	*cap = room;
	return grown;
}

static bool is_drift(const struct ml_slot *slot)
{
	return slot->base != ML_NO_BASE && slot->base & ML_DRIFT;
}

/* Number of drifts that the first slots need. Slots use drifts in order. */
static uint16_t drifts_of(const struct ml_shape *shape, size_t slots)
{
	uint16_t drifts = 0;

	for (size_t i = 0; i < slots; i++) {
		uint16_t k = shape->slot[i].base & (ML_DRIFT - 1);

		if (is_drift(&shape->slot[i]) && k >= drifts)
			drifts = k + 1;
	}
	return drifts;
}

static void add_path(struct ml_shapes *s, const struct ml_shape *shape,
		     const struct ml_exit *left, const uint32_t *state)
{
	s->path = grow(s, s->path, &s->path_cap, s->paths + 1, sizeof(*s->path));
	s->path[s->paths++] = (struct ml_path){
		.shape = (uint32_t)s->count,
		.first = shape->path,
		.exits = shape->exits,
		.slots = left->slots,
		.bases = left->bases,
		.drifts = drifts_of(shape, left->slots),
		.all_bases = shape->bases,
		.effects = (uint8_t)left->effects,
		.user = shape->user,
		.maybe = shape->maybe,
		.clobber = left->clobber,
		.base = shape->base,
		.effect = left->effect,
		.four = shape->four,
		.drift = shape->drift,
		.state = state,
	};
}

static void *copy(struct ml_shapes *s, const void *from, size_t count, size_t size)
{
	void *to = ml_arena_alloc(&s->arena, count * size);

	if (count)
		memcpy(to, from, count * size);
	return to;
}

static const struct ml_four *make_fours(struct ml_shapes *s, const struct ml_shape *shape)
{
	struct ml_four *four = ml_arena_alloc(&s->arena,
					      (shape->slots + 3u) / 4 * sizeof(*four));

	for (size_t i = 0; i < shape->slots; i++) {
		const struct ml_slot *slot = &shape->slot[i];
		struct ml_four *f = &four[i / 4];

		f->offset[i % 4] = slot->offset;
		f->site[i % 4] = slot->site;
		f->what[i % 4] = slot->what;
		f->base[i % 4] = is_drift(slot) ? (uint16_t)(shape->bases + 1u +
							     (slot->base - ML_DRIFT))
				 : slot->base == ML_NO_BASE ? shape->bases
							    : slot->base;
	}
	return four;
}

static struct ml_exit *copy_exits(struct ml_shapes *s, const struct ml_shape *shape)
{
	struct ml_exit *exit = copy(s, shape->exit, shape->exits, sizeof(*shape->exit));

	for (size_t i = 0; i < shape->exits; i++)
		exit[i].effect = copy(s, exit[i].effect, exit[i].effects,
				      sizeof(*exit[i].effect));
	return exit;
}

/* The states of the bases as an array, which the encoder copies 16 at a time. */
static const uint32_t *make_states(struct ml_shapes *s, const struct ml_shape *shape)
{
	size_t size = (shape->bases + 16u) * sizeof(uint32_t);
	uint32_t *state = ml_arena_alloc(&s->arena, size);

	memset(state, 0, size);
	for (size_t i = 0; i < shape->bases; i++)
		state[i] = shape->base[i].state;
	return state;
}

static struct ml_base *copy_bases(struct ml_shapes *s, const struct ml_shape *shape)
{
	struct ml_base *base = copy(s, shape->base, shape->bases, sizeof(*shape->base));

	for (size_t i = 0; i < shape->bases; i++)
		if (base[i].state == ML_OWN_STATE)
			base[i].state = s->states++;
	return base;
}

uint32_t ml_shapes_add(struct ml_shapes *s, const struct ml_shape *shape)
{
	struct ml_shape own = *shape;

	own.slot = copy(s, shape->slot, shape->slots, sizeof(*shape->slot));
	own.base = copy_bases(s, shape);
	own.drift = copy(s, shape->drift, shape->drifts, sizeof(*shape->drift));
	own.exit = copy_exits(s, shape);
	own.effect = copy(s, shape->effect, shape->effects, sizeof(*shape->effect));
	own.maybe = false;
	for (size_t i = 0; i < own.slots; i++)
		own.maybe |= own.slot[i].maybe;
	own.path = (uint32_t)s->paths;
	own.four = make_fours(s, &own);
	if (own.slots > s->slots_max)
		s->slots_max = own.slots;
	const uint32_t *state = make_states(s, &own);
	for (size_t i = 0; i < own.exits; i++)
		add_path(s, &own, &own.exit[i], state);
	struct ml_exit end = { own.slots, own.bases, own.clobber, own.effects,
			       own.effect };
	add_path(s, &own, &end, state);
	s->at = grow(s, s->at, &s->cap, s->count + 1, sizeof(*s->at));
	s->at[s->count] = own;
	return (uint32_t)s->count++;
}

static bool effects_fit(const struct ml_effect *effect, size_t count, size_t bases)
{
	for (size_t i = 0; i < count; i++)
		if (effect[i].reg >= ML_REGS || effect[i].base >= bases)
			return false;
	return count <= ML_REGS;
}

/* A path that used a base beyond its exit would make the decoder read an unset value. */
static const char *exit_flaw(const struct ml_shape *s, const struct ml_exit *e)
{
	if (e->slots > s->slots || e->bases > s->bases)
		return "an exit lies beyond the last slot";
	for (size_t k = 0; k < e->slots; k++) {
		uint16_t base = s->slot[k].base;

		if (is_drift(&s->slot[k])) {
			const struct ml_drift *m = &s->drift[base - ML_DRIFT];

			if (m->like >= e->bases || m->as >= e->bases ||
			    m->from >= e->bases)
				return "an exit needs a base that comes later";
		} else if (base != ML_NO_BASE && base >= e->bases) {
			return "an exit needs a base that comes later";
		}
	}
	return effects_fit(e->effect, e->effects, e->bases)
		       ? NULL
		       : "an effect names a register or base that does not exist";
}

const char *ml_shape_flaw(const struct ml_shape *s)
{
	/* slots first use bases, and drifts, in ascending order */
	uint16_t next = 0, next_drift = ML_DRIFT;
	const char *flaw = NULL;

	if (s->slots > ML_SLOTS_MAX || s->exits > ML_EXITS_MAX)
		return "it has too many slots or exits";
	for (size_t i = 0; i < s->slots; i++) {
		uint16_t base = s->slot[i].base;

		if (s->slot[i].maybe && (base == ML_NO_BASE || is_drift(&s->slot[i])))
			return "a conditional slot has no base";
		if (is_drift(&s->slot[i])) {
			if (base > next_drift || base - ML_DRIFT >= s->drifts)
				return "drifts are out of order";
			next_drift = base == next_drift ? next_drift + 1 : next_drift;
			continue;
		}
		if (base != ML_NO_BASE && base >= s->bases)
			return "a slot names a base that does not exist";
		if (base != ML_NO_BASE && base > next)
			return "bases are out of order";
		next = base == next ? next + 1 : next;
	}
	if (next != s->bases || next_drift != ML_DRIFT + s->drifts)
		return "a base is not used";
	for (size_t i = 0; i < s->drifts; i++)
		if (s->drift[i].shift > ML_DRIFT_SHIFT)
			return "a drift has too large a shift";
	for (size_t i = 0; i < s->bases; i++)
		if (s->base[i].reg > ML_NO_REG)
			return "a base names a register that does not exist";
	for (size_t i = 0; i < s->exits && !flaw; i++)
		flaw = exit_flaw(s, &s->exit[i]);
	struct ml_exit end = { s->slots, s->bases, s->clobber, s->effects, s->effect };
	return flaw ? flaw : exit_flaw(s, &end);
}

/* `own` is the number of the next new state. The file stores 0 for a new state. */
static void put_shape(const struct ml_shape *shape, uint32_t *own, struct ml_buf *out)
{
	ml_buf_varint(out, shape->slots);
	ml_buf_varint(out, shape->bases);
	ml_buf_varint(out, shape->drifts);
	ml_buf_varint(out, shape->exits);
	ml_buf_u8(out, shape->user);
	int64_t site = 0;
	for (size_t i = 0; i < shape->slots; i++) {
		const struct ml_slot *slot = &shape->slot[i];
		unsigned base = slot->base == ML_NO_BASE ? 0 : slot->base + 1u;

		if (is_drift(slot))
			base += shape->bases - (unsigned)ML_DRIFT;

		ml_buf_zigzag(out, (int64_t)slot->offset);
		ml_buf_zigzag(out, (int64_t)slot->site - site);
		ml_buf_varint(out, slot->what);
		ml_buf_varint(out, base << 1 | slot->maybe);
		site = slot->site;
	}
	for (size_t i = 0; i < shape->bases; i++) {
		uint32_t state = shape->base[i].state;

		ml_buf_varint(out, state == *own ? 0 : state + 1u);
		*own += state == *own;
	}
	for (size_t i = 0; i < shape->drifts; i++) {
		ml_buf_varint(out, shape->drift[i].like);
		ml_buf_varint(out, shape->drift[i].as);
		ml_buf_varint(out, shape->drift[i].from);
		ml_buf_u8(out, shape->drift[i].shift);
	}
	for (size_t i = 0; i < shape->exits; i++) {
		ml_buf_varint(out, shape->exit[i].slots);
		ml_buf_varint(out, shape->exit[i].bases);
	}
}

void ml_shapes_put(struct ml_shapes *s, struct ml_buf *out)
{
	for (; s->put < s->count; s->put++)
		put_shape(&s->at[s->put], &s->states_put, out);
}

struct raw_shape {
	struct ml_slot slot[ML_SLOTS_MAX];
	struct ml_base base[ML_SLOTS_MAX];
	struct ml_drift drift[ML_SLOTS_MAX];
	struct ml_exit exit[ML_EXITS_MAX];
};

static bool get_slots(struct ml_shape *shape, struct raw_shape *raw, struct ml_bytes *in,
		      size_t sites)
{
	int64_t site = 0;

	for (size_t i = 0; i < shape->slots; i++) {
		struct ml_slot *slot = &raw->slot[i];

		slot->offset = (uint64_t)ml_bytes_zigzag(in);
		site = (int64_t)((uint64_t)site + (uint64_t)ml_bytes_zigzag(in));
		slot->what = (uint16_t)ml_bytes_varint(in);
		uint64_t base = ml_bytes_varint(in);
		slot->maybe = base & 1;
		base >>= 1;
		if (site < 0 || (uint64_t)site >= sites ||
		    base > shape->bases + (uint64_t)ML_SLOTS_MAX)
			return false;
		slot->site = (uint32_t)site;
		if (base > shape->bases)
			slot->base = (uint16_t)(ML_DRIFT + base - 1 - shape->bases);
		else
			slot->base = base ? (uint16_t)(base - 1) : ML_NO_BASE;
	}
	return true;
}

static bool get_bases(struct ml_shape *shape, struct raw_shape *raw, struct ml_bytes *in,
		      uint32_t states)
{
	for (size_t i = 0; i < shape->bases; i++) {
		uint64_t state = ml_bytes_varint(in);

		if (state > states)
			return false;
		raw->base[i] = (struct ml_base){
			.state = state ? (uint32_t)(state - 1) : ML_OWN_STATE,
			.reg = ML_NO_REG,
		};
	}
	return true;
}

static bool get_drifts(struct ml_shape *shape, struct raw_shape *raw, struct ml_bytes *in)
{
	for (size_t i = 0; i < shape->drifts; i++) {
		uint64_t like = ml_bytes_varint(in), as = ml_bytes_varint(in);
		uint64_t from = ml_bytes_varint(in);

		if (like >= shape->bases || as >= shape->bases || from >= shape->bases)
			return false;
		raw->drift[i] = (struct ml_drift){ (uint16_t)like, (uint16_t)as,
						   (uint16_t)from, ml_bytes_u8(in) };
	}
	return true;
}

static void get_exits(struct ml_shape *shape, struct raw_shape *raw, struct ml_bytes *in)
{
	for (size_t i = 0; i < shape->exits; i++) {
		uint64_t slots = ml_bytes_varint(in), bases = ml_bytes_varint(in);

		raw->exit[i] = (struct ml_exit){ .slots = (uint16_t)slots,
						 .bases = (uint16_t)bases };
	}
}

static const char *get_shape(struct ml_shape *shape, struct raw_shape *raw,
			     struct ml_bytes *in, size_t sites, uint32_t states)
{
	uint64_t slots = ml_bytes_varint(in), bases = ml_bytes_varint(in);
	uint64_t drifts = ml_bytes_varint(in), exits = ml_bytes_varint(in);

	if (slots > ML_SLOTS_MAX || bases > slots || drifts > slots ||
	    exits > ML_EXITS_MAX)
		return "it has too many slots, bases, drifts or exits";
	*shape = (struct ml_shape){
		.slots = (uint16_t)slots,
		.bases = (uint16_t)bases,
		.drifts = (uint16_t)drifts,
		.exits = (uint16_t)exits,
		.slot = raw->slot,
		.base = raw->base,
		.drift = raw->drift,
		.exit = raw->exit,
	};
	shape->user = ml_bytes_u8(in);
	if (!get_slots(shape, raw, in, sites) || !get_bases(shape, raw, in, states) ||
	    !get_drifts(shape, raw, in))
		return "it names a site, base or state that does not exist";
	get_exits(shape, raw, in);
	return in->bad ? "it ends early" : ml_shape_flaw(shape);
}

bool ml_shapes_get(struct ml_shapes *s, struct ml_bytes *in, size_t sites,
		   struct ml_err *err)
{
	struct raw_shape *raw = ml_resize(NULL, sizeof(*raw));
	const char *wrong = NULL;

	while (in->at < in->end && !wrong) {
		struct ml_shape shape;

		wrong = get_shape(&shape, raw, in, sites, s->states);
		if (!wrong)
			ml_shapes_add(s, &shape);
	}
	ml_free(raw);
	return !wrong || ml_fail(err, ML_FORMAT, "shape %zu: %s", s->count, wrong);
}
