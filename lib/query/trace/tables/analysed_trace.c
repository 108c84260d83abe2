#include "lib/query/trace/tables/analysed_trace.h"

#include <dirent.h>
#include <string.h>

#include "lib/analyse/result/result_cache.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/result_writer.h"
#include "lib/cache/exact/sim.h"

/* The cache of results is a convenience: a result that cannot be saved is no error. */
static void keep(struct ml_analysed_trace *s, struct ml_result_writer *out, bool ok)
{
	struct ml_err unkept;

	if (!ok)
		ml_result_writer_abandon(out);
	else if (ml_result_writer_close(out, &s->own, &unkept))
		ml_result_cache_trim();
}

static bool replay_once(struct ml_analysed_trace *s, const struct ml_replay_options *o,
			const char *kept_path, const struct ml_result_info *info,
			struct ml_err *err)
{
	struct ml_result_writer *out = NULL;
	struct ml_replay *r;
	struct ml_err unkept;

	if (!ml_replay_open(&r, &s->trace, o, err))
		return false;
	struct ml_profiler *profiler = ml_profiler_open(&s->own);
	struct ml_pass passes[2] = { ml_profiler_pass(profiler) };
	if (kept_path && ml_result_writer_open(&out, kept_path, info, &unkept))
		passes[1] = ml_result_writer_pass(out);
	bool ok = ml_replay_run(r, passes, out ? 2 : 1, err);
	ml_profiler_close(profiler, r);
	ml_replay_close(r);
	if (out)
		keep(s, out, ok);
	if (!ok && err->kind == ML_FORMAT && s->own.refs) {
		s->damage = ml_arena_strdup(&s->arena, err->text);
		ok = true;
	}
	s->profile = &s->own;
	return ok;
}

/* Where the result cannot be kept, as the disk is full, it is computed all the same. */
static bool replay(struct ml_analysed_trace *s, const struct ml_replay_options *o,
		   const char *kept_path, const struct ml_result_info *info,
		   struct ml_err *err)
{
	if (replay_once(s, o, kept_path, info, err))
		return true;
	if (!kept_path || err->kind != ML_IO)
		return false;
	ml_profile_release(&s->own);
	s->own = (struct ml_profile){ 0 };
	return replay_once(s, o, NULL, info, err);
}

static bool simulate(struct ml_analysed_trace *s,
		     const struct ml_analysed_trace_options *o, struct ml_err *err)
{
	struct ml_replay_options options = { .machine = o->machine,
					     .interleave = o->interleave,
					     .want = ML_SIM_CAUSES | ML_SIM_USE,
					     .work = o->work };
	struct ml_result_info info;

	ml_result_describe(&info, &s->trace, &options, &s->arena);
	s->has_result = o->keep && ml_result_cache_find(&info, &s->trace, &s->result);
	if (s->has_result) {
		struct ml_machine *m = &s->result.profile.machine;

		/* the cache finds machines by their text, which has no name */
		memcpy(m->name, o->machine.name, sizeof(m->name));
		s->profile = &s->result.profile;
		return true;
	}
	if (replay(s, &options, o->keep ? ml_result_cache_path(&info, &s->arena) : NULL,
		   &info, err))
		return true;
	s->stopped = o->partial && err->kind == ML_STOPPED && s->own.refs;
	return s->stopped;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Opens the trace that the result is of, if the folder has it. */
static bool find_trace(struct ml_analysed_trace *s, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	struct ml_err err;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (!ends_with(entry->d_name, ".mlt"))
			continue;
		const char *path = ml_arena_printf(&s->arena, "%s/%s", folder,
						   entry->d_name);

		if (!ml_trace_open(&s->trace, path, &err))
			continue;
		found = !memcmp(s->trace.id, s->result.info.trace, sizeof(s->trace.id));
		if (!found)
			ml_trace_close(&s->trace);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool open_result(struct ml_analysed_trace *s, const char *path, struct ml_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder =
		slash ? ml_arena_copy(&s->arena, path, (size_t)(slash - path) + 1) : ".";

	if (!ml_result_open(&s->result, path, err))
		return false;
	s->has_result = true;
	s->profile = &s->result.profile;
	if (find_trace(s, folder) || (slash && find_trace(s, ".")))
		return ml_result_fit(&s->result, &s->trace, err);
	return ml_fail(
		err, ML_IO,
		"%s: its trace, which has the names of lines and regions, is neither "
		"beside it nor in the current folder",
		path);
}

static bool find(struct ml_analysed_trace *s, const struct ml_analysed_trace_options *o,
		 struct ml_err *err)
{
	struct ml_findings_options options = { .window = o->window,
					       .work = o->work,
					       .partial = o->partial };

	return ml_findings_make(&s->findings, &s->trace, s->profile, &options, err);
}

bool ml_analysed_trace_open(struct ml_analysed_trace *s, const char *path,
			    const struct ml_analysed_trace_options *o, struct ml_err *err)
{
	*s = (struct ml_analysed_trace){ 0 };
	bool ok = ends_with(path, ".mls")
			  ? open_result(s, path, err)
			  : ml_trace_open(&s->trace, path, err) && simulate(s, o, err);

	if (ok && find(s, o, err)) {
		ml_profile_rows_make(&s->rows, &s->trace, s->profile);
		return true;
	}
	ml_analysed_trace_close(s);
	return false;
}

void ml_analysed_trace_close(struct ml_analysed_trace *s)
{
	if (s->rows.trace)
		ml_profile_rows_release(&s->rows);
	ml_findings_release(&s->findings);
	ml_profile_release(&s->own);
	if (s->has_result)
		ml_result_close(&s->result);
	if (s->trace.data)
		ml_trace_close(&s->trace);
	ml_arena_release(&s->arena);
}
