#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/import_trace.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "cli/work.h"
#include "lib/base/table.h"
#include "lib/samples/read/read_options.h"
#include "lib/trace/ref.h"
#include "record/import/import.h"

struct options {
	const char *format, *columns, *regions, *model, *output, *types, *source,
		*hardware, *binary, *base, *machine, *levels;
	uint64_t size, l1_latency, every;
	bool fetch, regular;
};

static const struct opt opts[] = {
	OPT_TEXT("format", 'f', "NAME", format,
		 "read the input as the format NAME (default: detected)"),
	OPT_TEXT(
		"columns", 'c', "MAP", columns,
		"columns of CSV by number or heading: addr=2,kind=1,size=3,thread=4,"
		"function=5,file=6,line=7,ip=8; of samples also time, latency, cpu, "
		"datasource, level, variable and index (default: the headings of the first "
		"line)"),
	OPT_TEXT(
		"types", 't', "MAP", types,
		"types of columns of samples: time=hex,id=names; a type is decimal, hex, "
		"signed, real or names (default: found by column)"),
	OPT_TEXT(
		"source", 0, "CODE", source,
		"how samples code the level that served them: pebs or perf (default: by the "
		"heading)"),
	OPT_TEXT(
		"hardware", 0, "FILE", hardware,
		"hardware of samples: XML of hwloc or Mitos (default: hardware.xml of a Mitos "
		"folder)"),
	OPT_TEXT("levels", 0, "LIST", levels,
		 "levels of samples that have none, by latency: L1:14,L2:60,L3:200; more "
		 "is RAM"),
	OPT_COUNT("l1-latency", 0, "CYCLES", l1_latency,
		  "latency of a hit in L1, which AMD IBS does not measure (default: 4)"),
	OPT_TEXT("binary", 'b', "FILE", binary,
		 "program or library of samples that have addresses only: names their "
		 "functions, lines and static variables by DWARF"),
	OPT_TEXT("base", 0, "ADDRESS", base,
		 "address that --binary was loaded at (default: found by the names of "
		 "functions)"),
	OPT_TEXT("machine", 'M', "MACHINE", machine,
		 "of a trace (.mlt): simulate MACHINE and write samples with its levels "
		 "and latencies (default: host)"),
	OPT_COUNT(
		"every", 'e', "N", every,
		"of a trace: take one reference of N, in random periods (default: so many "
		"that 100,000 samples are left)"),
	OPT_FLAG("regular", 0, regular, "of a trace: take exactly every Nth reference"),
	OPT_TEXT("regions", 'r', "FILE", regions,
		 "register the regions that FILE lists, a line each: name base size "
		 "[element [rows columns]]"),
	OPT_SIZE(
		"size", 's', "BYTES", size,
		"size of references that have none (default: din 4, csv 8, text 8 or 4)"),
	OPT_FLAG("fetch", 0, fetch, "keep instruction fetches (default: leave them out)"),
	OPT_TEXT(
		"model", 'm', "TEXT", model,
		"make the trace that a model describes, such as 'matmul 64 8 order ikj', "
		"instead of reading an input"),
	OPT_TEXT(
		"output", 'o', "FILE", output,
		"write to FILE (default: INPUT with the suffix .mlt for traces, .mlh for "
		"samples)"),
	{ 0 },
};

enum { IMPORTERS = 32 };

/* Those of record/import, and the one that simulates. */
static const struct ml_importer *const *importers(const struct ml_importer **all)
{
	size_t n = 0;

	for (const struct ml_importer *const *i = ml_importers; *i && n < IMPORTERS - 2;)
		all[n++] = *i++;
	all[n++] = &import_trace;
	all[n] = NULL;
	return all;
}

static void list_formats(struct ml_buf *out)
{
	const struct ml_importer *all[IMPORTERS];
	char line[200];

	ml_buf_put(out, "\nFormats:\n", 10);
	for (const struct ml_importer *const *i = importers(all); *i; i++) {
		int n = snprintf(line, sizeof(line), "  %-13s%s: %s\n", (*i)->name,
				 (*i)->kind, (*i)->what);

		ml_buf_put(out, line, (size_t)n);
	}
}

static void summary(const struct ml_import_result *r)
{
	char count[ML_NUMBER_ROOM], bytes[ML_NUMBER_ROOM];
	const struct ml_importer *i = r->importer;

	fprintf(stderr, "%s: %s %ss from %s, %s", r->path,
		ml_format_count(count, r->count), i->unit, i->name,
		ml_format_bytes(bytes, r->written));
	if (r->count)
		fprintf(stderr, ", %.4g bytes a %s",
			(double)r->written / (double)r->count, i->unit);
	fputc('\n', stderr);
	if (r->bad)
		fprintf(stderr,
			"%s: %s lines could not be read; memlamp samples shows some\n",
			r->path, ml_format_count(count, r->bad));
	if (r->skipped)
		fprintf(stderr, "%s: %s records are no memory access, or repeat one\n",
			r->path, ml_format_count(count, r->skipped));
}

static int run(int argc, char **argv)
{
	struct options o = { .l1_latency = ML_L1_LATENCY };
	const struct ml_importer *all[IMPORTERS];
	struct cmd_work work;
	struct ml_import_result result;
	struct ml_arena a = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_import, &o, &argc, &argv, &status))
		return status;
	if (!o.model == !argc)
		return cmd_misused(&cmd_import, "say either INPUT or --model TEXT");
	if (!o.output && (o.model || !strcmp(argv[0], "-")))
		return cmd_misused(&cmd_import, "say with -o FILE where the result goes");
	if (o.size > ML_SIZE_MAX)
		return cmd_misused(&cmd_import, "--size is 1 to %d bytes", ML_SIZE_MAX);
	uint64_t base = 0;
	if (o.base && (!o.binary || !options_number(o.base, 1000, &base)))
		return cmd_misused(&cmd_import, "--base is an address of --binary FILE");
	struct ml_import_options io = {
		.input = argc ? argv[0] : NULL,
		.format = o.format,
		.columns = o.columns,
		.regions = o.regions,
		.model = o.model,
		.size = (unsigned)o.size,
		.fetch = o.fetch,
		.work = &work.work,
		.output = o.output,
		.types = o.types,
		.source = o.source,
		.hardware = o.hardware,
		.l1_latency = o.l1_latency,
		.levels = o.levels,
		.binary = { o.binary, o.base != NULL, base },
		.machine = o.machine,
		.every = o.every,
		.regular = o.regular,
	};
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of writing */
	cmd_work_begin(&work);
	bool ok = ml_import_run(&io, importers(all), &result, &a, &err);
	cmd_work_end(&work);
	status = ok ? EXIT_DONE : cmd_fail(&cmd_import, &err);
	if (ok)
		summary(&result);
	ml_arena_release(&a);
	return status;
}

const struct cmd cmd_import = {
	.name = "import",
	.help = "read traces and samples of other tools, or make a trace from a model",
	.more_help = list_formats,
	.operands = "[INPUT]",
	.min_operands = 0,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
