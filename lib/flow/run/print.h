/* A flow as JSON, for the command line and the page alike: what it moves symbolically,
 * and what a simulation at chosen sizes found. Also the reading of those sizes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct ml_arena;
struct ml_buf;
struct ml_flow;
struct ml_flow_count;
struct ml_flow_counts;
struct ml_json;
struct ml_locality;

/* Sizes "n=9,m=10" for symbols; arrays by symbol, from the arena. text NULL: none. */
bool ml_flow_values(const struct ml_flow *f, const char *text, struct ml_arena *a,
		    int64_t **value, bool **known, struct ml_err *err);

/* Keys and values of the object that is open. */
void ml_flow_json(const struct ml_flow *f, const struct ml_flow_counts *c,
		  struct ml_json *w);
void ml_flow_json_at(const struct ml_locality *l, struct ml_json *w);
/* One count by another: a number where it does not depend on sizes. */
void ml_flow_print_ratio(const struct ml_flow *f, const struct ml_flow_count *above,
			 const struct ml_flow_count *below, struct ml_buf *out);
/* Operations for each byte: a number where it does not depend on sizes. */
void ml_flow_print_intensity(const struct ml_flow *f, const struct ml_flow_counts *c,
			     struct ml_buf *out);
/* "[M][K] of float". */
void ml_flow_print_shape(const struct ml_flow *f, uint32_t container, struct ml_buf *out);
