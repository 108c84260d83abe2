/* Scores of the cache temperature, as questions give them: window, hit, miss. */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_ask;
struct ml_temperature_options;

/* What is not given stays as it is in o. */
bool ml_ask_scores(const struct ml_ask *q, struct ml_temperature_options *o,
		   struct ml_err *err);
