#include "cli/cmd.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/cycles_text.h"
#include "cli/options.h"
#include "cli/work.h"
#include "lib/analyse/cycles/cycles.h"
#include "lib/analyse/cycles/sequence_file.h"
#include "lib/analyse/cycles/trace_windows.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/base/json.h"
#include "lib/query/trace/tables/cycle_tables.h"
#include "lib/trace/trace.h"

struct options {
	uint64_t window, from, to, every, thread, classes, points, top, series, cells;
	const char *by, *symbols, *distances, *region, *function, *format, *threshold;
	bool json, reduced;
};

static const struct opt opts[] = {
	OPT_COUNT("window", 'w', "W", window,
		  "references (or symbols) in a window, 2 to 64 (default: 10)"),
	OPT_TEXT(
		"by", 'b', "WHAT", by,
		"what makes two references the same, besides being both reads or both writes: "
		"site (the instruction and the region), region, line or address (default: site)"),
	OPT_COUNT("from", 0, "TIME", from, "start at this reference, counted from 0"),
	OPT_COUNT("to", 0, "TIME", to, "end before this reference"),
	OPT_COUNT("thread", 't', "N", thread,
		  "only references of thread N (default: the first thread)"),
	OPT_TEXT("region", 'r', "NAME", region, "only references to the region NAME"),
	OPT_TEXT("function", 0, "NAME", function,
		 "only references made in the function NAME, or on behalf of it"),
	OPT_COUNT("every", 0, "N", every, "take each N-th reference only"),
	OPT_TEXT(
		"symbols", 0, "FILE", symbols,
		"look at the symbols of FILE, one a line, instead of a trace; an empty line "
		"breaks the sequence"),
	OPT_TEXT(
		"distances", 0, "FILE", distances,
		"look at points with these distances, the lower triangle of their matrix as "
		"ripser reads it"),
	OPT_TEXT("threshold", 0, "D", threshold,
		 "of --distances: leave out edges longer than D"),
	OPT_COUNT("classes", 'n', "N", classes,
		  "classes that get a coordinate (default: 8)"),
	OPT_COUNT(
		"points", 0, "N", points,
		"thin more than N distinct windows to a net, and say so (default: 50000)"),
	OPT_FLAG(
		"reduced", 0, reduced,
		"print the reduced classes instead of those found: sums of them whose turns count the uses of an instruction"),
	OPT_COUNT("series", 's', "K", series,
		  "print the angle of class K over time, counted from 1, as CSV or JSON"),
	OPT_COUNT("cells", 0, "N", cells, "moments of --series at most (default: 1000)"),
	OPT_COUNT("top", 0, "N", top, "lines of each class (default: 3; 20 in JSON)"),
	OPT_TEXT("format", 'f', "NAME", format, "text, csv or json (default: text)"),
	OPT_FLAG("json", 0, json, "the same as --format json"),
	{ 0 },
};

/* The input of an analysis: a trace, symbols or distances. */
struct source {
	struct ml_trace trace;
	struct ml_trace_windows trace_windows;
	struct ml_symbol_list symbols;
	struct ml_windows windows;
	struct ml_triangle triangle;
	struct ml_cycles cycles;
	struct ml_cycle_view view;
	struct ml_arena arena;
	bool trace_open, found;
	const char *name;
};

enum { MAX_FILE = 1 << 30 };

static bool read_file(struct source *s, const char *path, char **text, size_t *size,
		      struct ml_err *err)
{
	s->name = path;
	return ml_file_read(path, MAX_FILE, &s->arena, text, size, err);
}

static bool of_symbols(struct source *s, const struct options *o,
		       const struct ml_cycles_options *co, const struct ml_work *work,
		       struct ml_err *err)
{
	char *text;
	size_t size, from = 0;

	if (!read_file(s, o->symbols, &text, &size, err) ||
	    !ml_symbol_list_parse(&s->symbols, text, size, o->symbols, err))
		return false;
	ml_windows_init(&s->windows, (uint32_t)o->window);
	for (size_t i = 0; i <= s->symbols.break_count; i++) {
		size_t to = i < s->symbols.break_count ? s->symbols.breaks[i]
						       : s->symbols.count;

		ml_windows_break(&s->windows);
		ml_windows_add(&s->windows, s->symbols.symbols + from, to - from);
		from = to;
	}
	if (!s->windows.count)
		return ml_fail(err, ML_USAGE,
			       "%s: %zu symbols are too few for a window of %u",
			       o->symbols, s->symbols.count, s->windows.width);
	if (!ml_cycles_init(&s->cycles, &s->windows, s->symbols.names.count, co, work,
			    err))
		return false;
	s->found = true;
	ml_cycle_view_of_symbols(&s->view, &s->cycles, &s->symbols);
	return true;
}

static bool of_distances(struct source *s, const struct options *o,
			 const struct ml_cycles_options *co, const struct ml_work *work,
			 struct ml_err *err)
{
	double threshold = INFINITY;
	char *text, *rest;
	size_t size;

	if (o->threshold) {
		threshold = strtod(o->threshold, &rest);
		if (!*o->threshold || *rest || !(threshold >= 0))
			return ml_fail(err, ML_USAGE, "--threshold '%s' is no distance",
				       o->threshold);
	}
	if (!read_file(s, o->distances, &text, &size, err) ||
	    !ml_triangle_parse(&s->triangle, text, size, o->distances, err) ||
	    !ml_cycles_of_distances(&s->cycles, s->triangle.values, s->triangle.points,
				    threshold, co, work, err))
		return false;
	s->found = true;
	s->view = (struct ml_cycle_view){ .cycles = &s->cycles };
	return true;
}

static bool of_trace(struct source *s, const char *path, const struct options *o,
		     const struct ml_cycles_options *co, const struct ml_work *work,
		     struct ml_err *err)
{
	struct ml_trace_windows_options wo = { .width = (uint32_t)o->window,
					       .from = o->from,
					       .to = o->to,
					       .every = o->every,
					       .thread = (uint16_t)o->thread,
					       .region = o->region,
					       .func = o->function };

	s->name = path;
	while (strcmp(ml_cycles_by_names[wo.by], o->by) != 0)
		if (!ml_cycles_by_names[++wo.by])
			return ml_fail(err, ML_USAGE,
				       "--by is site, region, line or address, not '%s'",
				       o->by);
	if (!ml_trace_open(&s->trace, path, err))
		return false;
	s->trace_open = true;
	if (!ml_trace_windows_init(&s->trace_windows, &s->trace, &wo, work, err) ||
	    !ml_cycles_init(&s->cycles, &s->trace_windows.windows,
			    s->trace_windows.symbol_count, co, work, err))
		return false;
	s->found = true;
	ml_cycle_view_of_trace(&s->view, &s->cycles, &s->trace_windows, &s->trace.tables);
	return true;
}

static void close_source(struct source *s)
{
	ml_cycle_view_release(&s->view);
	if (s->found)
		ml_cycles_release(&s->cycles);
	ml_trace_windows_release(&s->trace_windows);
	ml_windows_release(&s->windows);
	ml_symbol_list_release(&s->symbols);
	ml_triangle_release(&s->triangle);
	if (s->trace_open)
		ml_trace_close(&s->trace);
	ml_arena_release(&s->arena);
}

static int print(struct source *s, const struct options *o)
{
	struct cycles_wish wish = { .name = s->name,
				    .by = s->view.trace ? o->by : NULL,
				    .reduced = o->reduced,
				    .top = o->top              ? o->top
					   : *o->format == 'j' ? 20
							       : 3,
				    .cells = o->cells };
	const struct ml_cycle_list *list = o->reduced ? &s->cycles.reduced
						      : &s->cycles.found;
	struct ml_buf out = { 0 };

	if (o->series) {
		if (!s->cycles.windows)
			return cmd_misused(&cmd_cycles,
					   "--series needs a trace or symbols: points "
					   "have no time");
		if (o->series > list->count || list->at[o->series - 1].refused)
			return cmd_misused(
				&cmd_cycles,
				"there is no class %llu with a coordinate among %zu",
				(unsigned long long)o->series, list->count);
		cycles_series(&s->view, &list->at[o->series - 1], &wish,
			      *o->format == 'j', &out);
	} else if (*o->format == 'j') {
		struct ml_json w = { .out = &out, .indent = 2 };

		ml_json_object(&w);
		ml_cycle_json(&s->view, wish.top, &w);
		ml_json_end(&w);
	} else if (*o->format == 'c') {
		cycles_csv(&s->view, list, &wish, &out);
	} else {
		cycles_text(&s->view, list, &wish, &out);
	}
	int status = cmd_print(&cmd_cycles, &out);
	ml_buf_release(&out);
	return status;
}

static int check(const struct options *o, int operands)
{
	int sources = operands + (o->symbols != NULL) + (o->distances != NULL);

	if (sources != 1)
		return cmd_misused(&cmd_cycles,
				   "give one of a trace, --symbols and --distances");
	if (o->window < ML_WINDOW_MIN || o->window > ML_WINDOW_MAX)
		return cmd_misused(&cmd_cycles, "--window is %d to %d", ML_WINDOW_MIN,
				   ML_WINDOW_MAX);
	if (strcmp(o->format, "text") && strcmp(o->format, "csv") &&
	    strcmp(o->format, "json"))
		return cmd_misused(&cmd_cycles, "--format is text, csv or json, not '%s'",
				   o->format);
	if (o->thread > UINT16_MAX)
		return cmd_misused(&cmd_cycles, "threads are numbered from 1 to 65535");
	if (!o->classes || o->classes > 1000)
		return cmd_misused(&cmd_cycles, "--classes is 1 to 1000");
	if (o->points < 4 || o->points > 1000000)
		return cmd_misused(&cmd_cycles, "--points is 4 to 1000000");
	if (!o->cells || o->cells > 10000000)
		return cmd_misused(&cmd_cycles, "--cells is 1 to 10000000");
	if (!o->every)
		return cmd_misused(&cmd_cycles, "--every is 1 or more");
	if (o->threshold && !o->distances)
		return cmd_misused(&cmd_cycles, "--threshold needs --distances");
	return EXIT_DONE;
}

static int run(int argc, char **argv)
{
	struct options o = { .window = 10,
			     .to = UINT64_MAX,
			     .classes = 8,
			     .points = 50000,
			     .cells = 1000,
			     .every = 1,
			     .by = "site",
			     .format = "text" };
	struct source s = { 0 };
	struct cmd_work work;
	struct ml_err err = { 0 };
	int status;

	if (!options_parse(&cmd_cycles, &o, &argc, &argv, &status))
		return status;
	if (o.json)
		o.format = "json";
	status = check(&o, argc);
	if (status != EXIT_DONE)
		return status;
	struct ml_cycles_options co = { .coordinates = (uint32_t)o.classes,
					.max_points = (uint32_t)o.points };

	signal(SIGPIPE, SIG_DFL); /* `memlamp cycles x | head` ends without a word */
	cmd_work_begin(&work);
	bool ok = o.symbols     ? of_symbols(&s, &o, &co, &work.work, &err)
		  : o.distances ? of_distances(&s, &o, &co, &work.work, &err)
				: of_trace(&s, argv[0], &o, &co, &work.work, &err);
	cmd_work_end(&work);
	if (ok && s.view.trace)
		cmd_warn_end(&cmd_cycles, &s.trace);
	if (ok && s.view.trace && s.trace_windows.thread && !o.thread)
		fprintf(stderr,
			"memlamp cycles: %s has several threads; this is thread %u "
			"(--thread N for another)\n",
			s.name, s.trace_windows.thread);
	status = ok ? print(&s, &o) : cmd_fail(&cmd_cycles, &err);
	close_source(&s);
	return status;
}

const struct cmd cmd_cycles = {
	.name = "cycles",
	.help = "find what recurs in a trace, by topology",
	.operands = "[TRACE]",
	.min_operands = 0,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
