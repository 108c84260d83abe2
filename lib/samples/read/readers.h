/* The readers behind read_samples.h. */
#pragma once

#include "lib/samples/read/read_options.h"
#include "lib/samples/read/sample_format.h"
#include "lib/samples/samples.h"
#include "lib/trace/text/scan.h"

/* A word without the blanks around it. */
struct ml_scan_word ml_read_trim(const char *at, const char *end);
/* Steps through "key=value,key=value". */
bool ml_read_pair(const char **text, struct ml_scan_word *key, struct ml_scan_word *value,
		  struct ml_err *err);
/* The column that a heading or a number from 1 names. */
bool ml_read_column(struct ml_samples *s, struct ml_scan_word w, size_t *column,
		    struct ml_err *err);
/* Gives roles to columns as the person says; NULL: leaves them alone. */
bool ml_read_roles(struct ml_samples *s, const char *text, struct ml_err *err);

/* Adds what is derived from other columns: the level, misses of the TLB, and the latency
 * of AMD IBS. The columns are packed. */
bool ml_read_derive(struct ml_samples *s, const struct ml_read_options *o,
		    struct ml_err *err);
