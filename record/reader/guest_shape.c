#include "record/reader/guest_shape.h"

#include "lib/base/arena.h"
#include "lib/trace/ref.h"
#include "lib/trace/shape.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"

/* Valgrind follows calls inside of a superblock: what stands behind a reference of the
 * user's own code, the push of a call at the latest, was called from there. */
static uint32_t slot_site(struct ml_objects *objects, uint64_t ip, uint32_t *own)
{
	uint32_t site = ml_sites_resolve(objects, ip);

	if (ml_sites_is_own(objects, site))
		*own = site;
	return *own && *own != site ? ml_sites_called(objects, site, *own) : site;
}

static void get_slots(struct ml_slot *slot, const uint64_t *w, size_t count,
		      struct ml_objects *objects)
{
	uint32_t own = 0;

	for (size_t i = 0; i < count; i++, w += 3) {
		uint64_t bits = w[2];
		unsigned size = (unsigned)(bits & 0xffff);
		uint16_t base = (uint16_t)(bits >> 32);

		slot[i] = (struct ml_slot){
			.offset = w[1],
			.site = slot_site(objects, w[0], &own),
			.what = ml_what((enum ml_kind)(bits >> 16 & 3),
					size < ML_SIZE_MAX ? size : ML_SIZE_MAX),
			.base = base == 0xffff ? ML_NO_BASE : base,
			.maybe = bits >> 18 & 1,
		};
		if (bits >> 20 & 1)
			ml_sites_streams(objects, slot[i].site);
	}
}

const uint32_t *ml_guest_shape_calls(const uint64_t *w, const struct ml_shape *shape,
				     struct ml_objects *objects, struct ml_arena *a)
{
	uint32_t *call = ml_arena_alloc(a, (shape->exits + 1u) * sizeof(*call));
	const uint64_t *slot = w + 3 + shape->bases;
	uint32_t last = 0;

	for (size_t i = 0, exit = 0; i <= shape->slots; i++, slot += 3) {
		while (exit < shape->exits && shape->exit[exit].slots == i)
			call[exit++] = last;
		if (i == shape->slots || !(slot[2] >> 19 & 1))
			continue;
		uint32_t site = ml_sites_resolve(objects, slot[0]);
		if (ml_sites_is_own(objects, site))
			last = site;
	}
	call[shape->exits] = last;
	return call;
}

const struct ml_shape *ml_guest_shape(const uint64_t *w, size_t count,
				      struct ml_objects *objects, struct ml_arena *a)
{
	if (count < 3)
		return NULL;
	size_t slots = w[1] & 0xffff, bases = w[1] >> 16 & 0xffff;
	size_t exits = w[1] >> 32 & 0xffff, effects = w[1] >> 48;
	if (count != 3 + bases + 3 * slots + exits + effects || slots > ML_SLOTS_MAX ||
	    bases > slots || effects > ML_REGS)
		return NULL;
	struct ml_base *base = ml_arena_alloc(a, bases * sizeof(*base));
	struct ml_slot *slot = ml_arena_alloc(a, slots * sizeof(*slot));
	struct ml_exit *exit = ml_arena_alloc(a, exits * sizeof(*exit));
	struct ml_effect *effect = ml_arena_alloc(a, effects * sizeof(*effect));
	struct ml_shape *shape = ml_arena_alloc(a, sizeof(*shape));
	const uint64_t *at = w + 3;

	for (size_t i = 0; i < bases; i++, at++)
		base[i] = (struct ml_base){
			.state = ML_OWN_STATE,
			.delta = (int32_t)(*at >> 32),
			.reg = (uint8_t)*at < ML_REGS ? (uint8_t)*at : ML_NO_REG,
		};
	get_slots(slot, at, slots, objects);
	at += 3 * slots;
	uint16_t clobber = (uint16_t)w[2];
	for (size_t i = 0; i < effects; i++) {
		uint64_t bits = at[exits + i];

		effect[i] = (struct ml_effect){ (uint8_t)bits, (uint16_t)(bits >> 8),
						(int32_t)(bits >> 32) };
		clobber |= (uint16_t)(1u << (effect[i].reg & (ML_REGS - 1)));
	}
	for (size_t i = 0; i < exits; i++)
		exit[i] = (struct ml_exit){ .slots = (uint16_t)at[i],
					    .bases = (uint16_t)(at[i] >> 32),
					    .clobber = clobber };
	uint32_t entry = ml_sites_resolve(objects,
					  w[0]); /* may move the array of sites */
	*shape = (struct ml_shape){
		.slots = (uint16_t)slots,
		.bases = (uint16_t)bases,
		.exits = (uint16_t)exits,
		.effects = (uint16_t)effects,
		.clobber = clobber,
		.user = ml_sites_is_own(objects, entry),
		.slot = slot,
		.base = base,
		.exit = exit,
		.effect = effect,
	};
	return ml_shape_flaw(shape) ? NULL : shape;
}
