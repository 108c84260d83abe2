/*
 * Holds the numbers of a result against the trace that it is of. A checksum is no
 * signature: a file may claim sites, regions and levels that do not exist. What serves as
 * an index later is checked here, once; the rows of blocks when they are decoded.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/analyse/result/result_parts.h"
#include "lib/trace/trace.h"

/* How many there are of each. */
struct ends {
	uint64_t sites, regions, names, time;
	uint32_t levels, cores;
};

static bool cells_fit(const struct ml_profile *p, const struct ends *n)
{
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct ml_profile_cell *c = &p->cells[i];

		if (c->site >= n->sites || c->caller >= n->sites ||
		    c->region >= n->regions || c->strides > ML_STRIDES)
			return false;
	}
	return true;
}

static bool levels_fit(const struct ml_profile *p, const struct ends *n)
{
	for (size_t i = 0; i < p->use_count; i++)
		if (p->uses[i].region >= n->regions || p->uses[i].level > n->levels)
			return false;
	for (size_t i = 0; i < p->pair_count; i++)
		if (p->pairs[i].level > n->levels || p->pairs[i].loser >= n->regions ||
		    p->pairs[i].winner >= n->regions)
			return false;
	for (unsigned i = 0; i <= ML_LEVELS; i++) {
		const struct ml_level_spec *s = i ? &p->machine.level[i - 1]
						  : &p->machine.icache;
		bool is_there = i ? i <= n->levels : p->machine.split;

		if (p->level[i].set && (!is_there || p->level[i].sets != s->sets))
			return false;
	}
	return true;
}

static bool cores_fit(const struct ml_profile *p, const struct ends *n)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].thread > UINT16_MAX || p->threads[i].core >= n->cores)
			return false;
	for (size_t i = 0; i < p->bounce_count; i++) {
		const struct ml_profile_bounce *b = &p->bounces[i];

		if (b->region >= n->regions || b->from >= n->cores || b->to >= n->cores ||
		    b->site_from >= n->sites || b->site_to >= n->sites)
			return false;
	}
	for (size_t i = 0; i < p->region_count; i++)
		if (p->regions[i].func >= n->names || p->regions[i].thread > UINT16_MAX)
			return false;
	return true;
}

static bool times_fit(const struct ml_profile *p, const struct ends *n)
{
	if (p->from > p->to || p->to > n->time || p->refs > p->to - p->from ||
	    (p->bin_count && (!p->bin || (p->bin_count - 1) * p->bin > p->refs)))
		return false;
	for (size_t i = 0; i < p->segment_count; i++)
		if (p->segments[i].from > n->time ||
		    (i && p->segments[i].from < p->segments[i - 1].from))
			return false;
	return true;
}

/* The machine that was simulated is the requested one, perhaps with fewer cores. */
static bool machines_fit(const struct ml_result *r)
{
	const struct ml_machine *m = &r->profile.machine;
	struct ml_machine asked;
	struct ml_err err;

	if (!ml_machine_parse(&asked, r->info.machine, &err) ||
	    asked.levels != m->levels || asked.split != m->split ||
	    asked.tlbs != m->tlbs || m->cores > asked.cores)
		return false;
	for (unsigned i = 0; i < m->levels; i++)
		if (asked.level[i].sets != m->level[i].sets ||
		    asked.level[i].ways != m->level[i].ways ||
		    asked.level[i].line != m->level[i].line)
			return false;
	return true;
}

bool ml_result_fit(struct ml_result *r, const struct ml_trace *t, struct ml_err *err)
{
	const struct ml_profile *p = &r->profile;
	struct ends n = { .sites = t->tables.sites.count,
			  .regions = t->tables.regions.count + p->region_count,
			  .names = t->tables.names.count,
			  .time = t->count,
			  .levels = p->machine.levels,
			  .cores = p->machine.cores };

	if (memcmp(r->info.trace, t->id, sizeof(t->id)) != 0)
		return ml_fail(err, ML_FORMAT, "%s is a result of another trace than %s",
			       r->path, t->path);
	if (!machines_fit(r) || r->info.from > r->info.to || r->info.to > t->count ||
	    r->refs > r->info.to - r->info.from || !times_fit(p, &n) ||
	    !cells_fit(p, &n) || !levels_fit(p, &n) || !cores_fit(p, &n))
		return ml_fail(err, ML_FORMAT,
			       "%s: the result names things that its trace does not have",
			       r->path);
	r->site_end = n.sites;
	r->region_end = n.regions;
	return true;
}
