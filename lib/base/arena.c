#include "lib/base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 64 * 1024, ALIGN = 16, LINE = 64, HUGE = 2 << 20 };

struct ml_arena_page {
	struct ml_arena_page *next;
	size_t pad; /* keeps the bytes after the struct aligned */
};

void ml_exhausted(const char *what)
{
	fprintf(stderr, "memlamp: %s\n", what);
	abort();
}

static void *must(void *memory)
{
	if (!memory)
		ml_exhausted("out of memory");
	return memory;
}

void *ml_arena_alloc(struct ml_arena *a, size_t size)
{
	if (size > SIZE_MAX / 2)
		must(NULL);
	size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!a->pages || size > a->room - a->used) {
		size_t room = size > PAGE ? size : PAGE;
		struct ml_arena_page *p = must(calloc(1, sizeof(*p) + room));

		p->next = a->pages;
		a->pages = p;
		a->used = 0;
		a->room = room;
	}
	void *memory = (char *)(a->pages + 1) + a->used;
	a->used += size;
	return memory;
}

void *ml_arena_large(struct ml_arena *a, size_t size)
{
	size_t align = size >= HUGE / 2 ? HUGE : LINE;

	if (size > SIZE_MAX / 4)
		must(NULL);
	uintptr_t at = (uintptr_t)ml_arena_alloc(a, size + 2 * align);
	at = (at + align - 1) & ~(uintptr_t)(align - 1);
#ifdef MADV_HUGEPAGE
	if (align == HUGE) /* advice: nothing is lost if the system refuses */
		madvise((void *)at, (size + HUGE - 1) & ~(size_t)(HUGE - 1),
			MADV_HUGEPAGE);
#endif
	return (void *)at;
}

char *ml_arena_copy(struct ml_arena *a, const void *bytes, size_t size)
{
	char *copy = ml_arena_alloc(a, size + 1);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *ml_arena_strdup(struct ml_arena *a, const char *text)
{
	return ml_arena_copy(a, text, strlen(text));
}

char *ml_arena_printf(struct ml_arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *text = ml_arena_vprintf(a, fmt, ap);
	va_end(ap);
	return text;
}

char *ml_arena_vprintf(struct ml_arena *a, const char *fmt, va_list ap)
{
	va_list measured;

	va_copy(measured, ap);
	int n = vsnprintf(NULL, 0, fmt, measured);
	va_end(measured);
	assert(n >= 0);
	char *text = ml_arena_alloc(a, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	return text;
}

void ml_arena_release(struct ml_arena *a)
{
	while (a->pages) {
		struct ml_arena_page *next = a->pages->next;

		free(a->pages);
		a->pages = next;
	}
	*a = (struct ml_arena){ 0 };
}

void *ml_resize(void *old, size_t size)
{
	return must(realloc(old, size ? size : 1));
}

void ml_free(void *memory)
{
	free(memory);
}

void *ml_grow(void *array, size_t *cap, size_t need, size_t elem)
{
	if (need <= *cap)
		return array;
	if (need > SIZE_MAX / 4 / elem)
		must(NULL);
	size_t room = *cap ? *cap : 16;
	while (room < need)
		room *= 2;
	char *grown = ml_resize(array, room * elem);
	memset(grown + *cap * elem, 0, (room - *cap) * elem);
	*cap = room;
	return grown;
}
