#include "lib/trace/regions/region_shape.h"

#include "lib/base/arena.h"
#include "lib/trace/tables.h"

/* Sums wrap: the bounds of a damaged trace may be any numbers. */
static long long plus(int64_t low, uint64_t n)
{
	return (long long)((uint64_t)low + n);
}

static const char *fortran_shape(const struct ml_region *r, struct ml_arena *a)
{
	const char *text = "(";

	for (uint32_t i = r->dims; i-- > 0;) {
		const char *comma = i ? "," : ")";

		if (r->low[i] == 1)
			text = ml_arena_printf(a, "%s%llu%s", text,
					       (unsigned long long)r->dim[i], comma);
		else
			text = ml_arena_printf(a, "%s%lld:%lld%s", text,
					       (long long)r->low[i],
					       plus(r->low[i], r->dim[i] - 1), comma);
	}
	return text;
}

const char *ml_region_shape(const struct ml_region *r, struct ml_arena *a)
{
	const char *text = "";

	if (r->dims && r->column_major)
		return fortran_shape(r, a);
	for (uint32_t i = 0; i < r->dims; i++)
		text = ml_arena_printf(a, "%s[%llu]", text,
				       (unsigned long long)r->dim[i]);
	return text;
}

const char *ml_region_index(const struct ml_region *r, uint64_t element,
			    struct ml_arena *a)
{
	uint64_t index[ML_DIMS] = { 0 };
	uint32_t dims = r->dims ? r->dims : 1;
	bool fortran = r->dims && r->column_major;
	const char *text = "";

	for (uint32_t i = dims; i-- > 1;) {
		uint64_t size = r->dim[i] ? r->dim[i] : 1;

		index[i] = element % size;
		element /= size;
	}
	index[0] = element;
	for (uint32_t i = 0; i < dims; i++)
		if (fortran)
			text = ml_arena_printf(a, "%lld%s%s", plus(r->low[i], index[i]),
					       i ? "," : "", text);
		else
			text = ml_arena_printf(a, "%s[%llu]", text,
					       (unsigned long long)index[i]);
	return fortran ? ml_arena_printf(a, "(%s)", text) : text;
}
