#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <stdio.h>
#include <string.h>

#include "cli/documents.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/simulated.h"
#include "lib/base/arena.h"
#include "lib/base/lock.h"
#include "lib/query/workspace/document.h"

struct options {
	struct machine_without without;
	const char *output, *machine, *phase, *mode, *select;
	uint64_t from, to, top;
	bool no_source;
};

static const struct opt opts[] = {
	OPT_TEXT("output", 'o', "FILE", output,
		 "write to FILE; - is standard output (default: the name of the file "
		 "with .html)"),
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE, as in 'memlamp sim' (default: host)"),
	OPT_WITHOUT,
	OPT_COUNT("from", 0, "N", from,
		  "start at reference N, with the caches as the run before left them "
		  "(default: 0)"),
	OPT_COUNT("to", 0, "N", to,
		  "end before reference N (default: the end of the trace)"),
	OPT_TEXT("phase", 0, "NAME", phase,
		 "report on phase NAME, from its first begin to its end"),
	OPT_TEXT("mode", 0, "MODE", mode,
		 "colour the heat maps by count (accesses), misses, last (access), "
		 "first (write), reuse (references between two accesses), distance "
		 "(lines between two accesses) or used (share of the fetched bytes) "
		 "(default: misses)"),
	OPT_COUNT("top", 'n', "N", top,
		  "show at most N rows of each table, N files and N heat maps (default: "
		  "12)"),
	OPT_TEXT("select", 's', "TEXT", select,
		 "of samples: report on some of them, as in 'memlamp samples'"),
	OPT_FLAG("no-source", 0, no_source,
		 "leave the source text out; lines keep their numbers and counts"),
	{ 0 },
};

/* prog.mlt becomes prog.html in the current folder, folder/ folder.html. */
static const char *output_of(const char *input, const struct ml_document_kind *kind,
			     struct ml_arena *a)
{
	size_t size = strlen(input);

	while (size > 1 && input[size - 1] == '/')
		size--;
	const char *slash = memrchr(input, '/', size), *name = slash ? slash + 1 : input;
	size -= (size_t)(name - input);
	for (const char *const *s = kind->suffixes; *s; s++) {
		size_t n = strlen(*s);

		if (size > n && !strncmp(name + size - n, *s, n)) {
			size -= n;
			break;
		}
	}
	return ml_arena_printf(a, "%.*s.html", (int)size, name);
}

/* Of two reports into one file the second is refused before its long work. */
static bool take_output(const char *path, struct ml_err *err)
{
	struct ml_lock lock; /* until the process ends */

	return !strcmp(path, "-") || ml_lock_take(&lock, path, err);
}

static int run(int argc, char **argv)
{
	const struct options usual = { .top = 12 };
	struct options o = usual;
	struct ml_arena arena = { 0 };
	struct ml_told told = { 0 };
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_report, &o, &argc, &argv, &status))
		return status;
	struct ml_ask q = { .command = cmd_report.name,
			    .top = o.top ? o.top : 1,
			    .machine = { machine_option_text(
				    o.machine ? o.machine : "host", &o.without, &arena) },
			    .phase = o.phase,
			    .mode = o.mode,
			    .select = o.select,
			    .from = o.from,
			    .to = o.to,
			    .no_source = o.no_source,
			    .headers = cmd_path_headers(&arena),
			    .work = &work.work };
	const char *path[] = { argv[0], argv[0] };
	const struct ml_document_kind *kind = documents_kind(&cmd_report, path, &o,
							     &usual, &err);
	const char *output = o.output || !kind ? o.output
					       : output_of(path[0], kind, &arena);
	cmd_work_begin(&work);
	bool ok = kind && take_output(output, &err) &&
		  kind->report(path[0], &q, &told, &err);
	cmd_work_end(&work);
	ok = ok && simulated_write(&work.work, output, &told.out, &err);
	status = documents_status(&cmd_report, ok, &told, &err);
	if (ok && strcmp(output, "-") != 0)
		fprintf(stderr, "memlamp report: wrote %s\n", output);
	ml_arena_release(&arena);
	return status;
}

const struct cmd cmd_report = {
	.name = "report",
	.help = "write one HTML file about a trace, or about a file of another kind",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
