/* `memlamp info`, `report` and `diff` of an ensemble, as struct ml_document_kind has them. */
#pragma once

#include <stdbool.h>

struct ml_ask;
struct ml_err;
struct ml_told;

bool ml_ensemble_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		      struct ml_err *err);
bool ml_ensemble_report(const char *path, const struct ml_ask *q, struct ml_told *t,
			struct ml_err *err);
bool ml_ensemble_diff(const char *const path[2], const struct ml_ask *q,
		      struct ml_told *t, struct ml_err *err);
