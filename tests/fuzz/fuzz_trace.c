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
#include "lib/query/trace/tables/loop_rows.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/query/trace/tables/summary.h"
#include "lib/trace/text/model.h"
#include "lib/trace/regions/region_lookup.h"
#include "lib/trace/control.h"
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

/* The flow of control of a loop over two superblocks, and runs of both in one step. */
static void add_control(struct ml_writer *w)
{
	static const struct ml_control_branch first[] = {
		{ .at = 0x1004,
		  .target = 0x1020,
		  .instructions = 2,
		  .slots = 1,
		  .length = 2,
		  .kind = ML_CONTROL_IF },
		{ .at = 0x1010,
		  .target = 0x2000,
		  .instructions = 5,
		  .slots = 1,
		  .length = 5,
		  .kind = ML_CONTROL_CALL },
	};
	static const struct ml_control_branch second[] = {
		{ .at = 0x2008,
		  .instructions = 3,
		  .slots = 1,
		  .length = 1,
		  .kind = ML_CONTROL_RETURN },
	};
	static const uint32_t before[] = { 1 };
	static const struct ml_control_superblock superblocks[] = {
		{ 0x1000, 1, 2, first, before },
		{ 0x2000, 1, 1, second, before },
	};
	struct ml_control *c = ml_writer_control(w);
	uint32_t site = ml_tables_place(ml_writer_tables(w), "f", "f.c", 1), part[2],
		 shape;
	struct ml_slot slot[2] = { { .site = site, .what = 8 },
				   { .site = site, .what = 8 } };
	struct ml_base base = { .state = ML_OWN_STATE, .reg = ML_NO_REG };
	struct ml_exit exit = { .slots = 1, .bases = 1 };
	struct ml_shape s = { .slots = 1,
			      .bases = 1,
			      .user = true,
			      .slot = slot,
			      .base = &base,
			      .exit = &exit };
	uint64_t addr = 0x5000;
	struct ml_err err;

	for (unsigned i = 0; i < 2; i++) {
		shape = ml_writer_shape(w, &s);
		ml_control_is(c, shape, ml_control_add(c, &superblocks[i]));
		part[i] = ml_writer_shapes(w)->at[shape].path;
	}
	s.slots = 2;
	s.exits = 1;
	shape = ml_writer_shape(w, &s);
	ml_control_joins(c, ml_writer_shapes(w), shape, part, 2);
	for (uint32_t i = 0; i < 9; i++) {
		struct ml_step step = { part[0] + i % 4, 0, &addr };

		ml_writer_steps(w, &step, 1, &err);
	}
}

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
	add_control(w);
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

static void find_loops(struct ml_trace *t)
{
	struct ml_loop_rows rows;
	struct ml_buf out = { 0 };
	struct ml_err err;

	if (!ml_loop_rows_make(&rows, t, NULL, NULL, &err))
		return;
	ml_loop_rows_text(&rows, 20, 80, &out);
	ml_buf_release(&out);
	ml_loop_rows_release(&rows);
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
			find_loops(&t);
			simulate(&t);
		}
		ml_trace_close(&t);
	}
	close(fd);
	return 0;
}
