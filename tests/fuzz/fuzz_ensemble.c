/*
 * Any bytes as the file of an ensemble: opened, labelled, merged, and gone on with, from
 * whatever states it has, over a trace of our own.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/seeded.h"
#include "tests/read_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGE = 1 << 16, BINS = 1 << 12 }; /* caches and series that are not tried */

static char trace_path[64];

static void remove_trace(void)
{
	unlink(trace_path);
}

static bool make_trace(void)
{
	static const char text[] =
		"mark a\nr0+24*200 w0+64*50\nmark b\nr3:90*9 f4096+8*90";
	struct ml_writer *w;
	struct ml_err err;

	if (trace_path[0])
		return true;
	snprintf(trace_path, sizeof(trace_path), "/tmp/fuzz-ensemble-%d", getpid());
	atexit(remove_trace);
	return ml_writer_open(&w, trace_path, &err) &&
	       read_text(w, text, strlen(text), "text", &err) && ml_writer_close(w, &err);
}

/* An ensemble of our trace: whole, or interrupted, so that it has saved states. */
static bool interrupt(void *arg, const struct ml_ensemble *e, struct ml_err *err)
{
	ml_ensemble_save(e, arg, err);
	return false;
}

static bool at_once(void *arg)
{
	return --*(int *)arg < 0;
}

static size_t make_ensemble(uint8_t *data, size_t max, unsigned variant)
{
	static const char *const machines[] = { "L1 512 2w",
						"L1 1K 2w",
						"L1 2K 2w fifo",
						"L1 256 2w | L2 1K 4w",
						"L1 512 full opt",
						"L1 256 2w | L2 1K 4w opt",
						"cores 2 | L1 256 2w | L2 1K 4w" };
	const char *path = seeded_path("seed.mle");
	int calls = (int)variant;
	struct ml_work work = { .cancelled = at_once, .arg = &calls };
	struct ml_ensemble_run o = { .threads = 1,
				     .every = 1,
				     .save = interrupt,
				     .save_arg = (void *)(uintptr_t)path,
				     .work = variant % 2 ? &work : NULL };
	struct ml_ensemble e;
	struct ml_machine m;
	struct ml_trace t;
	struct ml_err err;

	if (!make_trace() || !ml_trace_open(&t, trace_path, &err))
		return 0;
	ml_ensemble_init(&e);
	uint32_t trace = ml_ensemble_add_trace(&e, &t, "t", 0, t.count, 16);
	ml_trace_close(&t);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (!ml_machine_parse(&m, machines[i], &err))
			abort();
		struct ml_parameter p = { "L1 size", "512", 512.0 * (double)i };
		ml_ensemble_add_member(&e, trace, &m, &p, variant % 3 > 0);
	}
	if (ml_ensemble_run(&e, &o, &err)) {
		ml_ensemble_label(&e);
		ml_ensemble_save(&e, path, &err);
	}
	ml_ensemble_release(&e);
	return seeded_take(path, data, max);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return seeded_mutate(data, size, max, seed, make_ensemble);
}

/* Whether its members can be run within a second, over our trace. */
static bool small(const struct ml_ensemble *e, const struct ml_trace *t)
{
	for (size_t i = 0; i < e->trace_count; i++)
		if (e->traces[i].to > t->count || e->traces[i].bins > BINS)
			return false;
	for (size_t i = 0; i < e->member_count; i++)
		for (unsigned k = 0; k < e->members[i].parsed.levels; k++)
			if (e->members[i].parsed.level[k].size > LARGE ||
			    e->members[i].parsed.icache.size > LARGE ||
			    e->members[i].parsed.cores > 2)
				return false;
	return e->member_count < 20;
}

static void go_on(struct ml_ensemble *e)
{
	struct ml_ensemble_run o = { .threads = 1 };
	struct ml_trace t;
	struct ml_err err;

	if (!make_trace() || !ml_trace_open(&t, trace_path, &err))
		return;
	for (size_t i = 0; i < e->trace_count; i++) {
		e->traces[i].path = trace_path;
		memcpy(e->traces[i].id, t.id, sizeof(t.id));
	}
	if (small(e, &t))
		ml_ensemble_run(e, &o, &err);
	ml_trace_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_ensemble e, other;
	struct ml_err err;
	char path[40];
	size_t member;
	int fd = memfd_create("ensemble", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ml_ensemble_open(&e, path, &err)) {
		ml_ensemble_init(&other);
		ml_ensemble_merge(&other, &e, &err);
		ml_ensemble_release(&other);
		ml_ensemble_find(&e, "1K lru", &member, &err);
		go_on(&e);
		ml_ensemble_release(&e);
	}
	close(fd);
	return 0;
}
