/* Tables that are parts of one: rows that several threads have read. */
#pragma once

#include <stddef.h>

struct ml_samples;

/*
 * Appends the rows of the parts, in order, to a table without rows that has the same
 * columns; none is packed yet. Bad lines and names are taken over. The parts have no rows
 * afterwards.
 */
void ml_samples_join(struct ml_samples *s, struct ml_samples *const *parts, size_t n);
