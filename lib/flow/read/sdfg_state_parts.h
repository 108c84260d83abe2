/* The dataflow of one state, as the files that read its nodes share it: sdfg_state.c has
 * scopes and tasklets, sdfg_copy.c copies, sdfg_view.c views, sdfg_nested.c nested
 * graphs. */
#pragma once

#include "lib/flow/read/sdfg_read_parts.h"

struct ml_sdfg_edge {
	size_t src, dst;
	const char *from, *to; /* connectors */
	json_t *memlet;        /* attributes; NULL: empty */
	const char *data;
};

struct ml_sdfg_dataflow {
	struct ml_sdfg_reader *r;
	json_t *nodes;
	size_t node_count;
	size_t *scope; /* the entry around a node; SIZE_MAX: none */
	struct ml_sdfg_edge *edge;
	size_t edge_count;
	size_t *order;  /* topological */
	unsigned steps; /* along paths, against cycles */
};

/* sdfg_state.c */
bool ml_sdfg_is(struct ml_sdfg_dataflow *s, size_t node, const char *type);
json_t *ml_sdfg_node_attr(struct ml_sdfg_dataflow *s, size_t node, const char *key);
/* The array of an access node; "": none. */
const char *ml_sdfg_data(struct ml_sdfg_dataflow *s, size_t node);
/* The node where the path of an edge begins (back) or ends, through maps. */
size_t ml_sdfg_path_end(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e,
			bool back);

/* sdfg_copy.c: from an access node to others, and from outside of a map into one. */
void ml_sdfg_copies_from(struct ml_sdfg_dataflow *s, size_t node);
void ml_sdfg_copies_into(struct ml_sdfg_dataflow *s, size_t node);

/* sdfg_view.c */
bool ml_sdfg_is_view(struct ml_sdfg_dataflow *s, size_t node);
void ml_sdfg_place_view(struct ml_sdfg_dataflow *s, size_t node);
/* Whether an edge only shows storage under another name: nothing moves. */
bool ml_sdfg_shows(struct ml_sdfg_dataflow *s, const struct ml_sdfg_edge *e);

/* sdfg_nested.c */
void ml_sdfg_nested(struct ml_sdfg_dataflow *s, size_t node);
