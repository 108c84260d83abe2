/*
 * Memory. What dies together is allocated together: one arena for a trace, a
 * pass, a request, and one release. An arena full of zero bytes is empty and
 * ready. Memory that must grow or be given back alone uses ml_resize.
 *
 * Running out of memory aborts, here and nowhere else.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct ml_arena {
	struct ml_arena_page *pages; /* the newest first */
	size_t used, room;           /* bytes of the newest page */
};

/* Zeroed memory, aligned for any type, that lives until the arena is released. */
void *ml_arena_alloc(struct ml_arena *a, size_t size);
char *ml_arena_strdup(struct ml_arena *a, const char *text);
char *ml_arena_copy(struct ml_arena *a, const void *bytes,
		    size_t size); /* adds a 0 byte */
char *ml_arena_printf(struct ml_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *ml_arena_vprintf(struct ml_arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void ml_arena_release(struct ml_arena *a);

/* malloc, realloc and free that cannot fail. New bytes are not cleared. */
void *ml_resize(void *old, size_t size);
void ml_free(void *memory);

/*
 * An array that grows: room for at least need elements of size elem bytes,
 * doubling; new elements are zero. Use: v = ml_grow(v, &cap, n + 1, sizeof(*v)).
 */
void *ml_grow(void *array, size_t *cap, size_t need, size_t elem);
