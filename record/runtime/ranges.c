/*
 * Ranges of memory: copies of structs, for which compilers call one hook, and functions
 * of libc that copy and compare memory, called by programs built by `memlamp cc` (by way
 * of libmem.S). The hooks of single references that compilers seldom or never call are
 * here too.
 */
#include <string.h>

#include "record/runtime/slot.h"

static void tell(uint64_t site, enum ml_ref_kind kind, const void *at, size_t size)
{
	struct ml_ring *slot = slot_hold();

	if (!slot)
		return;
	slot_range(slot, site, kind, (uint64_t)at, size);
	slot_release(slot);
}

static void tell_two(uint64_t site, const void *read, size_t count, enum ml_ref_kind kind,
		     const void *second, size_t second_count)
{
	struct ml_ring *slot = slot_hold();

	if (!slot)
		return;
	slot_range(slot, site, ML_REF_READ, (uint64_t)read, count);
	slot_range(slot, site, kind, (uint64_t)second, second_count);
	slot_release(slot);
}

EXPORT void memlamp_read_range(void *at, size_t size);
EXPORT void memlamp_write_range(void *at, size_t size);
EXPORT void __tsan_read_range_pc(void *at, size_t size, void *pc);
EXPORT void __tsan_write_range_pc(void *at, size_t size, void *pc);
EXPORT void __tsan_vptr_update(void **at, void *value);
EXPORT void __tsan_vptr_read(void **at);
EXPORT void __tsan_init(void);
EXPORT void __tsan_ignore_thread_begin(void);
EXPORT void __tsan_ignore_thread_end(void);

void memlamp_read_range(void *at, size_t size)
{
	tell(CALLER, ML_REF_READ, at, size);
}

void memlamp_write_range(void *at, size_t size)
{
	tell(CALLER, ML_REF_WRITE, at, size);
}

void __tsan_read_range_pc(void *at, size_t size, void *pc)
{
	tell((uint64_t)pc, ML_REF_READ, at, size);
}

void __tsan_write_range_pc(void *at, size_t size, void *pc)
{
	tell((uint64_t)pc, ML_REF_WRITE, at, size);
}

void __tsan_vptr_update(void **at, void *value)
{
	(void)value;
	tell(CALLER, ML_REF_WRITE, at, sizeof(*at));
}

void __tsan_vptr_read(void **at)
{
	tell(CALLER, ML_REF_READ, at, sizeof(*at));
}

void __tsan_init(void)
{
}

void __tsan_ignore_thread_begin(void)
{
}

void __tsan_ignore_thread_end(void)
{
}

#define WITH_PC(size) \
	EXPORT void __tsan_read##size##_pc(void *at, void *pc); \
	EXPORT void __tsan_write##size##_pc(void *at, void *pc); \
	void __tsan_read##size##_pc(void *at, void *pc) \
	{ \
		tell((uint64_t)pc, ML_REF_READ, at, size); \
	} \
	void __tsan_write##size##_pc(void *at, void *pc) \
	{ \
		tell((uint64_t)pc, ML_REF_WRITE, at, size); \
	}

WITH_PC(1)
WITH_PC(2)
WITH_PC(4)
WITH_PC(8)
WITH_PC(16)

/*
 * Programs call memcpy and so on (libmem.S), newer compilers __tsan_memcpy and so on.
 * These functions report the references and then call libc.
 */
#define MEM(type, name, parameters) \
	EXPORT type memlamp_##name parameters; \
	type memlamp_##name parameters

MEM(void *, memcpy, (void *to, const void *from, size_t n))
{
	tell_two(CALLER, from, n, ML_REF_WRITE, to, n);
	return memcpy(to, from, n);
}

MEM(void *, mempcpy, (void *to, const void *from, size_t n))
{
	tell_two(CALLER, from, n, ML_REF_WRITE, to, n);
	return mempcpy(to, from, n);
}

MEM(void *, memmove, (void *to, const void *from, size_t n))
{
	tell_two(CALLER, from, n, ML_REF_WRITE, to, n);
	return memmove(to, from, n);
}

MEM(void *, memset, (void *to, int byte, size_t n))
{
	tell(CALLER, ML_REF_WRITE, to, n);
	return memset(to, byte, n);
}

/* Reads up to the first byte that differs. */
MEM(int, memcmp, (const void *a, const void *b, size_t n))
{
	const uint8_t *x = a, *y = b;
	size_t same = 0;

	if (slot_takes_refs()) {
		while (same < n && x[same] == y[same])
			same++;
		same += same < n;
		tell_two(CALLER, a, same, ML_REF_READ, b, same);
	}
	return memcmp(a, b, n);
}

MEM(void *, memchr, (const void *at, int byte, size_t n))
{
	const char *found = memchr(at, byte, n);

	tell(CALLER, ML_REF_READ, at, found ? (size_t)(found - (const char *)at) + 1 : n);
	return (void *)found;
}

MEM(size_t, strlen, (const char *text))
{
	size_t n = strlen(text);

	tell(CALLER, ML_REF_READ, text, n + 1);
	return n;
}

MEM(char *, strcpy, (char *to, const char *from))
{
	size_t n = strlen(from) + 1;

	tell_two(CALLER, from, n, ML_REF_WRITE, to, n);
	return memcpy(to, from, n);
}

MEM(char *, stpcpy, (char *to, const char *from))
{
	size_t n = strlen(from) + 1;

	tell_two(CALLER, from, n, ML_REF_WRITE, to, n);
	return (char *)memcpy(to, from, n) + n - 1;
}

MEM(char *, strncpy, (char *to, const char *from, size_t n))
{
	size_t length = strnlen(from, n);

	tell_two(CALLER, from, length + (length < n), ML_REF_WRITE, to, n);
	return strncpy(to, from, n);
}

MEM(char *, strcat, (char *to, const char *from))
{
	size_t before = strlen(to), n = strlen(from) + 1;

	tell(CALLER, ML_REF_READ, to, before + 1);
	tell_two(CALLER, from, n, ML_REF_WRITE, to + before, n);
	memcpy(to + before, from, n);
	return to;
}

MEM(int, strcmp, (const char *a, const char *b))
{
	size_t same = 0;

	if (slot_takes_refs()) {
		while (a[same] && a[same] == b[same])
			same++;
		tell_two(CALLER, a, same + 1, ML_REF_READ, b, same + 1);
	}
	return strcmp(a, b);
}

MEM(int, strncmp, (const char *a, const char *b, size_t n))
{
	size_t same = 0;

	if (slot_takes_refs()) {
		while (same < n && a[same] && a[same] == b[same])
			same++;
		same += same < n;
		tell_two(CALLER, a, same, ML_REF_READ, b, same);
	}
	return strncmp(a, b, n);
}

MEM(char *, strchr, (const char *text, int byte))
{
	const char *found = strchr(text, byte);

	tell(CALLER, ML_REF_READ, text,
	     found ? (size_t)(found - text) + 1 : strlen(text) + 1);
	return (char *)found;
}

MEM(char *, strrchr, (const char *text, int byte))
{
	tell(CALLER, ML_REF_READ, text, strlen(text) + 1);
	return strrchr(text, byte);
}
