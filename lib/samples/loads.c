#include "lib/samples/loads.h"

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"

bool ml_loads_possible(const struct ml_samples *s)
{
	return s->topology.count && ml_samples_cpu(s);
}

bool ml_loads_map_init(struct ml_loads_map *m, const struct ml_samples *s,
		       struct ml_arena *a, struct ml_err *err)
{
	const struct ml_samples_column *level = ml_samples_role(s, ML_SAMPLES_LEVEL);

	*m = (struct ml_loads_map){ .s = s, .cpus = s->topology.cpu_count };
	if (!s->topology.count)
		return ml_fail(
			err, ML_USAGE,
			"%s: the hardware is unknown; --hardware FILE reads XML of hwloc or Mitos",
			s->path);
	if (!ml_samples_cpu(s))
		return ml_fail(err, ML_USAGE,
			       "%s: no column tells the CPU; -c cpu=COLUMN names one",
			       s->path);
	if (level && level->kind == ML_SAMPLES_NAMES) {
		m->level_of_name = ml_arena_alloc(a, level->name_count + 1);
		for (size_t i = 0; i < level->name_count; i++)
			m->level_of_name[i] = (uint8_t)ml_level_of_name(level->names[i]);
	}
	return true;
}

size_t ml_loads_cpu(const struct ml_loads_map *m, uint64_t row)
{
	const struct ml_samples_column *c = ml_samples_role(m->s, ML_SAMPLES_CPU);
	uint64_t cpu = ml_samples_bits(c, row);

	return ml_samples_missing(c, row) || !ml_topology_has_cpu(&m->s->topology, cpu)
		       ? m->cpus
		       : (size_t)cpu;
}

enum ml_level ml_loads_level(const struct ml_loads_map *m, uint64_t row)
{
	if (!m->level_of_name)
		return ML_LEVEL_UNKNOWN;
	return (enum ml_level)m->level_of_name[ml_samples_bits(
		ml_samples_role(m->s, ML_SAMPLES_LEVEL), row)];
}

void ml_loads_count(struct ml_loads *l, const struct ml_loads_map *m,
		    const struct ml_selection *sel, struct ml_arena *a)
{
	const struct ml_samples_column *latency = ml_samples_latency(m->s);

	l->cell = ml_arena_alloc(a, (m->cpus + 1) * ML_LEVELS * sizeof(*l->cell));
	for (uint64_t w = 0; w < ml_selection_words(m->s->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1) {
			uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(bits);
			struct ml_load *x = &l->cell[ml_loads_cpu(m, row) * ML_LEVELS +
						     ml_loads_level(m, row)];

			x->samples++;
			if (latency && !ml_samples_missing(latency, row)) {
				x->timed++;
				x->cycles += ml_samples_bits(latency, row);
			}
		}
}

/* The cache level that serves a sample of a level; 0: none. */
static unsigned cache_of(enum ml_level level)
{
	switch (level) {
	case ML_LEVEL_L1:
	case ML_LEVEL_L1_OR_L2:
	case ML_LEVEL_L1_TO_L3:
	case ML_LEVEL_LFB: return 1;
	case ML_LEVEL_L2:
	case ML_LEVEL_L2_OR_L3: return 2;
	case ML_LEVEL_L3:
	case ML_LEVEL_L3_OR_RAM: return 3;
	default: return 0;
	}
}

/* The other of two nodes of a tier, as seen from a CPU; UINT32_MAX: there are not two. */
static uint32_t other_of(const struct ml_topology *t, uint32_t cpu,
			 enum ml_topology_type type, unsigned level)
{
	uint32_t near = ml_topology_above(t, cpu, type, level);

	if (near == UINT32_MAX || t->tiers[t->nodes[near].tier].count != 2)
		return UINT32_MAX;
	return t->tiers[t->nodes[near].tier].nodes[!t->nodes[near].within];
}

/* The node that served; UINT32_MAX: unknown. */
static uint32_t server_of(const struct ml_topology *t, uint32_t cpu, enum ml_level level)
{
	if (level == ML_LEVEL_RAM)
		return ml_topology_above(t, cpu, ML_TOPOLOGY_NUMA, 0);
	if (level == ML_LEVEL_REMOTE_RAM)
		return other_of(t, cpu, ML_TOPOLOGY_NUMA, 0);
	if (level == ML_LEVEL_REMOTE_CACHE)
		return other_of(t, cpu, ML_TOPOLOGY_CACHE, 3);
	return cache_of(level)
		       ? ml_topology_above(t, cpu, ML_TOPOLOGY_CACHE, cache_of(level))
		       : UINT32_MAX;
}

uint32_t ml_loads_resource(const struct ml_loads_map *m, size_t tier, size_t cpu,
			   enum ml_level level)
{
	const struct ml_topology *t = &m->s->topology;
	const struct ml_topology_tier *x = &t->tiers[tier];
	uint32_t node;

	if (!ml_topology_has_cpu(t, cpu))
		return UINT32_MAX;
	if (x->type == ML_TOPOLOGY_CACHE || x->type == ML_TOPOLOGY_NUMA) {
		node = server_of(t, t->cpu[cpu], level);
		if (node != UINT32_MAX && t->nodes[node].tier != tier)
			node = UINT32_MAX;
	} else
		node = ml_topology_above(t, t->cpu[cpu], x->type, x->level);
	return node == UINT32_MAX ? UINT32_MAX : t->nodes[node].within;
}

static unsigned height(const struct ml_topology *t, uint32_t node)
{
	unsigned h = 0;

	for (; node; node = t->nodes[node].parent)
		h++;
	return h;
}

/*
 * Adds n transactions to the links from the CPU to what served it. Memory lies behind the
 * last cache, which may stand above it in the tree (sub-NUMA clusters): the path then
 * ends at the higher one.
 */
static void add_path(struct ml_node_load *list, const struct ml_topology *t, uint32_t cpu,
		     enum ml_level level, uint64_t n)
{
	uint32_t to = server_of(t, cpu, level), at = cpu;
	bool remote = level == ML_LEVEL_REMOTE_RAM || level == ML_LEVEL_REMOTE_CACHE;

	if (level == ML_LEVEL_RAM) {
		uint32_t cache = ml_topology_above(t, cpu, ML_TOPOLOGY_CACHE, 3);

		if (cache != UINT32_MAX &&
		    (to == UINT32_MAX || height(t, cache) < height(t, to)))
			to = cache;
	}
	if (to == UINT32_MAX) {
		if (!remote && level != ML_LEVEL_RAM)
			return;
		to = 0; /* somewhere beyond the machine's root */
	}
	unsigned high = height(t, at), low = height(t, to);
	while (at != to) {
		uint32_t *step = high >= low ? &at : &to;

		list[*step].transactions += n;
		*(high >= low ? &high : &low) -= 1;
		*step = t->nodes[*step].parent;
	}
}

struct ml_node_load *ml_loads_nodes(const struct ml_loads *l,
				    const struct ml_loads_map *m, struct ml_arena *a)
{
	const struct ml_topology *t = &m->s->topology;
	struct ml_node_load *list = ml_arena_alloc(a, t->count * sizeof(*list));

	for (size_t cpu = 0; cpu < m->cpus; cpu++)
		for (unsigned level = 0; level < ML_LEVELS; level++) {
			const struct ml_load *x = &l->cell[cpu * ML_LEVELS + level];

			if (!x->samples)
				continue;
			for (size_t tier = 0; tier < t->tier_count; tier++) {
				uint32_t r = ml_loads_resource(m, tier, cpu,
							       (enum ml_level)level);

				if (r == UINT32_MAX)
					continue;
				struct ml_load *to = &list[t->tiers[tier].nodes[r]].load;
				to->samples += x->samples;
				to->timed += x->timed;
				to->cycles += x->cycles;
			}
			add_path(list, t, t->cpu[cpu], (enum ml_level)level, x->samples);
		}
	for (size_t i = 0; i < t->count; i++)
		list[i].load.cycles = ml_samples_cycles(list[i].load.cycles);
	return list;
}
