/* The summary of a trace as text for people, at most 100 columns wide. */
#pragma once

#include <stdint.h>

struct ml_arena;
struct ml_buf;
struct ml_summary;
struct ml_summary_region;

/* top: rows of each table at most; 0: ten, and none that hardly count. */
void info_text(struct ml_summary *s, uint64_t top, struct ml_buf *out);

/* Words that text and tables share: "heap"; "double[400][400]", empty if unknown. */
const char *info_kind(const struct ml_summary *s, const struct ml_summary_region *r);
const char *info_type(const struct ml_summary *s, const struct ml_summary_region *r,
		      struct ml_arena *a);
