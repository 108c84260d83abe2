#include "record/session/calibrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/clock.h"
#include "lib/base/err.h"
#include "record/timed_load.h"

enum {
	LINE = 64,
	LOADS = 4096,    /* timed ones of a run */
	RUNS = 8,        /* of a chase */
	STRIDE_MAX = 16, /* untimed loads between two timed ones, at most */
	MEMORY_BYTES = 64 << 20,
	/* A calibrating load that takes so many times the median was interrupted, or, in
	 * a cache that others use too, served from farther away. */
	FAR_CACHE = 3,
	FAR = 20,
	BEYOND = 4, /* the same for samples, by the 95th percentile of memory */
};

#if defined(__x86_64__)

ML_TIMED_LOAD_DEFINE;

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Bytes of the data cache of a level (from 1), as the kernel tells them; 0: none. */
static uint64_t cache_size(unsigned level)
{
	static const int names[] = { _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
				     _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE };

	for (unsigned i = 0; i < 8; i++) {
		char path[100], type[32] = "";
		unsigned found = 0, size = 0;
		FILE *f;

		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cache/index%u/level", i);
		if (!(f = fopen(path, "r")))
			break;
		if (fscanf(f, "%u", &found) != 1)
			found = 0;
		fclose(f);
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cache/index%u/type", i);
		if ((f = fopen(path, "r"))) {
			if (fscanf(f, "%31s", type) != 1)
				type[0] = 0;
			fclose(f);
		}
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu0/cache/index%u/size", i);
		if (found != level || !strcmp(type, "Instruction") ||
		    !(f = fopen(path, "r")))
			continue;
		if (fscanf(f, "%uK", &size) != 1)
			size = 0;
		fclose(f);
		return (uint64_t)size << 10;
	}
	long size = sysconf(names[level - 1]);
	return size > 0 ? (uint64_t)size : 0;
}

/* Sorts the measurements and drops those far above the median. */
static size_t settle(uint64_t *ticks, size_t n, uint64_t far)
{
	qsort(ticks, n, sizeof(*ticks), by_size);
	while (n && ticks[n - 1] > far * ticks[n / 2])
		n--;
	return n;
}

static double mean_of(const uint64_t *ticks, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)ticks[i];
	return n ? sum / (double)n : 0;
}

/* A ring of pointers over all lines in random order (Sattolo's shuffle). */
static char *make_chase(uint64_t bytes, struct ml_arena *a)
{
	size_t lines = bytes / LINE;
	char *at = ml_arena_alloc(a, bytes + LINE);
	uint32_t *order = ml_arena_alloc(a, lines * sizeof(*order));
	uint64_t random = bytes;

	at += -(uintptr_t)at % LINE;
	for (size_t i = 0; i < lines; i++)
		order[i] = (uint32_t)i;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t k = next_random(&random) % i;
		uint32_t swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
	for (size_t i = 0; i < lines; i++) {
		char *next = at + (size_t)order[(i + 1) % lines] * LINE;

		memcpy(at + (size_t)order[i] * LINE, &next, sizeof(next));
	}
	return at;
}

static char *follow(char *p, uint64_t steps)
{
	while (steps--)
		p = *(char *volatile *)(void *)p;
	return p;
}

/* Times loads here and there along a chase. */
static size_t run_chase(char *p, uint64_t bytes, uint64_t *ticks)
{
	uint64_t random = bytes;
	struct ml_timed_load t;
	size_t n = 0;

	p = follow(p, 2 * bytes / LINE);
	for (size_t i = 0; i < LOADS; i++) {
		p = follow(p, 1 + next_random(&random) % STRIDE_MAX);
		if (ml_timed_load(p, &t) && t.before == t.after)
			ticks[n++] = t.ticks;
	}
	return settle(ticks, n, FAR_CACHE);
}

/* Flushes lines all over a large array, then times a load from each. */
static size_t run_memory(char *at, uint64_t bytes, uint64_t *ticks, struct ml_arena *a)
{
	const char **line = ml_arena_alloc(a, LOADS * sizeof(*line));
	uint64_t random = bytes;
	struct ml_timed_load t;
	size_t n = 0;

	for (size_t i = 0; i < LOADS; i++) {
		line[i] = at + next_random(&random) % (bytes / LINE) * LINE;
		__builtin_ia32_clflush(line[i]);
	}
	__builtin_ia32_mfence();
	for (size_t i = 0; i < LOADS; i++)
		if (ml_timed_load(line[i], &t) && t.before == t.after)
			ticks[n++] = t.ticks;
	return settle(ticks, n, FAR);
}

static void calibrate_level(struct ml_calibrated *x, struct ml_arena *a)
{
	struct ml_arena scratch = { 0 };
	char *chase = x->size ? make_chase(x->chased, &scratch)
			      : ml_arena_alloc(&scratch, x->chased);

	if (!x->size)
		memset(chase, 1, x->chased); /* pages exist from here on */
	for (unsigned i = 0; i < RUNS; i++) {
		uint64_t *ticks = ml_arena_alloc(a, LOADS * sizeof(*ticks));
		size_t n = x->size ? run_chase(chase, x->chased, ticks)
				   : run_memory(chase, x->chased, ticks, &scratch);

		if (n && (!x->count || mean_of(ticks, n) < x->mean)) {
			x->ticks = ticks;
			x->count = n;
			x->mean = mean_of(ticks, n);
		}
	}
	ml_arena_release(&scratch);
}

static double run_empty(uint64_t *ticks)
{
	uint64_t random = 1;
	struct ml_timed_load t;
	size_t n = 0;

	for (size_t i = 0; i < LOADS; i++) {
		for (uint64_t k = next_random(&random) % 64; k; k--)
			__asm__ volatile(""); /* not in step with the clock */
		if (ml_timed_empty(&t, &t) && t.before == t.after)
			ticks[n++] = t.ticks;
	}
	n = settle(ticks, n, FAR_CACHE);
	return mean_of(ticks, n);
}

static double calibrate_empty(struct ml_arena *a)
{
	uint64_t *ticks = ml_arena_alloc(a, LOADS * sizeof(*ticks));
	double least = run_empty(ticks);

	for (unsigned i = 1; i < RUNS; i++) {
		double mean = run_empty(ticks);

		least = mean < least ? mean : least;
	}
	return least;
}

/* The greatest number that divides all differences. */
static uint64_t step_of(const struct ml_calibration *c)
{
	uint64_t step = 0;

	for (size_t l = 0; l < c->levels; l++)
		for (size_t i = 1; i < c->level[l].count; i++) {
			uint64_t d = c->level[l].ticks[i] - c->level[l].ticks[0];

			while (d) {
				uint64_t rest = step % d;

				step = d;
				d = rest;
			}
		}
	return step ? step : 1;
}

static bool has_rdtscp(void)
{
	unsigned a = 0x80000001u, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return d >> 27 & 1;
}

/* Outside of the cache before, and inside this one even if others use most of it. */
static uint64_t chase_bytes(uint64_t size, uint64_t before)
{
	uint64_t bytes = before ? 3 * before : size / 2;

	if (bytes > size / 2)
		bytes = size / 2;
	return bytes & ~(uint64_t)(4096 - 1);
}

bool ml_calibrate(struct ml_calibration *c, struct ml_arena *a, struct ml_err *err)
{
	struct ml_timed_load begin, end;

	*c = (struct ml_calibration){ 0 };
	if (!has_rdtscp())
		return ml_fail(err, ML_USAGE,
			       "loads cannot be timed: the processor has no rdtscp");
	uint64_t start = ml_now();
	ml_timed_empty(c, &begin);
	for (unsigned i = 1; i < ML_CALIBRATED_MAX; i++) {
		struct ml_calibrated *x = &c->level[c->levels];
		uint64_t size = cache_size(i),
			 before = c->levels ? c->level[c->levels - 1].size : 0;

		if (!size || size < 4 * before)
			continue;
		c->levels++;
		snprintf(x->name, sizeof(x->name), "L%u", i);
		x->size = size;
		x->chased = chase_bytes(size, before);
	}
	strcpy(c->level[c->levels].name, "RAM");
	c->level[c->levels++].chased = MEMORY_BYTES;
	for (size_t i = 0; i < c->levels; i++)
		calibrate_level(&c->level[i], a);
	c->empty = calibrate_empty(a);
	ml_timed_empty(c, &end);
	for (size_t i = 0; i < c->levels; i++) {
		struct ml_calibrated *x = &c->level[i];
		x->mean = x->mean > c->empty ? x->mean - c->empty : 0;
	}
	const struct ml_calibrated *far = &c->level[c->levels - 1];
	c->slowest = far->count ? BEYOND * far->ticks[far->count * 95 / 100] : UINT64_MAX;
	c->step = step_of(c);
	c->per_ns = (double)(end.clock - begin.clock) / (double)(ml_now() - start);
	return true;
}

#else

bool ml_calibrate(struct ml_calibration *c, struct ml_arena *a, struct ml_err *err)
{
	(void)c;
	(void)a;
	return ml_fail(err, ML_USAGE, "loads can be timed on x86-64 only");
}

#endif
