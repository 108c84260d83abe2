/* Prints an ensemble as tables, JSON or CSV, or draws a picture of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/err.h"

/* The options of the same names; see cmd_ensemble.c. */
struct ensemble_show {
	const char *measure, *weights, *time, *base, *against, *size, *real, *plot, *as,
		*colour, *facet, *envelope, *csv;
	uint64_t level, window, top, shared, total, shift, cells, width, height;
	bool volume, peaks, json, dark;
};

extern const struct ensemble_show ensemble_show_default;

/* Checks the options, before anything is simulated. */
bool ensemble_show_check(const struct ensemble_show *o, struct ml_err *err);
/* Notes in the ensemble how these options show it: the page begins with that. */
void ensemble_show_keep(struct ml_ensemble *e, const struct ensemble_show *o,
			const struct opt_list *match);
bool ensemble_show(const struct ml_ensemble *e, const struct ensemble_show *o,
		   const struct opt_list *match, struct ml_err *err);
