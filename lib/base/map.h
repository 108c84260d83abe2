/*
 * Hash maps: 64-bit keys to 64-bit values, and names to small numbers. They use open
 * addressing and cannot remove keys. A map of zero bytes is empty and ready.
 * Held by tests/base/test_map.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"

struct ml_map {
	/* [cap + 1]: a key of 0 is an empty cell; the last one is that of key 0 */
	struct ml_map_cell {
		uint64_t key, value;
	} * cells;
	size_t count, cap; /* cap is a power of two */
	bool has_0;        /* key 0 is in the map */
};

/* The value of key, or NULL. The pointer is valid until the next add. */
uint64_t *ml_map_find(const struct ml_map *m, uint64_t key);
/* The value of key; adds the key with value 0 if it is new. *is_new, unless is_new is
 * NULL, tells whether it was. */
uint64_t *ml_map_add(struct ml_map *m, uint64_t key, bool *is_new);
/*
 * The cell of the next key, in no order, or NULL. *at is 0 at first. Only values may
 * change meanwhile.
 */
struct ml_map_cell *ml_map_next(const struct ml_map *m, size_t *at);
void ml_map_release(struct ml_map *m);

/* Names, numbered from 0 in the order in which they were added. */
struct ml_names {
	struct ml_arena arena; /* owns the text */
	const char **text;     /* by number */
	uint32_t *slots;       /* by hash: number + 1; 0: an empty slot */
	size_t count, cap;     /* of names */
	size_t room;           /* number of slots, a power of two */
};

/* The number of a name; adds the name if it is new. */
uint32_t ml_names_add(struct ml_names *n, const char *text);
uint32_t ml_names_add_bytes(struct ml_names *n, const char *text, size_t size);
/* The number of a name; UINT32_MAX: it is not there. */
uint32_t ml_names_find(const struct ml_names *n, const char *text);
void ml_names_release(struct ml_names *n);

/* The hash of names, and the checksum in files. */
uint64_t ml_hash(const void *bytes, size_t size);
