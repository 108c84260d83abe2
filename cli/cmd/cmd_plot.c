#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/simulated.h"
#include "lib/query/report/report_window.h"
#include "lib/base/buf.h"
#include "lib/query/trace/open/open_sim.h"
#include "lib/query/drawing/picture.h"
#include "lib/query/trace/pictures/picture_regions.h"
#include "lib/query/trace/pictures/picture_time.h"
#include "lib/query/trace/tables/profile_rows.h"

enum { WIDTH = 960, TIME_HEIGHT = 320, REGIONS = 6 };

struct options {
	struct machine_without without;
	const char *output, *machine, *region, *mode, *phase;
	uint64_t from, to, width, height;
	bool dark;
};

static const struct opt opts[] = {
	OPT_TEXT("output", 'o', "FILE", output,
		 "write to FILE (default: standard output)"),
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE, as in 'memlamp sim' (default: host)"),
	OPT_WITHOUT,
	OPT_TEXT("region", 'r', "NAME", region,
		 "draw the region NAME, in heat and plane (default: the regions that "
		 "the program waits for most)"),
	OPT_TEXT("mode", 0, "MODE", mode,
		 "colour heat by count (accesses), misses, last (access), first "
		 "(write), reuse (references between two accesses), distance (lines "
		 "between two accesses) or used (share of the fetched bytes) (default: "
		 "misses)"),
	OPT_COUNT("from", 0, "N", from,
		  "start at reference N, with the caches as the run before left them "
		  "(default: 0)"),
	OPT_COUNT("to", 0, "N", to,
		  "end before reference N (default: the end of the trace)"),
	OPT_TEXT("phase", 0, "NAME", phase,
		 "draw phase NAME, from its first begin to its end"),
	OPT_COUNT("width", 0, "PIXELS", width, "width of the picture (default: 960)"),
	OPT_COUNT("height", 0, "PIXELS", height,
		  "height of the picture (default: what it needs)"),
	OPT_FLAG("dark", 0, dark, "draw light colours on a dark background"),
	{ 0 },
};

enum kind { TIMELINE, HEAT, PLANE, TEMPERATURE, KINDS };
static const char *const kinds[KINDS] = { "timeline", "heat", "plane", "temperature" };

struct plot {
	const struct options *o;
	enum kind kind;
	enum ml_heat_mode mode;
	struct simulated s;
};

/* Fails with a similar name, or with the regions that cost most. */
static bool no_region(const struct ml_profile_rows *rows, const char *name,
		      struct ml_err *err)
{
	struct spelling near = { .word = name };
	struct ml_buf list = { 0 };
	size_t shown = 0;

	for (size_t i = 0; i < rows->regions.count; i++)
		spelling_try(&near, rows->regions.at[i].name);
	if (near.best)
		return ml_fail(err, ML_USAGE,
			       "there is no region '%s'; did you mean '%s'?", name,
			       near.best);
	for (size_t i = 0; i < rows->regions.count && shown < REGIONS; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];

		if (ml_code_is_theirs(r->own, r->count.refs))
			continue;
		ml_buf_printf(&list, "%s%s", shown++ ? ", " : "", r->name);
	}
	ml_fail(err, ML_USAGE, "there is no region '%s'; regions are %.*s", name,
		(int)list.size, (const char *)list.data);
	ml_buf_release(&list);
	return false;
}

/* Chooses the regions of that name, or the regions that cost most. */
static bool choose(struct plot *x, const struct ml_profile_rows *rows, uint32_t *regions,
		   size_t *count, struct ml_err *err)
{
	const char *name = x->o->region;
	bool named = false;

	*count = 0;
	if (!name) {
		*count = ml_picture_costliest(x->s.window.sim, rows, regions,
					      x->kind == PLANE ? 1 : REGIONS);
		return *count ||
		       ml_fail(err, ML_USAGE,
			       "no region has a known size, so there is nothing to draw");
	}
	for (size_t i = 0; i < rows->regions.count && *count < REGIONS; i++) {
		const struct ml_profile_region_row *r = &rows->regions.at[i];

		if (strcmp(r->name, name) != 0)
			continue;
		named = true;
		if (ml_open_trace_extent(x->s.window.sim->trace, r->region))
			regions[(*count)++] = r->region;
	}
	if (named && !*count)
		return ml_fail(
			err, ML_USAGE,
			"the size of region '%s' is unknown, so it cannot be drawn",
			name);
	return named || no_region(rows, name, err);
}

static bool draw_regions(struct plot *x, struct ml_picture *p, struct ml_err *err)
{
	struct ml_report_window w = { .from = x->s.window.from, .to = x->s.window.to };
	struct ml_profile_rows rows;
	uint32_t regions[REGIONS];
	struct ml_picture_regions r = {
		.regions = regions,
		.question = { .mode = x->mode,
			      .from = x->s.window.from,
			      .to = x->s.window.to,
			      .work = &x->s.work.work },
		.width = (double)x->o->width,
		.height = (double)x->o->height,
	};

	if (!ml_report_window_open(&w, x->s.window.sim, &x->s.work.work, err))
		return false;
	ml_profile_rows_make(&rows, &x->s.window.sim->trace->trace, w.profile);
	bool ok = choose(x, &rows, regions, &r.count, err) &&
		  (x->kind == HEAT ? ml_picture_heat
				   : ml_picture_plane)(p, x->s.window.sim, &r, err);
	ml_profile_rows_release(&rows);
	ml_report_window_close(&w);
	return ok;
}

static bool draw(struct plot *x, struct ml_buf *out, struct ml_err *err)
{
	struct ml_picture p = { out, x->o->dark ? &ml_palette_dark : &ml_palette_light };
	struct ml_picture_window w = {
		.from = x->s.window.from,
		.to = x->s.window.to,
		.width = (double)x->o->width,
		.height = (double)(x->o->height ? x->o->height : TIME_HEIGHT),
	};

	switch (x->kind) {
	case TIMELINE: return ml_picture_timeline(&p, x->s.window.sim, &w, err);
	case TEMPERATURE: return ml_picture_temperature(&p, x->s.window.sim, &w, err);
	default: return draw_regions(x, &p, err);
	}
}

static int run(int argc, char **argv)
{
	struct options o = { .mode = "misses", .width = WIDTH };
	struct plot x = { .o = &o };
	struct ml_buf out = { 0 };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_plot, &o, &argc, &argv, &status))
		return status;
	while (x.kind < KINDS && strcmp(kinds[x.kind], argv[1]) != 0)
		x.kind++;
	if (x.kind == KINDS)
		return cmd_misused(
			&cmd_plot,
			"there is no picture '%s'; pictures are timeline, heat, plane "
			"and temperature",
			argv[1]);
	if (!ml_heat_mode_find(&x.mode, o.mode, &err))
		return cmd_misused(&cmd_plot, "--mode: %s", err.text);
	if (o.region && x.kind != HEAT && x.kind != PLANE)
		return cmd_misused(&cmd_plot,
				   "--region is for heat and plane, not for %s", argv[1]);
	if (!o.width || !cmd_side_fits(o.width) || !cmd_side_fits(o.height))
		return cmd_misused(&cmd_plot,
				   "--width and --height must be %d to %d pixels",
				   CMD_SIDE_MIN, CMD_SIDE_MAX);
	struct simulated_wish w = { .cmd = &cmd_plot,
				    .machine = o.machine,
				    .without = o.without,
				    .window = { argv[0], o.phase, o.from, o.to } };
	if (!simulated_open(&x.s, &w, &err))
		return cmd_fail(&cmd_plot, &err);
	bool ok = draw(&x, &out, &err);
	cmd_work_end(&x.s.work);
	ok = ok && simulated_write(&x.s.work.work, o.output, &out, &err);
	status = ok ? simulated_status(&x.s) : cmd_fail(&cmd_plot, &err);
	ml_buf_release(&out);
	simulated_close(&x.s);
	return status;
}

const struct cmd cmd_plot = {
	.name = "plot",
	.help = "draw one picture of a trace as SVG",
	.operands = "TRACE timeline|heat|plane|temperature",
	.min_operands = 2,
	.max_operands = 2,
	.opts = opts,
	.run = run,
};
