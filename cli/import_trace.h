/*
 * Samples out of a trace of ours, as an importer. It stands here and not in record/import
 * because it simulates.
 */
#pragma once

#include "record/import/import.h"

extern const struct ml_importer import_trace;
