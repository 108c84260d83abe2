/*
 * The hardware that samples were taken on, as a tree: machine, packages, NUMA nodes,
 * caches, cores, CPUs. The tree is read from the XML of hwloc (1.x and 2.x) or from the
 * small dialect of MemAxes. A memory child of hwloc 2 becomes the parent of its
 * siblings, so that a path from a CPU to the root passes the memory next to it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_arena;
struct ml_err;

enum ml_topology_type {
	ML_TOPOLOGY_MACHINE,
	ML_TOPOLOGY_PACKAGE,
	ML_TOPOLOGY_NUMA,
	ML_TOPOLOGY_CACHE,
	ML_TOPOLOGY_GROUP, /* dies and groups */
	ML_TOPOLOGY_CORE,
	ML_TOPOLOGY_CPU,
	ML_TOPOLOGY_TYPES
};

struct ml_topology_node {
	enum ml_topology_type type;
	unsigned level;  /* of a cache, from 1; else 0 */
	uint64_t number; /* as the operating system numbers it, or in the order of the
			    file */
	uint64_t size;   /* bytes of a cache or memory; 0: unknown or none */
	uint32_t parent; /* index; of the root: itself */
	uint32_t tier;   /* index of the tier it is in */
	uint32_t within; /* its place in the tier */
};

/* All resources of one type and level. */
struct ml_topology_tier {
	enum ml_topology_type type;
	unsigned level;
	uint32_t count;
	const char *name; /* "L2", "CPU"; "memory" where there is one NUMA node */
	uint32_t *nodes;
};

struct ml_topology {
	const char *name;               /* of the machine, or "" */
	struct ml_topology_node *nodes; /* parents before children; [0] is the root */
	size_t count;
	struct ml_topology_tier *tiers; /* from the root downwards */
	size_t tier_count;
	uint32_t *cpu; /* node of each CPU number; UINT32_MAX: none */
	size_t cpu_count;
};

enum { ML_TOPOLOGY_NODES_MAX = 1 << 20, ML_TOPOLOGY_CPU_MAX = 1 << 20 };

/* Reads XML; the tree lives in the arena. `name` is for messages. */
bool ml_topology_parse(struct ml_topology *t, const char *name, const char *text,
		       size_t size, struct ml_arena *a, struct ml_err *err);
/* Asks hwloc for this host. */
bool ml_topology_host(struct ml_topology *t, struct ml_arena *a, struct ml_err *err);
/* Derives tiers and cpu from the nodes. Fails if nodes are no tree. */
bool ml_topology_index(struct ml_topology *t, const char *name, struct ml_arena *a,
		       struct ml_err *err);
/* The ancestor of a node of a type and level, or the node; UINT32_MAX: none. */
uint32_t ml_topology_above(const struct ml_topology *t, uint32_t node,
			   enum ml_topology_type type, unsigned level);
/* CPU numbers may have holes: hwloc in a cpuset, CPUs that are off. */
static inline bool ml_topology_has_cpu(const struct ml_topology *t, uint64_t cpu)
{
	return cpu < t->cpu_count && t->cpu[cpu] != UINT32_MAX;
}
/* The tier with a name, without regard to case; -1: none. */
int ml_topology_tier(const struct ml_topology *t, const char *name);
/* "L2 #3", "CPU 17" */
const char *ml_topology_label(const struct ml_topology *t, uint32_t node,
			      struct ml_arena *a);
