/*
 * bench_cycles synthetic                    100 million windows, at most 1,000 distinct
 * bench_cycles trace FILE BY MAX [POINTS]   the first MAX references of a trace
 * bench_cycles triangle FILE BY POINTS      the first so many distinct windows: their
 *                                           distances to stdout, for ripser
 *
 * Prints seconds of the processor and the largest size in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/edit_distance.h"
#include "lib/analyse/cycles/trace_windows.h"
#include "lib/base/arena.h"
#include "lib/trace/trace.h"

/* Of the processor, all threads together: the machine may have other work. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long megabytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss / 1024;
}

static int fail(const struct ml_err *err)
{
	fprintf(stderr, "bench_cycles: %s\n", err->text);
	return 1;
}

static void print(const char *name, const struct ml_cycles *c, double windows,
		  double cycles)
{
	printf("%-12s %12llu windows %8zu distinct %10llu edges %7.3f s windows %7.3f s "
	       "cycles %6ld MB %6llu bars, radius %u\n",
	       name, (unsigned long long)c->windows->count, c->windows->distinct,
	       (unsigned long long)c->edges.count, windows, cycles, megabytes(),
	       (unsigned long long)c->bars, c->net.radius);
}

/* Nested loops with bodies of 30 to 60 symbols, in an order that a generator draws. */
static int synthetic(void)
{
	enum { COUNT = 100 * 1000 * 1000, CHUNK = 1 << 16, BODIES = 8 };
	uint32_t *chunk = ml_resize(NULL, CHUNK * sizeof(*chunk));
	struct ml_windows w;
	struct ml_cycles c;
	struct ml_err err;
	uint64_t seed = 1;
	uint32_t body = 0, at = 0, left = 10;
	double made = 0, start, built;

	ml_windows_init(&w, 10);
	start = now();
	for (uint64_t i = 0; i < COUNT; i += CHUNK) {
		double before = now();

		for (size_t k = 0; k < CHUNK; k++) {
			chunk[k] = body * 64 + at;
			if (++at < 30 + 4 * body)
				continue;
			at = 0;
			if (--left)
				continue;
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			body = (uint32_t)(seed >> 40) % BODIES;
			left = 1 + (uint32_t)(seed >> 50) % 20;
		}
		made += now() - before;
		ml_windows_add(&w, chunk, CHUNK);
	}
	built = now() - start - made;
	start = now();
	if (!ml_cycles_init(&c, &w, 64 * BODIES, NULL, NULL, &err))
		return fail(&err);
	print("synthetic", &c, built, now() - start);
	ml_cycles_release(&c);
	ml_windows_release(&w);
	ml_free(chunk);
	return 0;
}

static void put_triangle(const struct ml_windows *w, uint32_t points)
{
	for (uint32_t i = 1; i < points && i < w->distinct; i++)
		for (uint32_t j = 0; j < i; j++)
			printf("%u%c",
			       ml_edit_distance(ml_windows_at(w, i), ml_windows_at(w, j),
						w->width),
			       j + 1 < i ? ',' : '\n');
}

int main(int argc, char **argv)
{
	struct ml_trace_windows_options o = { .width = 10, .to = UINT64_MAX };
	struct ml_cycles_options co = { 0 };
	struct ml_trace_windows t;
	struct ml_trace trace;
	struct ml_cycles c;
	struct ml_err err;

	if (argc == 2 && !strcmp(argv[1], "synthetic"))
		return synthetic();
	if (argc < 5) {
		fputs("usage: bench_cycles synthetic | trace FILE BY MAX [POINTS] | triangle "
		      "FILE BY POINTS\n",
		      stderr);
		return 2;
	}
	while (ml_cycles_by_names[o.by] && strcmp(ml_cycles_by_names[o.by], argv[3]) != 0)
		o.by++;
	bool triangle = !strcmp(argv[1], "triangle");

	if (!triangle)
		o.to = strtoull(argv[4], NULL, 10);
	if (argc > 5)
		co.max_points = (uint32_t)strtoul(argv[5], NULL, 10);
	if (!ml_trace_open(&trace, argv[2], &err))
		return fail(&err);
	double start = now();

	if (!ml_trace_windows_init(&t, &trace, &o, NULL, &err))
		return fail(&err);
	double windows = now() - start;

	if (triangle) {
		put_triangle(&t.windows, (uint32_t)strtoul(argv[4], NULL, 10));
		return 0;
	}
	start = now();
	if (!ml_cycles_init(&c, &t.windows, t.symbol_count, &co, NULL, &err))
		return fail(&err);
	print(argv[3], &c, windows, now() - start);
	ml_cycles_release(&c);
	ml_trace_windows_release(&t);
	ml_trace_close(&trace);
	return 0;
}
