/*
 * Persistent first cohomology of a Rips complex, one edge at a time. The triangles that
 * an edge completes stand for its common neighbours; those of one connected component of
 * its link say the same, so the edge needs one triangle a component:
 *
 *	no component:  the edge joins two parts, or a class is born;
 *	one:           nothing happens;
 *	c:             c - 1 relations, each of which may end the youngest class in it.
 *
 * No triangle is ever stored. Classes that lived long leave a snapshot, from which their
 * cocycles on the shorter edges can be read later.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/analyse/cycles/annotation.h"
#include "lib/base/err.h"

struct ml_edges;
struct ml_work;

/* How many classes lived from one length to another. */
struct ml_bar {
	double birth, death; /* INFINITY: still alive at the threshold */
	uint64_t count;
};

/* A class with its cocycle, as it was just before the class died. */
struct ml_class {
	uint32_t birth_level, death_level; /* death_level = levels: behind the last */
	double birth, death;
	uint32_t clock; /* of the annotation */
	uint32_t count;
	struct ml_term *roots; /* ascending: value of each root, others 0 */
};

struct ml_rips {
	const struct ml_edges *edges;
	struct ml_annotation annotation;
	uint32_t *triangle; /* nodes of all pairs, where there are many edges; else: */
	struct ml_leaf_cell {
		uint64_t pair; /* larger << 32 | smaller; 0 is empty */
		uint32_t node;
	} * leaves; /* nodes of the pairs that are not 0, by hash */
	size_t leaf_count, leaf_cap;
	struct ml_bar *bars; /* by death minus birth, longest first */
	size_t bar_count, bar_cap;
	struct ml_class *classes; /* at most max_classes, of the longest bars */
	size_t class_count, class_cap, max_classes;
	uint64_t classes_left_out; /* that had the length of the shortest kept, or more */
	uint64_t components;       /* of the graph of all edges */
};

/* How the neighbours of points are kept; the result does not depend on it. */
enum ml_rips_rows {
	ML_RIPS_BITS,   /* a bit for each pair of points */
	ML_RIPS_BLOCKS, /* the words of these that are not 0 */
};

bool ml_rips_run_with(struct ml_rips *r, const struct ml_edges *edges, size_t max_classes,
		      enum ml_rips_rows rows, const struct ml_work *work,
		      struct ml_err *err);
/* Runs over all edges, which must live as long as r, with the rows that are smaller. */
bool ml_rips_run(struct ml_rips *r, const struct ml_edges *edges, size_t max_classes,
		 const struct ml_work *work, struct ml_err *err);
void ml_rips_release(struct ml_rips *r);

/* Node of an edge, directed from the smaller end to the larger. */
uint32_t ml_rips_leaf(const struct ml_rips *r, uint32_t larger, uint32_t smaller);
