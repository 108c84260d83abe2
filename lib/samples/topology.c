#include "lib/samples/topology.h"

#include <strings.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

static const char *const type_names[ML_TOPOLOGY_TYPES] = {
	"machine", "package", "NUMA", "L", "group", "core", "CPU",
};

static uint32_t find_tier(struct ml_topology *t, size_t *cap,
			  const struct ml_topology_node *n, struct ml_arena *a)
{
	for (size_t i = 0; i < t->tier_count; i++)
		if (t->tiers[i].type == n->type && t->tiers[i].level == n->level)
			return (uint32_t)i;
	if (t->tier_count == *cap) {
		struct ml_topology_tier *old = t->tiers;

		*cap = *cap ? 2 * *cap : 16;
		t->tiers = ml_arena_alloc(a, *cap * sizeof(*t->tiers));
		for (size_t i = 0; i < t->tier_count; i++)
			t->tiers[i] = old[i];
	}
	t->tiers[t->tier_count] = (struct ml_topology_tier){
		.type = n->type,
		.level = n->level,
		.name = n->type == ML_TOPOLOGY_CACHE ? ml_arena_printf(a, "L%u", n->level)
						     : type_names[n->type],
	};
	return (uint32_t)t->tier_count++;
}

bool ml_topology_index(struct ml_topology *t, const char *name, struct ml_arena *a,
		       struct ml_err *err)
{
	size_t cap = 0;
	uint64_t last = 0;

	t->tiers = NULL;
	t->tier_count = 0;
	for (size_t i = 0; i < t->count; i++) {
		struct ml_topology_node *n = &t->nodes[i];

		if (n->type >= ML_TOPOLOGY_TYPES || n->level > 16 ||
		    (i ? n->parent >= i : n->parent != 0))
			return ml_fail(
				err, ML_FORMAT,
				"%s: resource %zu of the hardware is no part of a tree",
				name, i);
		if (n->type == ML_TOPOLOGY_CPU && n->number >= ML_TOPOLOGY_CPU_MAX)
			return ml_fail(err, ML_FORMAT, "%s: there is a CPU %llu", name,
				       (unsigned long long)n->number);
		if (n->type == ML_TOPOLOGY_CPU && n->number >= last)
			last = n->number + 1;
		n->tier = find_tier(t, &cap, n, a);
		n->within = t->tiers[n->tier].count++;
	}
	for (size_t i = 0; i < t->tier_count; i++)
		if (t->tiers[i].type == ML_TOPOLOGY_NUMA && t->tiers[i].count == 1)
			t->tiers[i].name = "memory";
	for (size_t i = 0; i < t->tier_count; i++)
		t->tiers[i].nodes = ml_arena_alloc(a,
						   t->tiers[i].count * sizeof(uint32_t));
	t->cpu_count = last;
	t->cpu = ml_arena_alloc(a, (last + 1) * sizeof(*t->cpu));
	for (size_t i = 0; i < last; i++)
		t->cpu[i] = UINT32_MAX;
	for (size_t i = 0; i < t->count; i++) {
		const struct ml_topology_node *n = &t->nodes[i];

		t->tiers[n->tier].nodes[n->within] = (uint32_t)i;
		if (n->type == ML_TOPOLOGY_CPU)
			t->cpu[n->number] = (uint32_t)i;
	}
	return true;
}

uint32_t ml_topology_above(const struct ml_topology *t, uint32_t node,
			   enum ml_topology_type type, unsigned level)
{
	for (;; node = t->nodes[node].parent) {
		if (t->nodes[node].type == type && t->nodes[node].level == level)
			return node;
		if (!node)
			return UINT32_MAX;
	}
}

int ml_topology_tier(const struct ml_topology *t, const char *name)
{
	for (size_t i = 0; i < t->tier_count; i++)
		if (!strcasecmp(t->tiers[i].name, name))
			return (int)i;
	return -1;
}

const char *ml_topology_label(const struct ml_topology *t, uint32_t node,
			      struct ml_arena *a)
{
	const struct ml_topology_node *n = &t->nodes[node];

	if (n->type == ML_TOPOLOGY_CACHE)
		return ml_arena_printf(a, "L%u #%u", n->level, n->within);
	if (n->type == ML_TOPOLOGY_NUMA && t->tiers[n->tier].count == 1)
		return t->tiers[n->tier].name;
	return ml_arena_printf(a, "%s %llu", type_names[n->type],
			       (unsigned long long)n->number);
}
