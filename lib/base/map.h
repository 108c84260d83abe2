/*
 * Hash maps: 64-bit keys to 64-bit values, and names to small numbers. Open
 * addressing, no removal (nothing here needs it). Zero bytes are an empty map.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_map {
	struct ml_map_cell {
		uint64_t key, value;
		bool used;
	} * cells;
	size_t count, cap; /* cap is a power of two */
};

/* The value of key, or NULL. Valid until the next add. */
uint64_t *ml_map_find(const struct ml_map *m, uint64_t key);
/* The value of key, a new one being 0; *is_new, if not NULL, says which. */
uint64_t *ml_map_add(struct ml_map *m, uint64_t key, bool *is_new);
void ml_map_release(struct ml_map *m);

/* Names numbered from 0 in the order in which they first came. */
struct ml_names {
	struct ml_arena arena; /* owns the text */
	const char **text;     /* by number */
	uint32_t *slots;       /* number + 1 by hash, 0 is empty */
	size_t count, cap, room;
};

uint32_t ml_names_add(struct ml_names *n, const char *text);
uint32_t ml_names_add_bytes(struct ml_names *n, const char *text, size_t size);
/* The number of text, or UINT32_MAX. */
uint32_t ml_names_find(const struct ml_names *n, const char *text);
void ml_names_release(struct ml_names *n);

/* The hash that both use; also good for content hashes of small things. */
uint64_t ml_hash(const void *bytes, size_t size);
