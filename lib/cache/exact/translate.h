/* The TLBs of the exact simulator. */
#pragma once

#include <stdint.h>

#include "lib/cache/exact/sim_data.h"

/*
 * Translates all pages of a data access, the bytes from addr to last. The observer hears
 * of those that the first TLB does not know.
 */
void ml_translate(struct ml_sim *s, unsigned core, enum ml_access_kind kind,
		  uint64_t addr, uint64_t last, uint32_t access);
