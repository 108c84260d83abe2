#include "lib/query/trace/tables/analysed_trace.h"

#include <dirent.h>
#include <string.h>

#include "lib/cache/machine/observer.h"

static bool simulate(struct ml_analysed_trace *s,
		     const struct ml_analysed_trace_options *o, struct ml_err *err)
{
	struct ml_simulation_options options = {
		.replay = { .machine = o->machine,
			    .interleave = o->interleave,
			    .want = ML_SIM_CAUSES | ML_SIM_USE,
			    .work = o->work },
		.no_cache = o->no_cache,
		.partial = o->partial,
	};

	return ml_simulation_obtain(&s->simulation, &s->trace, &options, err);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Opens the trace that the result is of, if the folder has it. */
static bool find_trace(struct ml_analysed_trace *s, const char *folder)
{
	struct ml_simulation *x = &s->simulation;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	struct ml_err err;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (!ends_with(entry->d_name, ".mlt"))
			continue;
		const char *path = ml_arena_printf(&x->arena, "%s/%s", folder,
						   entry->d_name);

		if (!ml_trace_open(&s->trace, path, &err))
			continue;
		found = !memcmp(s->trace.id, x->result.info.trace, sizeof(s->trace.id));
		if (!found)
			ml_trace_close(&s->trace);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool open_result(struct ml_analysed_trace *s, const char *path, struct ml_err *err)
{
	struct ml_simulation *x = &s->simulation;
	const char *slash = strrchr(path, '/');
	const char *folder =
		slash ? ml_arena_copy(&x->arena, path, (size_t)(slash - path) + 1) : ".";

	if (!ml_result_open(&x->result, path, err))
		return false;
	x->has_result = true;
	x->profile = &x->result.profile;
	if (find_trace(s, folder) || (slash && find_trace(s, ".")))
		return ml_result_fit(&x->result, &s->trace, err);
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

	return ml_findings_make(&s->findings, &s->trace, s->simulation.profile, &options,
				err);
}

bool ml_analysed_trace_open(struct ml_analysed_trace *s, const char *path,
			    const struct ml_analysed_trace_options *o, struct ml_err *err)
{
	*s = (struct ml_analysed_trace){ 0 };
	bool ok = ends_with(path, ".mls")
			  ? open_result(s, path, err)
			  : ml_trace_open(&s->trace, path, err) && simulate(s, o, err);

	if (ok && find(s, o, err)) {
		ml_profile_rows_make(&s->rows, &s->trace, s->simulation.profile);
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
	ml_simulation_release(&s->simulation);
	if (s->trace.data)
		ml_trace_close(&s->trace);
}
