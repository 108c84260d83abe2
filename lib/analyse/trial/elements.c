#include "lib/analyse/trial/elements.h"

#include "lib/base/arena.h"

uint32_t ml_elements_add(struct ml_elements *e, uint64_t key)
{
	bool is_new;
	uint64_t *at = ml_map_add(&e->stretch, key >> ML_ELEMENTS_BITS, &is_new);

	if (is_new) {
		*at = e->stretches++;
		e->number = ml_grow(e->number, &e->cap, e->stretches << ML_ELEMENTS_BITS,
				    sizeof(*e->number));
	}
	uint64_t within = key & ((1u << ML_ELEMENTS_BITS) - 1);
	uint32_t *number = &e->number[(*at << ML_ELEMENTS_BITS) + within];

	if (!*number)
		*number = ++e->count;
	return *number;
}

void ml_elements_release(struct ml_elements *e)
{
	ml_map_release(&e->stretch);
	ml_free(e->number);
	*e = (struct ml_elements){ 0 };
}
