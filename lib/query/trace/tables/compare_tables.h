/* The tables of a comparison, for programs: totals, lines, regions, findings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ml_buf;
struct ml_compare;

void ml_compare_json(const struct ml_compare *c, size_t top, struct ml_buf *out);
bool ml_compare_has_table(const char *table);
void ml_compare_csv(const struct ml_compare *c, const char *table, size_t top,
		    struct ml_buf *out);
