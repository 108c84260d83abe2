/* Phases, levels and lines over time. See export.h. */
#pragma once

#include <stdbool.h>

#include "lib/base/err.h"

struct ml_buf;
struct ml_open_sim;

bool ml_export_speedscope(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err);
bool ml_export_chrome(struct ml_open_sim *s, struct ml_buf *out, struct ml_err *err);
