/*
 * The routes of sample tables; docs/api.md.
 * Held by tests/query/test_route_samples.c.
 */
#pragma once

#include "lib/query/workspace/request.h"

ml_route_fn ml_route_samples, ml_route_samples_table, ml_route_samples_select,
	ml_route_samples_read;
/* route_axes.c */
ml_route_fn ml_route_samples_histogram, ml_route_samples_pairs, ml_route_samples_axes;
/* route_topology.c */
ml_route_fn ml_route_samples_topology, ml_route_samples_loads;
/* route_offenders.c */
ml_route_fn ml_route_samples_offenders;
/* route_sample_source.c */
ml_route_fn ml_route_samples_source;
/* route_beside.c */
ml_route_fn ml_route_samples_beside;
