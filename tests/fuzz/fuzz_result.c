/*
 * Any bytes as a result file: opened beside a trace of our own, everything in it asked
 * for, its tables and findings made, its saved states continued from.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/result.h"
#include "lib/analyse/result/result_counts.h"
#include "lib/analyse/result/result_writer.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/cache/exact/sim.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/seeded.h"
#include "tests/read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGE = 1 << 16 }; /* lines of machines that are not simulated */

static char folder[40], trace_path[60], result_path[60];
static uint8_t trace_id[16];

static void remove_files(void)
{
	unlink(trace_path);
	unlink(result_path);
	rmdir(folder);
}

static const char text[] =
	"global A 4096 512 4 16 8\nalloc h 16384 64\nthread 1\nbegin outer\n"
	"r4096+4*100 w8192+8*64 f100+4*20 r16384+8*8\nend outer\nfree 16384\n"
	"r 0x1000 8 1 a.c:12 main\nw 0x2000 8 1 a.c:13 main <- b.c:3 call\n"
	"thread 2\nr8192+8*40 w4096+64*8 r90000:3*5\ngap 7 lost\nr0+8*500\n";

static bool make_trace(void)
{
	struct ml_writer *w;
	struct ml_err err;

	if (folder[0])
		return true;
	snprintf(folder, sizeof(folder), "/tmp/fuzz-result-%d", getpid());
	snprintf(trace_path, sizeof(trace_path), "%s/t.mlt", folder);
	snprintf(result_path, sizeof(result_path), "%s/r.mls", folder);
	mkdir(folder, 0700);
	atexit(remove_files);
	struct ml_trace t;
	if (!ml_writer_open(&w, trace_path, &err) ||
	    !read_text(w, text, strlen(text), "text", &err) ||
	    !ml_writer_close(w, &err) || !ml_trace_open(&t, trace_path, &err))
		abort();
	memcpy(trace_id, t.id, sizeof(trace_id));
	ml_trace_close(&t);
	return true;
}

/* The bytes as a result of our trace: its id follows magic, version and flags. */
static bool write_result(const uint8_t *data, size_t size)
{
	enum { ID = 16 };
	FILE *f = size > ID + sizeof(trace_id) ? fopen(result_path, "w") : NULL;

	if (!f)
		return false;
	fwrite(data, 1, ID, f);
	fwrite(trace_id, 1, sizeof(trace_id), f);
	fwrite(data + ID + sizeof(trace_id), 1, size - ID - sizeof(trace_id), f);
	fclose(f);
	return true;
}

/* A result of our trace, as memlamp sim writes it. */
static size_t make_result(uint8_t *data, size_t max, unsigned variant)
{
	static const char *const machines[] = { "L1 1K 2w", "L1 256 2w | L2 1K 4w fifo",
						"cores 2 | L1 256 2w | L2 2K 4w",
						"L1 512 2w | L1i 256 2w | TLB 4e" };
	struct ml_replay_options o = { .want = ML_SIM_CAUSES | ML_SIM_USE };
	struct ml_profile profile = { 0 };
	struct ml_result_info info;
	struct ml_result_writer *w;
	struct ml_replay *replay;
	struct ml_arena a = { 0 };
	struct ml_trace t;
	struct ml_err err;

	if (!make_trace() || !ml_trace_open(&t, trace_path, &err) ||
	    !ml_machine_parse(&o.machine, machines[variant % 4], &err))
		return 0;
	ml_result_describe(&info, &t, &o, &a);
	if (!ml_replay_open(&replay, &t, &o, &err) ||
	    !ml_result_writer_open(&w, result_path, &info, &err))
		abort();
	struct ml_profiler *profiler = ml_profiler_open(&profile);
	struct ml_pass passes[] = { ml_profiler_pass(profiler),
				    ml_result_writer_pass(w) };
	if (!ml_replay_run(replay, passes, 2, &err))
		abort();
	ml_profiler_close(profiler, replay);
	ml_result_writer_close(w, &profile, &err);
	ml_replay_close(replay);
	ml_profile_release(&profile);
	ml_arena_release(&a);
	ml_trace_close(&t);
	return seeded_take(result_path, data, max);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return seeded_mutate(data, size, max, seed, make_result);
}

static void restore(struct ml_result *r, uint64_t position)
{
	struct ml_buf state = { 0 };
	struct ml_err err;
	uint64_t at;

	if (ml_result_checkpoint(r, position, &at, &state, &err) && state.size &&
	    ml_machine_lines(&r->profile.machine) < LARGE) {
		struct ml_sim *s = ml_sim_open(&r->profile.machine, r->info.want, &err);
		struct ml_bytes in = { state.data, state.data + state.size, false };

		if (s)
			ml_sim_restore(s, &in, &err);
		ml_sim_close(s);
	}
	ml_buf_release(&state);
}

static void ask(struct ml_result *r, const struct ml_trace *t)
{
	uint64_t to = r->refs;
	uint16_t *outcome = ml_resize(NULL, (to + 1) * sizeof(*outcome));
	int32_t *beyond = ml_resize(NULL, (to + 1) * sizeof(*beyond));
	struct ml_result_series series;
	struct ml_result_counts counts;
	const struct ml_result_row *rows;
	size_t count;
	struct ml_arena a = { 0 };
	struct ml_err err;

	ml_result_outcomes(r, 0, to, outcome, &err);
	ml_result_beyond(r, 0, to, beyond, &err);
	ml_result_series(r, 0, to, 5, &series, &a, &err);
	ml_result_series(r, to / 3, to, 3000, &series, &a, &err);
	if (ml_result_sites(r, t, 0, to, &counts, &a, &err))
		for (size_t i = 0; i < counts.count; i++)
			ml_tables_frame(&t->tables, counts.at[i].id);
	ml_result_regions(r, to / 3, to, &counts, &a, &err);
	if (to && ml_result_alike(r, 0, &rows, &count, &err))
		for (size_t i = 0; i < count; i++)
			ml_tables_frame(&t->tables, rows[i].site);
	restore(r, to);
	ml_free(outcome);
	ml_free(beyond);
	ml_arena_release(&a);
}

static void look(struct ml_analysed_trace *s)
{
	struct ml_profile_view view = { .trace = &s->trace,
					.profile = s->simulation.profile,
					.rows = s->rows,
					.findings = &s->findings };
	struct ml_buf out = { 0 };

	ml_profile_json(&view, 100, &out);
	ml_buf_release(&out);
	ask(&s->simulation.result, &s->trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_analysed_trace_options o = { .no_cache = true };
	struct ml_analysed_trace s;
	struct ml_err err;

	if (make_trace() && write_result(data, size) &&
	    ml_analysed_trace_open(&s, result_path, &o, &err)) {
		look(&s);
		ml_analysed_trace_close(&s);
	}
	return 0;
}
