/*
 * Memory. An arena owns allocations that end together: one arena for a trace, a pass or a
 * request, and one release. An arena of zero bytes is empty and ready. Memory that must
 * grow or be freed alone comes from ml_resize.
 *
 * When memory runs out, these functions abort the program. No other code does, except by
 * ml_exhausted.
 * Held by tests/base/test_arena.c.
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
/*
 * The same for large arrays that are read in no order: aligned to lines of the host's
 * cache, and in huge pages where the system has them. (A miss of the host's TLB in a
 * virtual machine costs as much as several misses of its caches.)
 */
void *ml_arena_large(struct ml_arena *a, size_t size);
char *ml_arena_strdup(struct ml_arena *a, const char *text);
/* A copy of bytes, with a 0 byte after it. */
char *ml_arena_copy(struct ml_arena *a, const void *bytes, size_t size);
char *ml_arena_printf(struct ml_arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *ml_arena_vprintf(struct ml_arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
void ml_arena_release(struct ml_arena *a);

/* Says what ran out and aborts the program, for a structure in memory that is full. */
_Noreturn void ml_exhausted(const char *what);

/* realloc and free. ml_resize cannot fail; it does not clear new bytes. */
void *ml_resize(void *old, size_t size);
void ml_free(void *memory);

/*
 * Grows an array to at least `need` elements of `elem` bytes, by doubling *cap. New
 * elements are zero. Use: v = ml_grow(v, &cap, n + 1, sizeof(*v)).
 */
void *ml_grow(void *array, size_t *cap, size_t need, size_t elem);
