#include "cli/cmd.h"
#include "cli/options.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/progress.h"
#include "lib/base/table.h"
#include "lib/trace/ref.h"
#include "record/import/import.h"

struct options {
	const char *format, *columns, *regions, *model, *output;
	uint64_t size;
	bool fetch;
};

static const struct opt opts[] = {
	OPT_TEXT(
		"format", 'f', "NAME", format,
		"read the input as lackey, din, csv, text or model (told from its content)"),
	OPT_TEXT("columns", 'c', "MAP", columns,
		 "columns of CSV by number or heading: addr=2,kind=1,size=3,thread=4,"
		 "function=5,file=6,line=7,ip=8 (by the headings of the first line)"),
	OPT_TEXT("regions", 'r', "FILE", regions,
		 "register the regions that FILE lists, a line each: name base size "
		 "[element [rows columns]]"),
	OPT_SIZE("size", 's', "BYTES", size,
		 "size of references that come without one (din 4, csv 8, text 8 or 4)"),
	OPT_FLAG("fetch", 0, fetch,
		 "keep instruction fetches, which are left out otherwise"),
	OPT_TEXT(
		"model", 'm', "TEXT", model,
		"make the trace that a model describes, such as 'matmul 64 8 order ikj', "
		"instead of reading one"),
	OPT_TEXT("output", 'o', "FILE", output,
		 "write the trace to FILE (INPUT with .mlt)"),
	{ 0 },
};

/* What a signal handler can reach; the rest of the program sees it as an option. */
static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = 1;
	signal(number, SIG_DFL); /* a second Ctrl-C ends it at once */
}

/* dir/trace.txt becomes dir/trace.mlt */
static const char *output_of(const char *input, struct ml_arena *a)
{
	const char *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
	bool has_end = dot && dot > (slash ? slash + 1 : input);
	int size = has_end ? (int)(dot - input) : (int)strlen(input);

	return ml_arena_printf(a, "%.*s.mlt", size, input);
}

static void summary(const struct ml_import_result *r, const char *output)
{
	char refs[ML_NUMBER_ROOM], bytes[ML_NUMBER_ROOM];

	fprintf(stderr, "%s: %s references from %s, %s", output,
		ml_format_count(refs, r->refs), r->format,
		ml_format_bytes(bytes, r->written));
	if (r->refs)
		fprintf(stderr, ", %.4g bytes a reference",
			(double)r->written / (double)r->refs);
	fputc('\n', stderr);
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct ml_progress progress;
	struct ml_import_result result;
	struct ml_arena a = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_import, &o, &argc, &argv, &status))
		return status;
	if (!o.model == !argc)
		return cmd_misused(&cmd_import, "say either INPUT or --model TEXT");
	if (!o.output && (o.model || !strcmp(argv[0], "-")))
		return cmd_misused(&cmd_import, "say where the trace goes with -o FILE");
	if (o.size > ML_SIZE_MAX)
		return cmd_misused(&cmd_import, "--size is 1 to %d bytes", ML_SIZE_MAX);
	struct ml_import_options io = {
		.input = argc ? argv[0] : NULL,
		.format = o.format,
		.columns = o.columns,
		.regions = o.regions,
		.model = o.model,
		.size = (unsigned)o.size,
		.fetch = o.fetch,
		.progress = &progress,
		.stop = &stop,
		.output = o.output ? o.output : output_of(argv[0], &a),
	};
	if (argc && !strcmp(io.output, argv[0])) {
		status = cmd_misused(&cmd_import, "%s would be written over; say -o FILE",
				     argv[0]);
		ml_arena_release(&a);
		return status;
	}
	struct sigaction act = { .sa_handler = on_signal };
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of writing */
	ml_progress_start(&progress, stderr);
	bool ok = ml_import_run(&io, &result, &err);
	ml_progress_end(&progress);
	status = ok ? EXIT_DONE : cmd_fail(&cmd_import, &err);
	if (ok)
		summary(&result, io.output);
	ml_arena_release(&a);
	return status;
}

const struct cmd cmd_import = {
	.name = "import",
	.help = "read the trace of another tool, or make one from a model",
	.operands = "[INPUT]",
	.min_operands = 0,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
