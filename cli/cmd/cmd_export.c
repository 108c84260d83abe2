#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/simulated.h"
#include "lib/base/buf.h"
#include "lib/base/path.h"
#include "lib/query/trace/export/export.h"
#include "lib/query/trace/open/open_sim.h"

struct options {
	struct machine_without without;
	const char *output, *machine;
	bool callgrind, sarif, speedscope, chrome;
};

static const struct opt opts[] = {
	OPT_FLAG("callgrind", 0, callgrind,
		 "write misses by line, function and region as callgrind does, for "
		 "KCachegrind and callgrind_annotate"),
	OPT_FLAG("sarif", 0, sarif,
		 "write the findings as SARIF 2.1.0, for code hosts and editors"),
	OPT_FLAG("speedscope", 0, speedscope,
		 "write lines and phases over time for speedscope"),
	OPT_FLAG("chrome", 0, chrome,
		 "write phases and levels over time as Chrome does, for Perfetto"),
	OPT_TEXT("output", 'o', "FILE", output,
		 "write to FILE; - is standard output (default: the name of the trace "
		 "with .callgrind, .sarif, .speedscope.json or .trace.json)"),
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE, as in 'memlamp sim' (default: host)"),
	OPT_WITHOUT,
	{ 0 },
};

/* The form that is asked for; NULL: none, or more than one. */
static const struct ml_export_form *form_of(const struct options *o)
{
	const bool wanted[ML_EXPORT_FORMS] = {
		[ML_EXPORT_CALLGRIND] = o->callgrind,
		[ML_EXPORT_SARIF] = o->sarif,
		[ML_EXPORT_SPEEDSCOPE] = o->speedscope,
		[ML_EXPORT_CHROME] = o->chrome,
	};
	const struct ml_export_form *form = NULL;

	for (unsigned i = 0; i < ML_EXPORT_FORMS; i++) {
		if (wanted[i] && form)
			return NULL;
		if (wanted[i])
			form = &ml_export_forms[i];
	}
	return form;
}

/* prog.mlt becomes prog.sarif in the current folder. */
static const char *output_of(const char *trace, const char *suffix, struct ml_arena *a)
{
	const char *name = ml_path_name(trace);
	size_t size = strlen(name);

	if (size > 4 && !strcmp(name + size - 4, ".mlt"))
		size -= 4;
	return ml_arena_printf(a, "%.*s%s", (int)size, name, suffix);
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct simulated s;
	struct ml_arena arena = { 0 };
	struct ml_buf out = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_export, &o, &argc, &argv, &status))
		return status;
	const struct ml_export_form *form = form_of(&o);
	if (!form)
		return cmd_misused(&cmd_export, "give one of --callgrind, --sarif, "
						"--speedscope and --chrome");
	struct simulated_wish w = { .cmd = &cmd_export,
				    .machine = o.machine,
				    .without = o.without,
				    .window.trace = argv[0] };
	if (!simulated_open(&s, &w, &err))
		return cmd_fail(&cmd_export, &err);
	const char *path = o.output ? o.output : output_of(argv[0], form->suffix, &arena);
	bool ok = form->write(s.window.sim, &out, &err);
	cmd_work_end(&s.work);
	ok = ok && simulated_write(&s.work.work, path, &out, &err);
	status = ok ? simulated_status(&s) : cmd_fail(&cmd_export, &err);
	if (ok && strcmp(path, "-") != 0)
		fprintf(stderr, "memlamp export: wrote %s\n", path);
	ml_buf_release(&out);
	ml_arena_release(&arena);
	simulated_close(&s);
	return status;
}

const struct cmd cmd_export = {
	.name = "export",
	.help = "write a simulation for KCachegrind, code hosts, speedscope or Perfetto",
	.operands = "TRACE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
