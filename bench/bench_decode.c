/*
 * How fast a trace decodes into batches: by one thread, and with others decoding
 * ahead.
 *
 *	bench_decode TRACE...
 */
#include <stdio.h>
#include <time.h>

#include "lib/base/err.h"
#include "lib/base/pool.h"
#include "lib/trace/trace.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct sum {
	uint64_t refs, addr, site;
};

/* Next to nothing, so that decoding is what is measured. */
static bool add(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct sum *s = arg;

	(void)err;
	for (size_t i = 0; i < b->count; i += 256) {
		s->addr += b->addr[i];
		s->site += b->site[i];
	}
	s->refs += b->count;
	return true;
}

static double rate(const struct ml_trace *t, unsigned threads, struct sum *sum)
{
	struct ml_err err = { 0 };
	double start = now();

	*sum = (struct sum){ 0 };
	if (!ml_trace_each(t, 0, t->count, threads, add, sum, &err))
		fprintf(stderr, "%s\n", err.text);
	return 1e-6 * (double)sum->refs / (now() - start);
}

int main(int argc, char **argv)
{
	printf("%-24s %14s %12s %12s %12s\n", "trace", "references", "bytes/ref",
	       "M/s, 1 core", "M/s, ahead");
	for (int i = 1; i < argc; i++) {
		struct ml_trace t;
		struct ml_err err;
		struct sum one, ahead;

		if (!ml_trace_open(&t, argv[i], &err)) {
			fprintf(stderr, "bench_decode: %s\n", err.text);
			return 1;
		}
		double alone = rate(&t, 0, &one), many = rate(&t, ml_cpus(), &ahead);
		if (one.refs != t.count || ahead.refs != t.count)
			fprintf(stderr, "bench_decode: %s: not all references came\n",
				argv[i]);
		printf("%-24s %14llu %12.4f %12.0f %12.0f\n", argv[i],
		       (unsigned long long)t.count,
		       t.count ? (double)t.size / (double)t.count : 0.0, alone, many);
		ml_trace_close(&t);
	}
	return 0;
}
