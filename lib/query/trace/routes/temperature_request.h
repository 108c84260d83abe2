/* Scores of the cache temperature, as questions give them: window, hit, miss. */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_request;
struct ml_temperature_options;

/* What is not given stays as it is in o. */
bool ml_temperature_request(const struct ml_request *q, struct ml_temperature_options *o,
			    struct ml_err *err);
