/* `memlamp info`, `report` and `diff` of samples, as struct ml_document_kind has them. */
#pragma once

#include <stdbool.h>

struct ml_ask;
struct ml_err;
struct ml_told;

bool ml_samples_info(const char *path, const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err);
bool ml_samples_report(const char *path, const struct ml_ask *q, struct ml_told *t,
		       struct ml_err *err);
bool ml_samples_diff(const char *const path[2], const struct ml_ask *q, struct ml_told *t,
		     struct ml_err *err);
