/* The summary of a trace as text for people, at most 100 columns wide. */
#pragma once

#include <stdint.h>

struct ml_arena;
struct ml_buf;
struct ml_summary;
struct ml_summary_region;

/* top: at most so many rows of each table; 0: ten, without negligible rows. */
void ml_info_text(struct ml_summary *s, uint64_t top, int columns, struct ml_buf *out);

/* The kind and the type of a region: "heap"; "double[400][400]", empty if unknown. */
const char *ml_info_kind(const struct ml_summary *s, const struct ml_summary_region *r);
const char *ml_info_type(const struct ml_summary *s, const struct ml_summary_region *r,
			 struct ml_arena *a);
