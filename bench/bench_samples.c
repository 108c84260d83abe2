/*
 * bench_samples make ROWS FILE     writes ROWS samples with 20 columns as CSV
 * bench_samples brush FILE         what the page asks for while a brush is dragged
 *
 * Prints wall time and the time of the processor, all threads together: the machine may
 * have other work. The peer is the plain loop over selected rows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/samples/bins.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/selection.h"

enum { AXES = 20, BINS = 100, STEPS = 20 };

struct clocks {
	double wall, processor;
};

static double read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static struct clocks now(void)
{
	return (struct clocks){ read_clock(CLOCK_MONOTONIC),
				read_clock(CLOCK_PROCESS_CPUTIME_ID) };
}

static void say(const char *what, struct clocks since, double times)
{
	struct clocks t = now();

	printf("  %-46s %9.2f ms %9.2f ms of the processor\n", what,
	       (t.wall - since.wall) / times, (t.processor - since.processor) / times);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* Phases of a program: each has its own lines, variables and latencies. */
static int make(uint64_t rows, const char *path)
{
	static const char *const variables[] = { "grid", "flux", "table", "index",
						 "tmp" };
	static const unsigned latencies[] = { 4, 14, 50, 300 };
	FILE *f = fopen(path, "w");
	uint64_t r = 1;

	if (!f)
		return 1;
	fputs("time,latency,cpu,thread,ip,address,dataSource,line,function,variable,index,"
	      "iter,x,y,z,tlb,weight,temperature,energy,phase\n",
	      f);
	for (uint64_t i = 0; i < rows; i++) {
		uint64_t a = next_random(&r), b = next_random(&r), phase = i * 5 / rows;
		unsigned level = (unsigned)((a >> 8) % 16), cpu = (unsigned)(a % 32);

		level = level < 10 ? 0 : level < 13 ? 1 : level < 15 ? 2 : 3;
		fprintf(f,
			"%llu,%u,%u,%u,0x%llx,0x%llx,%u,%u,f%u,%s,%llu,%llu,%u,%u,%u,%u,%u,"
			"%.3f,%.2f,p%u\n",
			(unsigned long long)(i * 317 + a % 300),
			latencies[level] + (unsigned)(b % (latencies[level] + 1)), cpu,
			1000 + cpu, (unsigned long long)(0x401000 + phase * 64 + b % 64),
			(unsigned long long)(0x7f0000000000 + b % (1u << 28)), level + 1,
			(unsigned)(100 + phase * 10 + b % 10),
			(unsigned)(phase * 3 + b % 3), variables[(phase + b % 2) % 5],
			(unsigned long long)(b % (1u << 25)),
			(unsigned long long)(i * 1000 / rows), (unsigned)(b % 300),
			(unsigned)(b / 300 % 300), (unsigned)(b / 90000 % 300),
			(unsigned)(a % 50 == 0), (unsigned)(b % 1000),
			(double)(a % 100000) / 1000, (double)(b % 1000000) / 100,
			(unsigned)phase);
	}
	return fclose(f) != 0;
}

/* What ml_bins_pairs did before it remembered anything. */
static void plain_pairs(const struct ml_bins *a, const struct ml_bins *b,
			const struct ml_selection *sel, uint64_t *counts)
{
	for (uint64_t w = 0; w < ml_selection_words(sel->rows); w++)
		for (uint64_t bits = sel->words[w]; bits; bits &= bits - 1) {
			uint64_t row = w * 64 + (uint64_t)__builtin_ctzll(bits);

			counts[ml_bins_at(a, row) * (b->count + 1) +
			       ml_bins_at(b, row)]++;
		}
}

struct brush {
	struct ml_samples s;
	struct ml_bins bins[AXES];
	const struct ml_bins *axes[AXES];
	uint64_t *histograms[AXES], *pairs[AXES];
	size_t n;
};

static void zero(struct brush *k)
{
	for (size_t i = 0; i < k->n; i++) {
		memset(k->histograms[i], 0, (k->bins[i].count + 1) * sizeof(uint64_t));
		if (i + 1 < k->n)
			memset(k->pairs[i], 0,
			       (k->bins[i].count + 1) * (k->bins[i + 1].count + 1) *
				       sizeof(uint64_t));
	}
}

/* One brush: the selection, then all axes. */
static void brush(struct brush *k, const char *text)
{
	struct ml_arena a = { 0 };
	struct ml_selection sel;
	struct ml_err err;

	if (!ml_selection_parse(&sel, &k->s, text, &a, &err)) {
		fprintf(stderr, "bench_samples: %s\n", err.text);
		exit(1);
	}
	zero(k);
	ml_bins_axes(k->axes, k->n, &sel, k->histograms, k->pairs);
	ml_arena_release(&a);
}

static void drag(struct brush *k, const char *what, const char *column, uint64_t range)
{
	char text[100];
	struct clocks t;

	snprintf(text, sizeof(text), "%s %llu..%llu", column,
		 (unsigned long long)(range * 3 / 10),
		 (unsigned long long)(range * 6 / 10));
	t = now();
	brush(k, text);
	printf("%s\n", what);
	say("the first brush, 30 % of the range", t, 1);
	t = now();
	double best = INFINITY;
	for (uint64_t i = 1; i <= STEPS; i++) {
		double start = now().wall;

		snprintf(text, sizeof(text), "%s %llu..%llu", column,
			 (unsigned long long)(range * (300 + 5 * i) / 1000),
			 (unsigned long long)(range * (600 + 5 * i) / 1000));
		brush(k, text);
		best = fmin(best, now().wall - start);
	}
	say("dragged by half a bin of 100, each step", t, STEPS);
	printf("  %-46s %9.2f ms\n", "the shortest of these steps", best);
	t = now();
	brush(k, "");
	say("taken away", t, 1);
}

static void plain(struct brush *k)
{
	struct ml_arena a = { 0 };
	struct ml_selection sel;
	struct ml_err err;
	struct clocks t = now();

	if (!ml_selection_parse(&sel, &k->s, "time >= 0", &a, &err))
		return;
	say("a selection", t, 1);
	zero(k);
	t = now();
	for (size_t i = 0; i + 1 < k->n; i++)
		plain_pairs(k->axes[i], k->axes[i + 1], &sel, k->pairs[i]);
	say("the peer: all pairs by the plain loop", t, 1);
	ml_arena_release(&a);
}

static int run(const char *path)
{
	struct brush k = { 0 };
	struct ml_arena a = { 0 };
	struct ml_err err;
	struct clocks t = now();

	if (!ml_samples_open(&k.s, path, NULL, NULL, &err)) {
		fprintf(stderr, "bench_samples: %s\n", err.text);
		return 1;
	}
	printf("%llu rows\n", (unsigned long long)k.s.rows);
	say("opening", t, 1);
	k.n = k.s.count < AXES ? k.s.count : AXES;
	t = now();
	for (size_t i = 0; i < k.n; i++) {
		ml_bins_init(&k.bins[i], &k.s, i, BINS);
		k.axes[i] = &k.bins[i];
	}
	say("bins of 20 columns", t, 1);
	for (size_t i = 0; i < k.n; i++) {
		k.histograms[i] = ml_arena_alloc(&a, (BINS + 1) * sizeof(uint64_t));
		k.pairs[i] = ml_arena_alloc(&a,
					    (BINS + 1) * (BINS + 1) * sizeof(uint64_t));
	}
	plain(&k);
	t = now();
	brush(&k, "");
	say("all rows, 20 histograms and 19 pairs", t, 1);
	drag(&k, "a brush along time", "time", k.s.columns[0].max);
	drag(&k, "a brush along x, which is not in the order of rows", "x", 300);
	for (size_t i = 0; i < k.n; i++)
		ml_bins_release(&k.bins[i]);
	ml_samples_close(&k.s);
	ml_arena_release(&a);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "make"))
		return make(strtoull(argv[2], NULL, 10), argv[3]);
	if (argc == 3 && !strcmp(argv[1], "brush"))
		return run(argv[2]);
	fputs("usage: bench_samples make ROWS FILE | brush FILE\n", stderr);
	return 2;
}
