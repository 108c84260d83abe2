/* Ensembles on the workspace. They do not change while they are there: nothing is locked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/query/tables/ensemble_axes.h"

struct ml_workspace;

struct ml_open_ensemble {
	uint32_t number;
	const char *path;
	struct ml_ensemble e;
	struct ml_curves *curves;
	struct ml_axes axes;
	uint32_t *open; /* of each of its traces: number on the workspace + 1; 0: not
			   found */
	struct ml_arena arena;
};

/*
 * Opens a file, and those of its traces that are found: under their names, or beside
 * the file, and with the same id.
 */
bool ml_open_ensemble_open(struct ml_workspace *d, const char *path, struct ml_err *err);
/* By number; NULL with a sentence. */
struct ml_open_ensemble *ml_open_ensemble(struct ml_workspace *d, uint64_t number,
					  struct ml_err *err);
void ml_open_ensembles_close(struct ml_workspace *d);
