#include "cli/cmd.h"

#include <signal.h>

#include "cli/documents.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/work.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/query/workspace/document.h"

struct options {
	uint64_t top;
	bool json;
	const char *csv;
};

static const struct opt opts[] = {
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows of each table (default: 10; all with --json and "
		  "--csv)"),
	OPT_FLAG("json", 0, json, "print everything as JSON"),
	OPT_TEXT("csv", 0, "TABLE", csv,
		 "print one table as CSV: of a trace gaps, regions, lines, functions, "
		 "phases, threads, marks or states; a name that there is not lists those "
		 "of other kinds"),
	{ 0 },
};

static int run(int argc, char **argv)
{
	struct options o = { 0 }, usual = { 0 };
	struct ml_arena arena = { 0 };
	struct ml_told told = { 0 };
	struct cmd_work work;
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_info, &o, &argc, &argv, &status))
		return status;
	signal(SIGPIPE, SIG_DFL); /* `memlamp info x | head` ends without a word */
	struct ml_ask q = { .command = cmd_info.name,
			    .form = o.json  ? ML_FORM_JSON
				    : o.csv ? ML_FORM_CSV
					    : ML_FORM_TEXT,
			    .table = o.csv,
			    .top = o.top,
			    .columns = cmd_width(),
			    .headers = cmd_path_headers(&arena),
			    .work = &work.work };
	const char *path[] = { argv[0], argv[0] };
	const struct ml_document_kind *kind = documents_kind(&cmd_info, path, &o, &usual,
							     &err);
	cmd_work_begin(&work);
	bool ok = kind && kind->info(path[0], &q, &told, &err);
	cmd_work_end(&work);
	status = documents_print(&cmd_info, ok, &told, &err);
	ml_arena_release(&arena);
	return status;
}

const struct cmd cmd_info = {
	.name = "info",
	.help = "show what is in a trace, or in a file of another kind",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
