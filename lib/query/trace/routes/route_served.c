#include "lib/query/trace/routes/route_served.h"

#include "lib/analyse/passes/waiting.h"
#include "lib/query/workspace/answer.h"

void ml_route_served(struct ml_answer *a, const struct ml_machine *m,
		     const uint64_t served[ML_SERVED], double beyond)
{
	double parts[ML_SERVED];

	ml_json_key(&a->json, "served");
	ml_json_array(&a->json);
	for (unsigned k = 1; k <= m->levels + 1; k++)
		ml_json_u64(&a->json, served[k]);
	ml_json_end(&a->json);
	ml_waiting(m, served, beyond, parts);
	ml_json_key(&a->json, "waiting");
	ml_json_array(&a->json);
	for (unsigned k = 1; k <= m->levels + 1; k++)
		ml_json_real(&a->json, parts[k]);
	ml_json_real(&a->json, parts[0]);
	ml_json_end(&a->json);
}
