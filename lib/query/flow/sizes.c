#include "lib/query/flow/sizes.h"

#include "lib/flow/count/count.h"
#include "lib/flow/flow.h"
#include "lib/flow/run/print.h"
#include "lib/query/workspace/request.h"

bool ml_flow_sizes_read(struct ml_flow_sizes *z, const struct ml_flow *f,
			const struct ml_request *q, struct ml_arena *a,
			struct ml_err *err)
{
	uint64_t others;

	if (!ml_flow_values(f, ml_request_text(q, "set"), a, &z->value, &z->known, err) ||
	    !ml_request_u64(q, "others", UINT64_MAX, &others, err))
		return false;
	if (others != UINT64_MAX && others > (uint64_t)1 << 40)
		return ml_fail(err, ML_USAGE, "others must be a size, 0 to 2^40");
	for (size_t i = 0; i < f->symbol_count && others != UINT64_MAX; i++)
		if (f->symbol[i].kind <= ML_FLOW_TRIPS && !z->known[i]) {
			z->value[i] = (int64_t)others;
			z->known[i] = true;
		}
	ml_flow_sizes_changed(z, f);
	return true;
}

void ml_flow_sizes_changed(struct ml_flow_sizes *z, const struct ml_flow *f)
{
	z->all = true;
	for (size_t i = 0; i < f->symbol_count; i++)
		z->all &= f->symbol[i].kind > ML_FLOW_TRIPS || z->known[i];
	ml_flow_count_atoms(f, z->value);
}
