/* Macros that allocate, in a header from which no code comes, as in klib. */
#pragma once

#include <stdlib.h>

void *pool_realloc(void *pool, void *p, size_t size);

#define CHECKED(p) ((p) ? (p) : (abort(), (p)))
#define GROW(type, v) \
	((v).at = (type *)pool_realloc(NULL, (v).at, \
				       sizeof(type) * ((v).room = 2 * (v).room + 8)))
#define PUSH(type, v, x) \
	do { \
		if ((v).count == (v).room) \
			GROW(type, v); \
		(v).at[(v).count++] = (x); \
	} while (0)
#define MAKE(pool, p, n) \
	do { \
		size_t bytes_ = (n) * sizeof(*(p)); \
		(p) = calloc(1, bytes_); \
		(pool)->used += CHECKED(p) != NULL; \
	} while (0)
#define GROW_TABLE(name, n) table_##name = realloc(table_##name, (n) * sizeof(int))
