/*
 * The later sections of a simulation as text: sets, regions that evict each other, lines
 * that bounce between cores, TLBs, prefetchers, temperature and reuse. A section without
 * content is left out.
 */
#pragma once

#include <stdint.h>

struct ml_say;
struct ml_profile_view;

void sim_sections(struct ml_profile_view *v, uint64_t top, struct ml_say *s);
