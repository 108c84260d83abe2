/*
 * Any bytes as a trace file: opened, walked, its blocks and places looked up, summed up
 * as memlamp info does, and simulated.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/analyse/passes/profile.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/cache/exact/sim.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/text/model.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/seeded.h"
#include "tests/read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REFS_MAX = 1 << 16 }; /* a few bytes may claim more */

static void walk(struct ml_trace *t)
{
	struct ml_err err;
	struct ml_arena a = { 0 };
	struct ml_region_lookup *space = ml_region_lookup_open(t, &err);
	struct ml_cursor *c = ml_cursor_open(t, 0, t->count);
	struct ml_batch b;
	size_t text;

	while (ml_cursor_next(c, &b, &err)) {
		/* every reference names a site; a few are looked up */
		for (size_t i = 0; i < b.count; i++)
			ml_tables_frame(&t->tables,
					b.caller[i] ? b.caller[i] : b.site[i]);
		for (size_t i = 0; space && i < b.count; i += 1 + b.count / 16) {
			struct ml_ref ref = ml_batch_ref(&b, i);
			struct ml_place place = ml_region_lookup_find(space, &ref);

			ml_region_lookup_describe(space, &place, &a);
		}
	}
	ml_trace_source(t, "a.c", &text, &a);
	ml_cursor_close(c);
	if (space)
		ml_region_lookup_close(space);
	ml_arena_release(&a);
}

static const char *const texts[] = {
	"global A 4096 512 4 16 8\nregion B 8192 512 8 64\nalloc h 16384 64\n"
	"thread 1\nbegin outer\nr4096+4*100 w8192+8*64 f100+4*20 r16384+8*8\nend outer\n"
	"free 16384\nalloc h 16384 64 8 8\nw16384+8*8\nmark half\nstate i 3\n"
	"r 0x1000 8 1 a.c:12 main\nw 0x2000 8 1 a.c:13 main <- b.c:3 call\n"
	"thread 2\nr8192+8*40 w4096+64*8 r90000:3*5\ngap 7 lost\nr0+8*500\nunregion 8192\n",
	"r0 w64:4 m0x80 r0+8*10 w0@2 r-8*3",
	"L a.c:12\nR 0x7000ffa0\nW 0x7000ffb0\nL b.c:1\nR 0x10\n",
};
static const char *const models[] = { "matmul 4 8", "repeat 3 ( sweep 0 30 8 m )" };

static size_t make_trace(uint8_t *data, size_t max, unsigned variant)
{
	const char *path = seeded_path("trace");
	struct ml_writer *w;
	struct ml_model m;
	struct ml_err err;

	if (!ml_writer_open(&w, path, &err))
		return 0;
	if (variant % 5 < 3) {
		const char *text = texts[variant % 5];

		read_text(w, text, strlen(text), "text", &err);
	} else {
		const char *text = models[variant % 5 - 3];

		if (!ml_model_init(&m, "model", text, strlen(text), &err))
			abort();
		ml_model_run(&m, w, &err);
		ml_model_release(&m);
	}
	ml_writer_source(w, "a.c", "int main;\n", 10);
	ml_writer_close(w, &err);
	return seeded_take(path, data, max);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return seeded_mutate(data, size, max, seed, make_trace);
}

static void sum_up(struct ml_trace *t)
{
	struct ml_summary s;
	struct ml_err err;

	if (ml_summary_open(&s, t, NULL, &err))
		ml_summary_close(&s);
}

/* As memlamp sim does. */
static void simulate(struct ml_trace *t)
{
	struct ml_replay_options o = { .want = ML_SIM_CAUSES | ML_SIM_USE };
	struct ml_profile p = { 0 };
	struct ml_profile_view view = { .trace = t, .profile = &p };
	struct ml_buf out = { 0 };
	struct ml_replay *r;
	struct ml_err err;

	if (!ml_machine_parse(&o.machine, "L1 256 2w | L2 1K 4w", &err) ||
	    !ml_replay_open(&r, t, &o, &err))
		return;
	struct ml_profiler *profiler = ml_profiler_open(&p);
	struct ml_pass pass = ml_profiler_pass(profiler);
	bool ok = ml_replay_run(r, &pass, 1, &err);
	ml_profiler_close(profiler, r);
	ml_replay_close(r);
	if (ok) {
		ml_profile_rows_make(&view.rows, t, &p);
		ml_profile_json(&view, 100, &out);
		ml_profile_rows_release(&view.rows);
		ml_buf_release(&out);
	}
	ml_profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_trace t;
	struct ml_err err;
	char path[40];
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ml_trace_open(&t, path, &err)) {
		walk(&t);
		if (t.count < REFS_MAX) {
			sum_up(&t);
			simulate(&t);
		}
		ml_trace_close(&t);
	}
	close(fd);
	return 0;
}
