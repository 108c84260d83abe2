#include "lib/analyse/result/simulation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/result_cache.h"
#include "lib/analyse/result/result_writer.h"
#include "lib/base/table.h"
#include "lib/trace/trace.h"

/* What one replay is to do, and where its result goes. */
struct attempt {
	struct ml_simulation *s;
	struct ml_trace *trace;
	const struct ml_simulation_options *o;
	const struct ml_result_info *info;
	const char *path;                /* of the result; NULL: it is not written */
	struct ml_result_writer *writer; /* NULL: none, or it has failed */
	struct ml_pass writes;           /* the pass of the writer */
	bool unwritten;
	struct ml_err why_unwritten;
};

static void give_up(struct attempt *a)
{
	ml_result_writer_abandon(a->writer);
	a->writer = NULL;
	a->unwritten = true;
}

/* A replay goes on without a writer that fails, unless its result is what is wanted. */
static bool write_batch(void *arg, const struct ml_events *e, struct ml_err *err)
{
	struct attempt *a = arg;

	if (!a->writer || a->writes.batch(a->writes.arg, e, &a->why_unwritten))
		return true;
	give_up(a);
	if (a->o->outcomes)
		*err = a->why_unwritten;
	return !a->o->outcomes;
}

static uint64_t write_saves(void *arg)
{
	struct attempt *a = arg;

	return a->writer ? a->writes.saves(a->writes.arg) : UINT64_MAX;
}

static bool run_passes(struct attempt *a, struct ml_replay *r, struct ml_err *err)
{
	struct ml_profiler *profiler = ml_profiler_open(&a->s->own);
	struct ml_pass passes[ML_SIMULATION_PASSES + 2] = { ml_profiler_pass(profiler) };
	size_t n = 1;

	assert(a->o->pass_count <= ML_SIMULATION_PASSES);
	for (size_t i = 0; i < a->o->pass_count; i++)
		passes[n++] = a->o->passes[i];
	if (a->writer) {
		a->writes = ml_result_writer_pass(a->writer);
		passes[n++] = (struct ml_pass){ .arg = a,
						.batch = write_batch,
						.saves = write_saves };
	}
	bool ok = ml_replay_run(r, passes, n, err);
	ml_profiler_close(profiler, r);
	return ok;
}

/* Whether the counts of a replay that failed are of use: those before the failure. */
static bool is_part(struct attempt *a, struct ml_err *err)
{
	struct ml_simulation *s = a->s;
	char refs[ML_NUMBER_ROOM], all[ML_NUMBER_ROOM];

	if (a->o->outcomes && a->unwritten)
		return false;
	if (err->kind == ML_FORMAT && s->own.refs)
		s->damage = ml_arena_strdup(&s->arena, err->text);
	s->stopped = err->kind == ML_STOPPED && a->o->partial && s->own.refs;
	if (err->kind == ML_STOPPED && s->own.refs && !a->o->partial)
		ml_fail(err, ML_STOPPED, "stopped after %s of %s references",
			ml_format_count(refs, s->own.refs),
			ml_format_count(all, a->info->to - a->info->from));
	return s->damage || s->stopped;
}

/*
 * Ends the file of the result. That of a part is opened, if it is what is wanted, and
 * loses its name at once.
 */
static bool end_file(struct attempt *a, bool part)
{
	struct ml_simulation *s = a->s;

	if (part && !a->o->outcomes) {
		ml_result_writer_abandon(a->writer);
		return true;
	}
	bool ok = ml_result_writer_close(a->writer, &s->own, &a->why_unwritten);
	if (ok && a->o->outcomes) {
		ok = ml_result_open(&s->result, a->path, &a->why_unwritten);
		s->has_result = ok;
	}
	if (ok && part)
		unlink(a->path);
	a->unwritten = !ok;
	return ok;
}

/* One replay. False with `unwritten`: it is the file that failed. */
static bool replay(struct attempt *a, struct ml_err *err)
{
	struct ml_replay *r;

	ml_profile_release(&a->s->own);
	a->s->own = (struct ml_profile){ 0 };
	a->unwritten = a->path && !ml_result_writer_open(&a->writer, a->path, a->info,
							 &a->why_unwritten);
	if (a->unwritten && (a->o->outcomes || a->o->output)) {
		*err = a->why_unwritten;
		return false;
	}
	bool ok = ml_replay_open(&r, a->trace, &a->o->replay, err);
	bool whole = ok && run_passes(a, r, err);
	if (ok)
		ml_replay_close(r);
	ok = whole || (ok && is_part(a, err));
	if (a->writer && !ok)
		ml_result_writer_abandon(a->writer);
	else if (a->writer && !end_file(a, !whole) && a->o->outcomes) {
		*err = a->why_unwritten;
		ok = false;
	}
	a->writer = NULL;
	return ok;
}

static void note_unkept(struct ml_simulation *s, const struct ml_err *why)
{
	s->unkept = ml_arena_printf(&s->arena, "the result is not kept: %s", why->text);
}

/* In a folder of our own in `where`, which is removed once the result is open. */
static bool replay_in(struct attempt *a, const char *where, struct ml_err *err)
{
	struct ml_arena *arena = &a->s->arena;
	char *folder = ml_arena_printf(arena, "%s/memlamp-XXXXXX", where);

	if (!mkdtemp(folder)) {
		a->unwritten = true;
		return ml_fail_errno(err, "%s: cannot make a temporary folder", folder);
	}
	a->path = ml_arena_printf(arena, "%s/result.mls", folder);
	a->unwritten = false;
	bool ok = replay(a, err);
	unlink(a->path);
	rmdir(folder);
	return ok;
}

/*
 * Where no folder keeps results, or that folder is full, a result that is wanted is a
 * temporary file; where there is no room for one either, it is in memory.
 */
static bool replay_to_scratch(struct attempt *a, struct ml_err *err)
{
	const char *dir = getenv("TMPDIR");
	struct ml_err in_memory;

	return replay_in(a, dir && *dir ? dir : "/tmp", err) ||
	       (a->unwritten && replay_in(a, "/dev/shm", &in_memory));
}

static bool replay_and_keep(struct attempt *a, struct ml_err *err)
{
	struct ml_err why = { 0 };

	a->path = a->o->output     ? a->o->output
		  : a->o->no_cache ? NULL
				   : ml_result_cache_path(a->info, &a->s->arena, &why);
	bool tried = a->path || !a->o->outcomes;
	bool ok = tried && replay(a, err);
	if (a->unwritten)
		why = a->why_unwritten;
	if (!ok && (!tried || (a->unwritten && !a->o->output)))
		ok = replay_to_scratch(a, err);
	else if (ok && a->path && !a->o->output && !a->unwritten)
		ml_result_cache_trim();
	if (why.kind != ML_OK)
		note_unkept(a->s, &why);
	return ok && (!a->s->has_result || ml_result_fit(&a->s->result, a->trace, err));
}

bool ml_simulation_obtain(struct ml_simulation *s, struct ml_trace *t,
			  const struct ml_simulation_options *o, struct ml_err *err)
{
	struct ml_result_info info;
	struct attempt a = { .s = s, .trace = t, .o = o, .info = &info };

	*s = (struct ml_simulation){ 0 };
	ml_result_describe(&info, t, &o->replay, &s->arena);
	s->has_result = !o->no_cache && !o->replays && !o->output &&
			ml_result_cache_find(&info, t, &s->result);
	if (!s->has_result && !replay_and_keep(&a, err)) {
		ml_simulation_release(s);
		return false;
	}
	s->profile = s->has_result ? &s->result.profile : &s->own;
	/* results are found by the text of their machine, which has no name */
	if (s->has_result)
		memcpy(s->result.profile.machine.name, o->replay.machine.name,
		       sizeof(o->replay.machine.name));
	return true;
}

void ml_simulation_release(struct ml_simulation *s)
{
	ml_profile_release(&s->own);
	if (s->has_result)
		ml_result_close(&s->result);
	ml_arena_release(&s->arena);
	*s = (struct ml_simulation){ 0 };
}
