#include "lib/analyse/passes/profile.h"

void ml_profile_release(struct ml_profile *p)
{
	for (size_t i = 0; i <= ML_LEVELS; i++)
		ml_free(p->level[i].set);
	ml_free(p->cells);
	ml_free(p->uses);
	ml_free(p->pairs);
	ml_free(p->threads);
	ml_free(p->segments);
	ml_free(p->bounces);
	ml_free(p->regions);
	ml_free(p->names);
	ml_free(p->bins);
	*p = (struct ml_profile){ 0 };
}

const char *ml_profile_region_name(const struct ml_profile *p, const struct ml_tables *t,
				   uint32_t region)
{
	size_t known = t->regions.count;

	if (!region)
		return "other";
	if (region < known)
		return ml_tables_text(t, t->regions.at[region].name);
	return region - known < p->region_count
		       ? p->names + p->regions[region - known].name
		       : "unknown";
}

enum ml_region_kind ml_profile_region_kind(const struct ml_profile *p,
					   const struct ml_tables *t, uint32_t region)
{
	size_t known = t->regions.count;

	if (region < known)
		return t->regions.at[region].kind;
	return region - known < p->region_count
		       ? (enum ml_region_kind)p->regions[region - known].kind
		       : ML_REGION_OTHER;
}

double ml_profile_cycles(const struct ml_machine *m, const uint64_t served[ML_SERVED])
{
	double cycles = 0;
	uint64_t refs = 0;

	for (unsigned k = 1; k <= m->levels + 1; k++) {
		cycles += (double)served[k] *
			  (k <= m->levels ? m->level[k - 1].cycles : m->memory_cycles);
		refs += served[k];
	}
	return refs ? cycles / (double)refs : 0;
}

double ml_profile_average(const struct ml_profile *p)
{
	double beyond = ml_surcharge_cycles(&p->surcharge, &p->machine, p->refs);

	return ml_profile_cycles(&p->machine, p->served) +
	       (p->refs ? beyond / (double)p->refs : 0);
}
