/* The tables of a summary with all their columns, for JSON and CSV. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ml_buf;
struct ml_summary;

void info_json(struct ml_summary *s, uint64_t top, struct ml_buf *out);
/* The table of that name; false if there is none. */
bool info_csv(struct ml_summary *s, const char *name, uint64_t top, struct ml_buf *out);
/* The names of the tables, separated by commas. */
const char *info_table_names(void);
