/*
 * A set of addresses as ranges, in order, none touching another. The set is bounded: when
 * it is full, the two closest ranges become one, and the set then contains addresses that
 * nobody added. So it answers "perhaps" and "certainly not".
 *
 * As text, the form in which a trace stores a set: hexadecimal "1000-1fff 3000-3007",
 * last addresses included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ml_buf;

enum { ML_ADDRESS_RANGES = 512 };

struct ml_address_range {
	uint64_t first, last;
};

struct ml_address_ranges {
	struct ml_address_range at[ML_ADDRESS_RANGES + 1];
	size_t count;
};

void ml_address_ranges_add(struct ml_address_ranges *r, uint64_t addr, uint64_t size);
/* Whether the set has one of these addresses, perhaps. */
bool ml_address_ranges_meets(const struct ml_address_ranges *r, uint64_t addr,
			     uint64_t size);
void ml_address_ranges_print(const struct ml_address_ranges *r, struct ml_buf *out);
/* Adds the ranges of a text; false if the text is none of such a set. */
bool ml_address_ranges_parse(struct ml_address_ranges *r, const char *text);
