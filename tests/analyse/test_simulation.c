/*
 * The simulation of a trace: when a kept result is used, when one is kept, and what is
 * left where the caller stops it. tests/cli/analyse/one_simulation.sh has the faults of
 * the world.
 */
#include "lib/analyse/result/simulation.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/analyse/passes/replay.h"
#include "lib/base/work.h"
#include "lib/trace/text/model.h"
#include "lib/trace/trace.h"
#include "lib/trace/writer.h"
#include "tests/scratch.h"
#include "tests/test.h"

enum { REFS = 600000 };

static char home[64];

/* How many results are kept. */
static int kept(void)
{
	char path[128];
	int count = 0;

	snprintf(path, sizeof(path), "%s/memlamp", home);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir));)
		count += *d->d_name != '.';
	if (dir)
		closedir(dir);
	return count;
}

static void open_trace(struct ml_trace *t)
{
	static const char text[] = "random 0 100000 600000 8";
	struct ml_model m;
	struct ml_writer *w;
	struct ml_err err;

	unlink(scratch());
	CHECK_OK(ml_writer_open(&w, scratch(), &err), &err);
	CHECK_OK(ml_model_init(&m, "text", text, strlen(text), &err), &err);
	CHECK_OK(ml_model_run(&m, w, &err), &err);
	ml_model_release(&m);
	CHECK_OK(ml_writer_close(w, &err), &err);
	CHECK_OK(ml_trace_open(t, scratch(), &err), &err);
	CHECK_EQ(t->count, REFS);
}

/* A home without results; it goes with its results in the end. */
static void begin(struct ml_trace *t)
{
	snprintf(home, sizeof(home), "/tmp/memlamp-simulation-%d", getpid());
	mkdir(home, 0700);
	setenv("XDG_CACHE_HOME", home, 1);
	unsetenv("MEMLAMP_CACHE_SIZE");
	open_trace(t);
}

static void end(struct ml_trace *t)
{
	char command[128];

	ml_trace_close(t);
	snprintf(command, sizeof(command), "rm -r %s", home);
	CHECK_EQ(system(command), 0);
}

static struct ml_simulation_options usual(void)
{
	struct ml_simulation_options o = { .replay = { .want = ML_SIM_CAUSES |
							       ML_SIM_USE } };
	struct ml_err err;

	CHECK_OK(ml_machine_parse(&o.replay.machine, "L1 4K 4w | L2 64K 8w", &err), &err);
	return o;
}

struct counter {
	uint64_t refs;
};

static bool count(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct counter *c = arg;

	(void)err;
	c->refs += e->refs->count;
	return true;
}

TEST(the_second_simulation_is_the_result_of_the_first)
{
	struct ml_simulation_options o = usual();
	struct ml_simulation first, second;
	struct ml_trace t;
	struct ml_err err;

	begin(&t);
	CHECK_OK(ml_simulation_obtain(&first, &t, &o, &err), &err);
	CHECK(!first.has_result && !first.unkept);
	CHECK_EQ(kept(), 1);
	CHECK_OK(ml_simulation_obtain(&second, &t, &o, &err), &err);
	CHECK(second.has_result);
	CHECK_EQ(second.profile->refs, REFS);
	CHECK_EQ(second.profile->served[3], first.profile->served[3]);
	ml_simulation_release(&first);
	ml_simulation_release(&second);
	end(&t);
}

TEST(further_passes_run_where_a_result_is_kept_if_the_caller_says_so)
{
	struct ml_simulation_options o = usual();
	struct counter c = { 0 };
	struct ml_pass pass = { .arg = &c, .batch = count };
	struct ml_simulation s;
	struct ml_trace t;
	struct ml_err err;

	begin(&t);
	o.passes = &pass;
	o.pass_count = 1;
	for (int i = 0; i < 3; i++) { /* replayed, kept, replayed */
		o.replays = i == 2;
		CHECK_OK(ml_simulation_obtain(&s, &t, &o, &err), &err);
		CHECK_EQ(s.has_result, i == 1);
		CHECK_EQ(c.refs, i < 2 ? REFS : 2 * REFS);
		ml_simulation_release(&s);
	}
	end(&t);
}

TEST(a_caller_that_reads_outcomes_gets_them_without_a_folder_for_results)
{
	struct ml_simulation_options o = usual();
	struct ml_simulation s;
	struct ml_trace t;
	struct ml_err err;

	begin(&t);
	o.outcomes = true;
	setenv("MEMLAMP_CACHE_SIZE", "0", 1); /* off: nothing to note */
	CHECK_OK(ml_simulation_obtain(&s, &t, &o, &err), &err);
	CHECK(s.has_result && !s.unkept);
	CHECK_EQ(s.result.refs, REFS);
	ml_simulation_release(&s);
	unsetenv("MEMLAMP_CACHE_SIZE");
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	CHECK_OK(ml_simulation_obtain(&s, &t, &o, &err), &err);
	CHECK(s.has_result && strstr(s.unkept, "not kept: /dev/null/memlamp: "));
	CHECK_EQ(s.result.refs, REFS);
	ml_simulation_release(&s);
	setenv("XDG_CACHE_HOME", home, 1);
	CHECK_EQ(kept(), 0);
	end(&t);
}

static bool after_half(void *arg)
{
	const struct counter *c = arg;

	return c->refs >= REFS / 2;
}

TEST(a_part_is_there_for_those_who_can_use_it_and_never_kept)
{
	struct ml_simulation_options o = usual();
	struct counter c = { 0 };
	struct ml_work work = { .cancelled = after_half, .arg = &c };
	struct ml_pass pass = { .arg = &c, .batch = count };
	struct ml_simulation s;
	struct ml_trace t;
	struct ml_err err;

	begin(&t);
	o.passes = &pass;
	o.pass_count = 1;
	o.replay.work = &work;
	CHECK_FAILS(ml_simulation_obtain(&s, &t, &o, &err), &err, "stopped after ");
	CHECK_EQ(err.kind, ML_STOPPED);
	c.refs = 0;
	o.partial = true;
	CHECK_OK(ml_simulation_obtain(&s, &t, &o, &err), &err);
	CHECK(s.stopped && !s.has_result);
	CHECK(s.profile->refs > 0 && s.profile->refs < REFS);
	ml_simulation_release(&s);
	CHECK_EQ(kept(), 0);
	end(&t);
}
