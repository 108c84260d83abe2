/*
 * The rest of what a simulation says as text: sets, regions that drive each other out,
 * lines that go from core to core, TLBs, prefetchers, temperature and reuse. What there
 * is nothing to say about is left out.
 */
#pragma once

#include <stdint.h>

struct say;
struct ml_profile_view;

void sim_more(struct ml_profile_view *v, uint64_t top, struct say *s);
