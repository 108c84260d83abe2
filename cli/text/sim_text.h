/* A simulation as text for people, at most 100 columns wide. */
#pragma once

#include <stdint.h>

#include "lib/query/trace/tables/profile_tables.h"

/* top: at most so many rows of each table; 0: ten, without negligible rows. */
void sim_text(struct ml_profile_view *v, uint64_t top, struct ml_buf *out);
