/* An open ensemble. It does not change while it is open, so that nothing is locked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/analyse/ensemble/curve.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/query/ensemble/ensemble_axes.h"
#include "lib/query/workspace/document.h"

struct ml_open_ensemble {
	struct ml_document document;
	struct ml_ensemble e;
	struct ml_curves *curves;
	struct ml_axes axes;
	uint32_t *open; /* of each of its traces: number of the document + 1; 0: not found
			 */
	struct ml_arena arena;
};

/*
 * As struct ml_document_kind has them. Opening also opens those of the ensemble's traces
 * that are found: under their names, or beside the file, and with the same id.
 */
struct ml_document *ml_open_ensemble_open(struct ml_workspace *ws, const char *path,
					  struct ml_err *err);
void ml_open_ensemble_close(struct ml_document *d);

/* The open ensemble with a number; NULL with a sentence. */
struct ml_open_ensemble *ml_open_ensemble(struct ml_workspace *ws, uint64_t number,
					  struct ml_err *err);
