#include "record/session/chase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/file.h"
#include "record/arch/timed_load.h"

enum {
	LINE = 64,
	PAGE = 4096,
	LARGE_PAGE = 2 << 20,
	STRIDE_MAX = 16, /* untimed loads between two timed ones, at most */
};

#if defined(__x86_64__)

ML_TIMED_LOAD_DEFINE;

static void flush(const void *line)
{
	__builtin_ia32_clflush(line);
}

static void await_flushes(void)
{
	__builtin_ia32_mfence();
}

bool ml_chase_possible(struct ml_err *err)
{
	unsigned a = 0x80000001u, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return d >> 27 & 1
		       ? true
		       : ml_fail(err, ML_USAGE,
				 "loads cannot be timed: the processor has no rdtscp");
}

#else

bool ml_timed_load(const void *at, struct ml_timed_load *t)
{
	(void)at;
	(void)t;
	return false;
}

bool ml_timed_empty(const void *at, struct ml_timed_load *t)
{
	return ml_timed_load(at, t);
}

static void flush(const void *line)
{
	(void)line;
}

static void await_flushes(void)
{
}

bool ml_chase_possible(struct ml_err *err)
{
	return ml_fail(err, ML_USAGE, "loads can be timed on x86-64 only");
}

#endif

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/*
 * The node at a place of the cycle: multiplications by an odd number and shifts by half
 * of the bits, each of which has an inverse. So the successor of a node follows from its
 * number alone, and a chase is written from its first byte to its last: a shuffle of the
 * same size would take a random step through memory for each node.
 */
static const uint64_t factor = 0x9e3779b97f4a7c15u, inverse = 0xf1de83e19937733du;

static uint64_t node_at(uint64_t place, unsigned bits)
{
	uint64_t mask = (1ull << bits) - 1, x = place;

	for (int i = 0; i < 2; i++) {
		x = x * factor & mask;
		x ^= x >> (bits + 1) / 2;
	}
	return x;
}

static uint64_t place_of(uint64_t node, unsigned bits)
{
	uint64_t mask = (1ull << bits) - 1, x = node;

	for (int i = 0; i < 2; i++) {
		x ^= x >> (bits + 1) / 2;
		x = x * inverse & mask;
	}
	return x;
}

static uint64_t *node(const struct ml_chase *c, uint64_t number)
{
	return (uint64_t *)(void *)(c->nodes + number * c->stride);
}

uint64_t ml_chase_nodes(const struct ml_chase *c)
{
	return 1ull << c->bits;
}

uint64_t ml_chase_bytes(const struct ml_chase *c)
{
	return ml_chase_nodes(c) * LINE;
}

bool ml_chase_init(struct ml_chase *c, uint64_t bytes, enum ml_chase_kind kind,
		   struct ml_err *err)
{
	bool large = kind == ML_CHASE_LINES;

	*c = (struct ml_chase){ .stride = kind == ML_CHASE_PAGES ? PAGE + LINE : LINE };
	while (2ull * LINE << c->bits <= bytes)
		c->bits++;
	c->mapped = (c->stride << c->bits) + LARGE_PAGE;
	c->map = mmap(NULL, c->mapped, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->map == MAP_FAILED)
		return ml_fail_errno(err, "no memory for a chase through %llu bytes",
				     (unsigned long long)bytes);
	/* advice: a system without large pages refuses, and nothing is lost */
	madvise(c->map, c->mapped, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	c->nodes = (char *)c->map + (-(uintptr_t)c->map & (LARGE_PAGE - 1));
	for (uint64_t i = 0; i < ml_chase_nodes(c); i++)
		*node(c, i) = node_at(
			(place_of(i, c->bits) + 1) & (ml_chase_nodes(c) - 1), c->bits);
	return true;
}

void ml_chase_release(struct ml_chase *c)
{
	munmap(c->map, c->mapped);
}

void ml_chase_walk(struct ml_chase *c, uint64_t steps)
{
	uint64_t at = c->at;

	while (steps--)
		at = *(volatile uint64_t *)node(c, at);
	c->at = at;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void ml_chase_sort(uint64_t *ticks, size_t count)
{
	qsort(ticks, count, sizeof(*ticks), by_size);
}

static size_t time_loads(struct ml_chase *c, uint64_t *ticks, size_t count,
			 unsigned untimed)
{
	uint64_t random = c->mapped;
	struct ml_timed_load t;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		ml_chase_walk(c, untimed ? next_random(&random) % untimed : 0);
		if (ml_timed_load(node(c, c->at), &t) && t.before == t.after)
			ticks[n++] = t.ticks;
		ml_chase_walk(c, 1);
	}
	ml_chase_sort(ticks, n);
	return n;
}

size_t ml_chase_time(struct ml_chase *c, uint64_t *ticks, size_t count)
{
	return time_loads(c, ticks, count, STRIDE_MAX);
}

size_t ml_chase_time_flushed(struct ml_chase *c, uint64_t *ticks, size_t count)
{
	uint64_t begin = c->at;

	for (size_t i = 0; i < count; i++) {
		uint64_t *x = node(c, c->at);

		ml_chase_walk(c, 1);
		flush(x);
	}
	await_flushes();
	c->at = begin;
	return time_loads(c, ticks, count, 0);
}

/* The number behind a word in a small file of the kernel; UINT64_MAX: there is none. */
static uint64_t number_in(const char *path, const char *word)
{
	struct ml_arena a = { 0 };
	struct ml_err ignored;
	uint64_t v = UINT64_MAX;
	char *text, *end;
	size_t size;

	if (ml_file_read(path, 1 << 16, &a, &text, &size, &ignored) &&
	    (text = strstr(text, word))) {
		v = strtoull(text + strlen(word), &end, 10);
		v = end == text + strlen(word) ? UINT64_MAX : v; /* "max" */
	}
	ml_arena_release(&a);
	return v;
}

uint64_t ml_chase_available(void)
{
	uint64_t bytes = number_in("/proc/meminfo", "MemAvailable:") << 10,
		 limit = number_in("/sys/fs/cgroup/memory.max", ""),
		 used = number_in("/sys/fs/cgroup/memory.current", "");

	if (limit != UINT64_MAX && used != UINT64_MAX) {
		uint64_t left = limit > used ? limit - used : 0;

		bytes = left < bytes ? left : bytes;
	}
	return bytes;
}
