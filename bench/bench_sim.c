/*
 * How fast caches are simulated, from references that are decoded already: the quick
 * simulator by instruction set, counters only and with the serving level of each
 * reference; the same with attribution by line and region, which is what `memlamp sim
 * --quick` does; that which tells causes; the exact one; stack distances; and an obvious simulator that scans its
 * ways, to compare with.
 *
 *	bench_sim [-m MACHINE] [-n ROUNDS] [-c COLUMN] TRACE...
 *
 * Figures are millions of references a second of processor time, the best of some
 * rounds, on one thread. At most 32 million references of a trace are used. All columns,
 * or the one that is named.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/pool.h"
#include "lib/cache/distance/distance.h"
#include "lib/cache/engine.h"
#include "lib/trace/trace.h"

enum { MOST = 32 << 20 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The references in memory, and where they are from. */
struct refs {
	struct ml_trace *trace;
	uint64_t *addr;
	uint32_t *site, *caller;
	uint16_t *thread, *what;
	size_t count, room;
};

static bool add(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	struct refs *r = arg;
	size_t n = b->count < r->room - r->count ? b->count : r->room - r->count;

	(void)err;
	memcpy(r->addr + r->count, b->addr, n * sizeof(*r->addr));
	memcpy(r->site + r->count, b->site, n * sizeof(*r->site));
	memcpy(r->caller + r->count, b->caller, n * sizeof(*r->caller));
	memcpy(r->thread + r->count, b->thread, n * sizeof(*r->thread));
	memcpy(r->what + r->count, b->what, n * sizeof(*r->what));
	r->count += n;
	return true;
}

/* A batch of them, from i on. */
static struct ml_accesses piece(const struct refs *r, size_t i)
{
	size_t count = r->count - i < ML_BATCH ? r->count - i : ML_BATCH;

	return (struct ml_accesses){ .count = count,
				     .addr = r->addr + i,
				     .what = r->what + i };
}

/* Their line numbers; how many. */
static size_t lines_of(const struct refs *r, size_t i, const struct ml_machine *m,
		       uint64_t *line)
{
	struct ml_accesses a = piece(r, i);
	int shift = __builtin_ctz(m->level[0].line);

	for (size_t k = 0; k < a.count; k++)
		line[k] = a.addr[k] >> shift;
	return a.count;
}

/* ---- an obvious simulator: ways with the time of their last use ---- */

struct slow_way {
	uint64_t line, used;
	bool dirty;
};

struct slow {
	const struct ml_machine *m;
	struct slow_way *way[ML_LEVELS];
	uint64_t now;
};

static struct slow_way *slow_find(struct slow *s, unsigned level, uint64_t line,
				  struct slow_way **oldest)
{
	const struct ml_level_spec *l = &s->m->level[level];
	struct slow_way *set = s->way[level] + line % l->sets * l->ways;

	*oldest = set;
	for (uint32_t i = 0; i < l->ways; i++) {
		if (set[i].used && set[i].line == line)
			return &set[i];
		if (set[i].used < (*oldest)->used)
			*oldest = &set[i];
	}
	return NULL;
}

static void slow_ask(struct slow *s, unsigned level, uint64_t line, bool write)
{
	struct slow_way *oldest, *w;

	if (level == s->m->levels)
		return;
	w = slow_find(s, level, line, &oldest);
	if (!w) {
		slow_ask(s, level + 1, line, false);
		w = oldest;
		for (unsigned i = level + 1; w->dirty && i < s->m->levels; i++) {
			struct slow_way *outer = slow_find(s, i, w->line, &oldest);

			if (outer) {
				outer->dirty = true;
				break;
			}
		}
		*w = (struct slow_way){ .line = line };
	}
	w->used = ++s->now;
	w->dirty |= write;
}

/* ---- what is measured: each simulates r once and says how long it took ---- */

static double run_slow(const struct refs *r, const struct ml_machine *m)
{
	struct slow s = { .m = m };
	uint32_t line = m->level[0].line;

	for (unsigned i = 0; i < m->levels; i++)
		s.way[i] = calloc((size_t)m->level[i].sets * m->level[i].ways,
				  sizeof(*s.way[i]));
	double start = now();

	for (size_t i = 0; i < r->count; i++) {
		unsigned size = r->what[i] & 0x3fff;
		uint64_t last = (r->addr[i] + (size ? size - 1 : 0)) / line;

		for (uint64_t l = r->addr[i] / line; l <= last; l++)
			slow_ask(&s, 0, l, r->what[i] >> 14 == ML_ACCESS_WRITE);
	}
	double took = now() - start;

	for (unsigned i = 0; i < m->levels; i++)
		free(s.way[i]);
	return took;
}

static double run_engine(const struct refs *r, const struct ml_machine *m,
			 struct ml_engine_job job, bool column)
{
	static uint16_t outcome[ML_BATCH];
	struct ml_err err;
	struct ml_engine *e = ml_vectors_has(job.vectors) ? ml_engine_open(m, &job, &err)
							  : NULL;
	double start = now();

	if (!e)
		return NAN;
	for (size_t i = 0; i < r->count; i += ML_BATCH) {
		struct ml_accesses a = piece(r, i);

		if (!ml_engine_run(e, &a, column ? outcome : NULL, &err))
			break;
	}
	double took = now() - start;

	ml_engine_close(e);
	return took;
}

static double run_plain(const struct refs *r, const struct ml_machine *m)
{
	struct ml_engine_job job = { .vectors = ML_VECTORS_PLAIN };

	return run_engine(r, m, job, false);
}

static double run_avx2(const struct refs *r, const struct ml_machine *m)
{
	struct ml_engine_job job = { .vectors = ML_VECTORS_AVX2 };

	return run_engine(r, m, job, false);
}

static double run_avx512(const struct refs *r, const struct ml_machine *m)
{
	struct ml_engine_job job = { .vectors = ML_VECTORS_AVX512 };

	return run_engine(r, m, job, false);
}

static double run_column(const struct refs *r, const struct ml_machine *m)
{
	return run_engine(r, m, (struct ml_engine_job){ 0 }, true);
}

static double run_causes(const struct refs *r, const struct ml_machine *m)
{
	struct ml_engine_job job = { .want = ML_SIM_CAUSES | ML_SIM_USE };

	return run_engine(r, m, job, true);
}

static double run_exact(const struct refs *r, const struct ml_machine *m)
{
	return run_engine(r, m, (struct ml_engine_job){ .slow = true }, true);
}

static double run_profile(const struct refs *r, const struct ml_machine *m)
{
	struct ml_replay_options o = { .machine = *m, .to = r->count };
	size_t count = (r->count + ML_BATCH - 1) / ML_BATCH;
	struct ml_batch *batches = ml_resize(NULL, count * sizeof(*batches));
	struct ml_profile profile;
	struct ml_replay *replay;
	struct ml_err err;

	for (size_t i = 0; i < count; i++) {
		size_t at = i * ML_BATCH;

		batches[i] = (struct ml_batch){ .time = at,
						.count = piece(r, at).count,
						.addr = r->addr + at,
						.site = r->site + at,
						.caller = r->caller + at,
						.thread = r->thread + at,
						.what = r->what + at };
	}
	if (!ml_replay_open(&replay, r->trace, &o, &err))
		return NAN;
	double start = now();
	struct ml_profiler *profiler = ml_profiler_open(&profile);
	struct ml_pass pass = ml_profiler_pass(profiler);
	bool ok = ml_replay_run_batches(replay, &pass, 1, batches, count, &err);

	ml_profiler_close(profiler, replay);
	double took = now() - start;

	ml_replay_close(replay);
	ml_profile_release(&profile);
	ml_free(batches);
	return ok ? took : NAN;
}

static double run_distance(const struct refs *r, const struct ml_machine *m)
{
	struct ml_distance *d = ml_distance_open();
	static uint64_t line[ML_BATCH];
	double start = now();

	for (size_t i = 0; i < r->count; i += ML_BATCH)
		ml_distance_run(d, line, lines_of(r, i, m, line), NULL);
	double took = now() - start;

	ml_distance_close(d);
	return took;
}

static double run_sampled(const struct refs *r, const struct ml_machine *m)
{
	struct ml_sampled *s = ml_sampled_open(8192);
	static uint64_t line[ML_BATCH];
	double start = now();

	for (size_t i = 0; i < r->count; i += ML_BATCH)
		ml_sampled_run(s, line, lines_of(r, i, m, line));
	double took = now() - start;

	ml_sampled_close(s);
	return took;
}

static const struct {
	const char *name;
	double (*run)(const struct refs *r, const struct ml_machine *m);
	unsigned part; /* of the references: 1 / part */
} runs[] = {
	{ "avx512", run_avx512, 1 },     { "avx2", run_avx2, 1 },
	{ "plain", run_plain, 1 },       { "served", run_column, 1 },
	{ "attrib", run_profile, 1 },    { "causes", run_causes, 4 },
	{ "exact", run_exact, 8 },       { "slow", run_slow, 8 },
	{ "distance", run_distance, 1 }, { "sampled", run_sampled, 1 },
};
enum { SIMD = 0, SLOW = 7 }; /* of these: their ratio is printed */
enum { RUNS = sizeof(runs) / sizeof(*runs) };

static bool wanted(int k, const char *column)
{
	return !column || !strcmp(column, runs[k].name);
}

static bool load(struct refs *r, struct ml_trace *t, const char *path, struct ml_err *err)
{
	if (!ml_trace_open(t, path, err))
		return false;
	*r = (struct refs){ .trace = t, .room = t->count < MOST ? t->count : MOST };
	r->addr = ml_resize(NULL, r->room * sizeof(*r->addr));
	r->site = ml_resize(NULL, r->room * sizeof(*r->site));
	r->caller = ml_resize(NULL, r->room * sizeof(*r->caller));
	r->thread = ml_resize(NULL, r->room * sizeof(*r->thread));
	r->what = ml_resize(NULL, r->room * sizeof(*r->what));
	return ml_trace_each(t, 0, r->room, ml_cpus(), add, r, err);
}

static void release(struct refs *r)
{
	ml_free(r->addr);
	ml_free(r->site);
	ml_free(r->caller);
	ml_free(r->thread);
	ml_free(r->what);
	ml_trace_close(r->trace);
}

int main(int argc, char **argv)
{
	const char *text = "L1 32K 8w | L2 1M 16w | L3 32M 16w", *column = NULL;
	struct ml_err err = { 0 };
	struct ml_machine m;
	int rounds = 3, opt;

	while ((opt = getopt(argc, argv, "c:m:n:")) != -1)
		if (opt == 'm')
			text = optarg;
		else if (opt == 'c')
			column = optarg;
		else if (opt == 'n')
			rounds = atoi(optarg);
		else
			return 2;
	if (!ml_machine_parse(&m, text, &err)) {
		fprintf(stderr, "bench_sim: %s\n", err.text);
		return 2;
	}
	printf("%-20s", "M refs/s");
	for (int k = 0; k < RUNS; k++)
		if (wanted(k, column))
			printf(" %8s", runs[k].name);
	printf(column ? "\n" : " %12s\n", "avx512/slow");
	for (int i = optind; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		double rate[RUNS] = { 0 };
		struct ml_trace t;
		struct refs r;

		if (!load(&r, &t, argv[i], &err)) {
			fprintf(stderr, "bench_sim: %s\n", err.text);
			return 1;
		}
		printf("%-20s", slash ? slash + 1 : argv[i]);
		for (int k = 0; k < RUNS; k++) {
			struct refs part = r;

			if (!wanted(k, column))
				continue;
			part.count = r.count / runs[k].part;
			for (int n = 0; n < rounds; n++) {
				double took = runs[k].run(&part, &m);

				rate[k] = fmax(rate[k], 1e-6 * (double)part.count / took);
			}
			printf(" %8.0f", rate[k]);
			fflush(stdout);
		}
		printf(column ? "\n" : " %12.1f\n", rate[SIMD] / rate[SLOW]);
		release(&r);
	}
	return 0;
}
