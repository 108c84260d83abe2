/* The tables of a summary with all their columns, for JSON and CSV. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_buf;
struct ml_err;
struct ml_summary;

void ml_info_json(struct ml_summary *s, uint64_t top, struct ml_buf *out);
/* The table of that name; a sentence lists the names if there is none. */
bool ml_info_csv(struct ml_summary *s, const char *name, uint64_t top, struct ml_buf *out,
		 struct ml_err *err);
