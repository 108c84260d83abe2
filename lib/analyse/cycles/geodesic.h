/*
 * Distances along near points, as ISOMAP takes them (Tenenbaum, de Silva, Langford 2000):
 * each point is joined to its nearest ones, and a distance is the length of the shortest
 * way over these. Where that leaves several parts, the edges of a shortest spanning tree
 * join them, so that every distance is finite.
 * Held by tests/analyse/test_geodesic.c.
 */
#pragma once

#include <stdint.h>

/* distance[i * count + k], symmetric, becomes the length of the shortest way. */
void ml_geodesics(double *distance, uint32_t count, uint32_t near);
