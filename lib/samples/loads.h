/*
 * Samples on the hardware. A sample has the CPU that asked and the level that served;
 * together they name the resources that it concerns:
 *
 *  - the CPU, and its core, group, package and machine: they issued the access;
 *  - the cache or memory next to the CPU that served it. A line on its way to L1 (LFB)
 *    counts for L1; where two levels are possible ("L3 or RAM" of AMD IBS, "L1 or L2" of
 *    timed loads) the nearer counts. A remote cache or memory is
 *    known if there are two of them in all, otherwise only that it is another one.
 *
 * Its data moved along the links from there to the CPU: one transaction a link. A sample
 * without a known CPU concerns nothing; one without a known level only what issued it.
 * Everything is derived from counts by CPU and level, which cost one pass.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/samples/data_source.h"

struct ml_arena;
struct ml_err;
struct ml_samples;
struct ml_selection;

struct ml_load {
	uint64_t samples, timed, cycles;
};

/* What relates rows to resources, made once for a table. */
struct ml_loads_map {
	const struct ml_samples *s;
	size_t cpus;            /* CPU numbers of the topology; row `cpus` is unknown */
	uint8_t *level_of_name; /* enum ml_level by name of the level's column; or NULL */
};

/* Counts by CPU and level: cell[cpu * ML_LEVELS + level], with a last row of unknown. */
struct ml_loads {
	struct ml_load *cell;
};

/* Fails if the table has no topology or no column of CPUs. */
bool ml_loads_possible(const struct ml_samples *s);
bool ml_loads_map_init(struct ml_loads_map *m, const struct ml_samples *s,
		       struct ml_arena *a, struct ml_err *err);
void ml_loads_count(struct ml_loads *l, const struct ml_loads_map *m,
		    const struct ml_selection *sel, struct ml_arena *a);
size_t ml_loads_cpu(const struct ml_loads_map *m, uint64_t row);
enum ml_level ml_loads_level(const struct ml_loads_map *m, uint64_t row);

/* The resource of a tier that a sample of a CPU and level concerns, as its place in the
 * tier; UINT32_MAX: none. */
uint32_t ml_loads_resource(const struct ml_loads_map *m, size_t tier, size_t cpu,
			   enum ml_level level);

/* Of each node of the topology: its load, and the transactions on the link to its
 * parent. */
struct ml_node_load {
	struct ml_load load;
	uint64_t transactions;
};
struct ml_node_load *ml_loads_nodes(const struct ml_loads *l,
				    const struct ml_loads_map *m, struct ml_arena *a);
