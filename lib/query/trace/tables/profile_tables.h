/* The tables of a simulation with all their columns, for JSON and CSV. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/query/trace/tables/profile_rows.h"

struct ml_buf;
struct ml_err;
struct ml_findings;
struct ml_reuse;
struct ml_temperature;
struct ml_temperature_options;

/* The parts of a simulation that are shown, as text or in tables. */
struct ml_profile_view {
	struct ml_trace *trace;
	const struct ml_profile *profile;
	struct ml_profile_rows rows;
	const char *damage; /* why the simulation ended early, or NULL */
	bool stopped;       /* it ended early because the caller cancelled it */
	const struct ml_temperature *temperature; /* NULL: not computed */
	const struct ml_temperature_options *scores;
	const struct ml_reuse *reuse;       /* NULL: not computed */
	const struct ml_findings *findings; /* NULL: not computed */
};

void ml_profile_json(struct ml_profile_view *v, uint64_t top, struct ml_buf *out);
/* The table of that name, which must exist. */
void ml_profile_csv(struct ml_profile_view *v, const char *name, uint64_t top,
		    struct ml_buf *out);
/* True if there is a table of that name; otherwise err lists the tables. */
bool ml_profile_has_table(const char *name, struct ml_err *err);
