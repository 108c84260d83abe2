#include "record/tracks/reference_places.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/trace/ref.h"
#include "lib/trace/shape.h"
#include "lib/trace/writer.h"
#include "record/ring.h"
#include "record/symbols/objects.h"
#include "record/symbols/sites.h"

enum { FIRST_CAP = 1 << 10 };

void ml_reference_places_init(struct ml_reference_places *p, struct ml_objects *objects,
			      struct ml_writer *writer)
{
	*p = (struct ml_reference_places){ .objects = objects, .writer = writer };
}

void ml_reference_places_release(struct ml_reference_places *p)
{
	ml_free(p->at);
}

void ml_reference_places_forget(struct ml_reference_places *p)
{
	if (p->cap)
		memset(p->at, 0, p->cap * sizeof(*p->at));
	p->count = 0;
}

static struct ml_reference_place *entry_of(const struct ml_reference_places *p,
					   uint64_t word)
{
	size_t i = (word * 0x9e3779b97f4a7c15u >> 32) & (p->cap - 1);

	while (p->at[i].word && p->at[i].word != word)
		i = (i + 1) & (p->cap - 1);
	return &p->at[i];
}

static void grow(struct ml_reference_places *p)
{
	struct ml_reference_place *old = p->at;
	size_t cap = p->cap;

	p->cap = cap ? cap * 2 : FIRST_CAP;
	p->at = ml_resize(NULL, p->cap * sizeof(*p->at));
	memset(p->at, 0, p->cap * sizeof(*p->at));
	for (size_t i = 0; i < cap; i++)
		if (old[i].word)
			*entry_of(p, old[i].word) = old[i];
	ml_free(old);
}

/* Fills in a new place, and makes the shape of its reference alone. */
static void fill(struct ml_reference_places *p, struct ml_reference_place *place,
		 uint64_t word)
{
	unsigned what = (unsigned)(word >> ML_REF_SHIFT), kind = what >> 4;
	uint64_t ip = (word & (((uint64_t)1 << ML_REF_SHIFT) - 1)) - 1;
	unsigned size = 1u << (what & 15);
	uint32_t site = ml_sites_resolve(p->objects, ip);

	if (size > ML_SIZE_MAX)
		size = ML_SIZE_MAX;
	*place = (struct ml_reference_place){
		.word = word,
		.site = site,
		.user = p->objects->tables->sites.at[site].user,
		.slots = kind == ML_REF_MODIFY ? 2 : 1,
	};
	if (kind == ML_REF_ENTRY || kind == ML_REF_RETURN) {
		place->call = (uint8_t)kind;
		return;
	}
	struct ml_slot slot[2] = {
		{ .site = site,
		  .what = ml_what(kind == ML_REF_WRITE ? ML_WRITE : ML_READ, size) },
		{ .site = site, .what = ml_what(ML_WRITE, size) },
	};
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
	struct ml_shape shape = { .slots = place->slots,
				  .bases = 1,
				  .slot = slot,
				  .base = &base,
				  .user = place->user };
	place->number = ml_writer_shape(p->writer, &shape);
	place->path = ml_writer_shape_at(p->writer, place->number)->path;
}

struct ml_reference_place *ml_reference_places_find(struct ml_reference_places *p,
						    uint64_t word)
{
	if (p->count * 2 >= p->cap)
		grow(p);
	struct ml_reference_place *place = entry_of(p, word);
	if (__builtin_expect(!place->word, 0)) {
		fill(p, place, word);
		p->count++;
	}
	return place;
}
