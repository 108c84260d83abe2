#include <string.h>

#include "lib/analyse/passes/temperature.h"
#include "lib/query/trace/routes/route_refs.h"
#include "lib/query/trace/routes/temperature_request.h"
#include "lib/query/workspace/answer.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/trace/open/player.h"
#include "lib/trace/regions/region_lookup.h"

enum { FLAG_DIRTY = 1, FLAG_PREFETCHED = 2, GROUPS = 1024, GROUPS_MAX = 65536 };

#define UNKNOWN UINT64_MAX

/* What levels hold line by line, and what the large ones hold in groups of sets. */
struct state {
	struct level {
		uint32_t instances;
		uint32_t group; /* sets in a group; 0: line by line */
		size_t first;   /* slot or group */
	} level[ML_LEVELS];
	uint64_t *line, *since, *offset;
	uint32_t *rank, *region;
	uint8_t *flags, *letter;
	size_t slots;
	uint32_t *held, *dirty, *owner;
	uint64_t *newest;
	size_t groups;
	struct ml_cached_way *set; /* room for the ways of some sets */
};

static void *room(struct ml_answer *a, size_t count, size_t size)
{
	return ml_arena_alloc(&a->arena, (count + 1) * size);
}

/* Decides which levels are told line by line, and makes room. */
static void lay_out(struct state *x, const struct ml_machine *m, uint32_t cores,
		    uint64_t slots, uint64_t groups, struct ml_answer *a)
{
	size_t max = 0;

	for (uint32_t i = 0; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];
		struct level *to = &x->level[i];
		size_t sets = 1;

		to->instances = (cores + l->share - 1) / l->share;
		if ((uint64_t)to->instances * l->sets * l->ways <= slots) {
			to->first = x->slots;
			x->slots += (size_t)to->instances * l->sets * l->ways;
		} else {
			uint64_t each = groups / to->instances ? groups / to->instances
							       : 1;

			to->group = (uint32_t)((l->sets + each - 1) / each);
			to->first = x->groups;
			x->groups += to->instances *
				     ((l->sets + to->group - 1) / to->group);
			sets = to->group;
		}
		max = sets * l->ways > max ? sets * l->ways : max;
	}
	x->line = room(a, x->slots, sizeof(*x->line));
	x->since = room(a, x->slots, sizeof(*x->since));
	x->offset = room(a, x->slots, sizeof(*x->offset));
	x->rank = room(a, x->slots, sizeof(*x->rank));
	x->region = room(a, x->slots, sizeof(*x->region));
	x->flags = room(a, x->slots, 1);
	x->letter = room(a, x->slots, 1);
	x->held = room(a, x->groups, sizeof(*x->held));
	x->dirty = room(a, x->groups, sizeof(*x->dirty));
	x->owner = room(a, x->groups, sizeof(*x->owner));
	x->newest = room(a, x->groups, sizeof(*x->newest));
	x->set = room(a, max, sizeof(*x->set));
}

static size_t put_slot(struct state *x, size_t at, const struct ml_cached_way *slot)
{
	x->line[at] = slot->line;
	x->rank[at] = slot->rank;
	x->region[at] = slot->owner;
	x->since[at] = slot->since;
	x->flags[at] = (uint8_t)((slot->dirty ? FLAG_DIRTY : 0) |
				 (slot->prefetched ? FLAG_PREFETCHED : 0));
	x->letter[at] = (uint8_t)slot->state;
	return at + 1;
}

/* The region that most of these lines belong to. */
static uint32_t owner_of(struct ml_cached_way *slots, size_t count)
{
	uint32_t best = UINT32_MAX;
	size_t max = 0;

	/* counted ones are moved to the front of the rest: few regions share a group */
	for (size_t done = 0; done < count;) {
		uint32_t owner = slots[done].owner;
		size_t end = done + 1;

		for (size_t i = end; i < count; i++)
			if (slots[i].owner == owner) {
				struct ml_cached_way other = slots[end];

				slots[end++] = slots[i];
				slots[i] = other;
			}
		if (end - done > max) {
			max = end - done;
			best = owner;
		}
		done = end;
	}
	return best;
}

static void put_group(struct state *x, size_t at, size_t count)
{
	size_t held = 0;

	for (size_t i = 0; i < count; i++) {
		if (x->set[i].line == ML_NO_LINE)
			continue;
		x->dirty[at] += x->set[i].dirty;
		if (x->set[i].since > x->newest[at])
			x->newest[at] = x->set[i].since;
		x->set[held++] = x->set[i];
	}
	x->held[at] = (uint32_t)held;
	x->owner[at] = owner_of(x->set, held);
}

static void look(struct state *x, const struct ml_engine *engine,
		 const struct ml_machine *m)
{
	for (uint32_t i = 0; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];
		uint32_t step = x->level[i].group ? x->level[i].group : 1;
		size_t at = x->level[i].first;

		for (uint32_t n = 0, core = 0; n < x->level[i].instances;
		     n++, core += l->share)
			for (uint32_t k = 0; k < l->sets; k += step) {
				uint32_t end = k + step < l->sets ? k + step : l->sets;

				for (uint32_t set = k; set < end; set++)
					ml_engine_set(engine, i + 1, core, set,
						      x->set + (size_t)(set - k) *
								       l->ways);
				if (x->level[i].group)
					put_group(x, at++, (size_t)(end - k) * l->ways);
				else
					for (uint32_t way = 0; way < l->ways; way++)
						at = put_slot(x, at, &x->set[way]);
			}
	}
}

/*
 * Where each line lies in the region of the reference that brought it in. A region may
 * begin or end within a line: then the last byte of the line tells the place, or nothing
 * does. A line of a stack belongs to the function that brought it in, whatever lies there
 * at the moment.
 */
static bool find_offsets(struct state *x, struct ml_open_sim *s, uint64_t at,
			 struct ml_err *err)
{
	const struct ml_machine *m = &s->machine;
	/* positions are times, but for what the interleaver moves within a block */
	struct ml_region_lookup *space = ml_open_trace_lookup_take(s->trace, at, err);
	size_t tables = s->trace->trace.tables.regions.count;

	if (!space)
		return false;
	for (uint32_t i = 0; i < m->levels; i++) {
		const struct ml_level_spec *l = &m->level[i];
		size_t first = x->level[i].first;
		size_t count = x->level[i].group ? 0
						 : (size_t)x->level[i].instances *
							   l->sets * l->ways;

		for (size_t k = first; k < first + count; k++) {
			uint64_t base;

			x->offset[k] = UNKNOWN;
			if (x->region[k] >= tables && x->line[k] != ML_NO_LINE &&
			    ml_open_trace_base(s->trace, x->region[k], &base)) {
				x->offset[k] = x->line[k] > base ? x->line[k] - base : 0;
				continue;
			}
			uint64_t extent = ml_open_trace_extent(s->trace, x->region[k]);
			if (!extent || x->line[k] == ML_NO_LINE)
				continue;
			/* most lines of large caches: there is no need to look for them
			 */
			if (ml_open_trace_base(s->trace, x->region[k], &base)) {
				if (x->line[k] - base < extent)
					x->offset[k] = x->line[k] - base;
				else if (x->line[k] + l->line - 1 - base < extent)
					x->offset[k] = 0;
				continue;
			}
			for (uint64_t in = 0; in < l->line; in += l->line - 1) {
				struct ml_ref ref = { .time = at,
						      .addr = x->line[k] + in };
				struct ml_place p = ml_region_lookup_find(space, &ref);
				uint64_t offset = ml_open_trace_offset(s->trace, p.block,
								       p.offset);

				if (p.region != x->region[k])
					continue;
				x->offset[k] = offset < in ? 0 : offset - in;
				break;
			}
		}
	}
	ml_open_trace_lookup_give(s->trace, space, at);
	return true;
}

/* How many of the references before `at` each level served, as far back as the
 * temperature looks. */
static bool count_served(struct ml_open_sim *s, uint64_t at, uint64_t last,
			 uint64_t served[16], struct ml_err *err)
{
	uint16_t outcome[ML_BATCH];
	bool ok = true;

	for (uint64_t from = at > last ? at - last : 0, to; ok && from < at; from = to) {
		to = from + ML_BATCH < at ? from + ML_BATCH : at;
		ok = ml_open_sim_outcomes(s, from, to, outcome, err);
		for (uint64_t i = 0; ok && i < to - from; i++)
			served[ml_outcome_served(outcome[i])]++;
	}
	return ok;
}

bool ml_route_state(struct ml_workspace *ws, const struct ml_request *q,
		    struct ml_answer *a, struct ml_err *err)
{
	struct ml_open_sim *s = ml_open_sim_ready(ws, q->number[0], err);
	struct state x = { 0 };
	struct ml_temperature_options o = ml_temperature_default();
	uint64_t at, slots, groups, served[16] = { 0 };

	if (!s || !ml_request_u64(q, "at", 0, &at, err) ||
	    !ml_temperature_request(q, &o, err) ||
	    !ml_request_u64(q, "slots", UINT64_MAX, &slots, err) ||
	    !ml_request_u64(q, "groups", GROUPS, &groups, err))
		return false;
	if (!groups || groups > GROUPS_MAX)
		return ml_fail(err, ML_USAGE, "groups is 1 to %d", GROUPS_MAX);
	const struct ml_machine *m = &s->machine;
	at = at < s->simulation.result.refs ? at : s->simulation.result.refs;
	/* the caches of cores that run no thread are empty */
	lay_out(&x, m, ml_open_sim_busy_cores(s), slots, groups, a);
	struct ml_engine *engine = ml_player_take(s, &q->work, at, err);
	if (!engine)
		return false;
	look(&x, engine, m);
	ml_player_give(s);
	if (!find_offsets(&x, s, at, err) || !count_served(s, at, o.last, served, err))
		return false;
	double degrees[ML_LEVELS];
	float *temperature = room(a, m->levels, sizeof(*temperature));
	ml_temperature_of(&o, m->levels, served, degrees);
	for (uint32_t i = 0; i < m->levels; i++)
		temperature[i] = (float)degrees[i];

	ml_answer_columns(a);
	ml_answer_u64(a, "at", at);
	ml_json_key(&a->json, "levels");
	ml_json_array(&a->json);
	for (uint32_t i = 0; i < m->levels; i++) {
		ml_json_object(&a->json);
		ml_answer_string(a, "name", m->level[i].name);
		ml_answer_u64(a, "instances", x.level[i].instances);
		ml_answer_u64(a, "share", m->level[i].share);
		ml_answer_u64(a, "sets", m->level[i].sets);
		ml_answer_u64(a, "ways", m->level[i].ways);
		ml_answer_u64(a, "line", m->level[i].line);
		ml_answer_u64(a, "group", x.level[i].group);
		ml_answer_u64(a, "first", x.level[i].first);
		ml_json_end(&a->json);
	}
	ml_json_end(&a->json);
	ml_answer_column(a, "line", ML_TYPE_U64, x.line, x.slots);
	ml_answer_column(a, "since", ML_TYPE_U64, x.since, x.slots);
	ml_answer_column(a, "offset", ML_TYPE_U64, x.offset, x.slots);
	ml_answer_column(a, "rank", ML_TYPE_U32, x.rank, x.slots);
	ml_answer_column(a, "region", ML_TYPE_U32, x.region, x.slots);
	ml_answer_column(a, "flags", ML_TYPE_U8, x.flags, x.slots);
	ml_answer_column(a, "state", ML_TYPE_U8, x.letter, x.slots);
	ml_answer_column(a, "held", ML_TYPE_U32, x.held, x.groups);
	ml_answer_column(a, "dirty", ML_TYPE_U32, x.dirty, x.groups);
	ml_answer_column(a, "owner", ML_TYPE_U32, x.owner, x.groups);
	ml_answer_column(a, "newest", ML_TYPE_U64, x.newest, x.groups);
	ml_answer_column(a, "temperature", ML_TYPE_F32, temperature, m->levels);
	return true;
}
