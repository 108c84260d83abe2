#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/ensemble/ensemble_plan.h"
#include "cli/ensemble/ensemble_ranks.h"
#include "cli/ensemble/ensemble_show.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "lib/query/workspace/say.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "lib/base/lock.h"
#include "cli/work.h"
#include "lib/base/ranks.h"

enum { SAVE_SECONDS = 30 };

struct options {
	struct machine_without without;
	const char *output, *build, *run, *only_in, *from_mark, *to_mark, *phase;
	struct opt_list machines, match;
	uint64_t limit, from, to, bins, threads, interleave;
	bool fresh, dry_run, mpi;
	struct ensemble_show show;
};

static const struct opt opts[] = {
	OPT_LIST("machine", 'm', "TEMPLATE", machines,
		 "simulate machines: a preset or a text in which braces list values, "
		 "such as {4K..256K x2}, {1,2,4,full} or {0..15}; may be repeated "
		 "(default: host)"),
	OPT_WITHOUT,
	OPT_TEXT("output", 'o', "FILE", output,
		 "keep the ensemble in FILE (.mle); if FILE exists, extend it"),
	OPT_TEXT("build", 0, "COMMAND", build,
		 "build variants of a program: a shell command in which braces list "
		 "values and {out} is the program to make"),
	OPT_TEXT("run", 0, "COMMAND", run,
		 "record this command for each variant; braces list values and {out} is "
		 "the program"),
	OPT_COUNT("limit", 'l', "N", limit,
		  "record at most N references of each variant"),
	OPT_TEXT("only-in", 'i', "FUNCTION", only_in,
		 "record variants only while FUNCTION runs, with everything that it "
		 "calls"),
	OPT_TEXT("from-mark", 0, "NAME", from_mark,
		 "start recording variants at the mark or phase NAME (see memlamp.h)"),
	OPT_TEXT("to-mark", 0, "NAME", to_mark,
		 "stop recording variants at the mark NAME or at the end of phase NAME"),
	OPT_COUNT("from", 0, "N", from,
		  "start at reference N, with empty caches (default: 0)"),
	OPT_COUNT("to", 0, "N", to,
		  "end before reference N (default: the end of the trace)"),
	OPT_TEXT("phase", 0, "NAME", phase,
		 "simulate from the first begin of phase NAME to its end, with empty "
		 "caches"),
	OPT_COUNT("bins", 0, "N", bins,
		  "divide the time of a run into at most N bins (default: 32768)"),
	OPT_COUNT("interleave", 0, "N", interleave,
		  "simulate several cores by letting threads take turns of N references"),
	OPT_COUNT("threads", 'j', "N", threads,
		  "compute with N threads (default: one for each processor)"),
	OPT_FLAG("mpi", 0, mpi,
		 "spread the members over the ranks that mpirun started (default where "
		 "memlamp recognises mpirun)"),
	OPT_FLAG("fresh", 0, fresh, "start anew instead of extending FILE"),
	OPT_FLAG("dry-run", 0, dry_run,
		 "list the members and what they cost, and simulate nothing"),
	OPT_LIST("match", 0, "A=B", match,
		 "match the times of traces at milestones (marks, phases or lines of "
		 "code), visit by visit: a.c:12=b.c:20 names one milestone for each "
		 "trace in order, a single name is for all; may be repeated"),
	OPT_TEXT("time", 't', "HOW", show.time,
		 "compare at raw, normalised or matched time (default: raw, or matched "
		 "with --match)"),
	OPT_TEXT("base", 0, "TRACE", show.base,
		 "fit the times of the other traces to TRACE (default: the longest)"),
	OPT_FLAG("volume", 0, show.volume,
		 "scale by the number of accesses, to compare what the same work costs"),
	OPT_TEXT("measure", 0, "MEASURE", show.measure,
		 "show time (cycles a reference), served (share that a level serves), "
		 "miss (miss ratio of a level), memory (bytes a reference) or "
		 "temperature (default: time)"),
	OPT_COUNT("level", 0, "N", show.level,
		  "measure served, miss or temperature at level N (default: 1)"),
	OPT_TEXT("weights", 0, "CYCLES", show.weights,
		 "count so many cycles for each level, memory last, such as 3,15,300 "
		 "(default: those of the machines)"),
	OPT_COUNT("window", 'w', "N", show.window,
		  "average over N references (default: a hundredth of the run)"),
	OPT_TEXT("against", 0, "MEMBER", show.against,
		 "subtract the curve of MEMBER, named by its label or a unique part of "
		 "it"),
	OPT_COUNT("second", 0, "K", show.shared, NULL),
	OPT_COUNT("shared", 0, "K", show.shared,
		  "model K threads that share a cache of --total bytes: all ways to "
		  "choose K members whose sizes add up"),
	OPT_SIZE("total", 0, "BYTES", show.total,
		 "the size of the cache that the threads of --shared share"),
	OPT_TEXT("size", 0, "NAME", show.size,
		 "the parameter that --shared takes for the size (default: the only "
		 "size)"),
	OPT_COUNT("shift", 0, "N", show.shift,
		  "shift the threads of --shared by up to N references (default: a "
		  "hundredth of the run)"),
	OPT_TEXT("real", 0, "MEMBER", show.real,
		 "compare the model of --shared with MEMBER, which simulated real "
		 "threads"),
	OPT_COUNT("top", 'n', "N", show.top,
		  "print at most N rows of each table (default: 40)"),
	OPT_TEXT("plot", 'p', "FILE", show.plot, "draw an SVG into FILE"),
	OPT_TEXT(
		"as", 0, "KIND", show.as,
		"draw --plot as curves, spread, multiples, parameter, map, workingset or "
		"shared (default: curves, or shared with --shared)"),
	OPT_TEXT(
		"colour", 0, "NAME", show.colour,
		"colour the curves of --plot by the parameter NAME (default: the one that "
		"explains most of the differences)"),
	OPT_TEXT("facet", 0, "NAME", show.facet,
		 "draw a small chart for each value of the parameter NAME in multiples, "
		 "or for each member (default: the parameter beside the colours that "
		 "explains most of the differences)"),
	OPT_FLAG("peaks", 0, show.peaks,
		 "include rare peaks in the range of --plot, although the rest becomes "
		 "flat"),
	OPT_TEXT("envelope", 0, "KIND", show.envelope,
		 "shade around the curves of --plot: range (of the average within a "
		 "pixel), deviation (of single references within the window) or none "
		 "(default: range)"),
	OPT_COUNT("width", 0, "PIXELS", show.width,
		  "width of the picture (default: 960)"),
	OPT_COUNT("height", 0, "PIXELS", show.height,
		  "height of the picture (default: 420)"),
	OPT_FLAG("dark", 0, show.dark, "draw light colours on a dark background"),
	OPT_FLAG("json", 0, show.json, "print JSON, with the series"),
	OPT_TEXT("csv", 0, "TABLE", show.csv,
		 "print one table as CSV: members or series"),
	OPT_COUNT("cells", 0, "N", show.cells,
		  "print N points of each series (default: 256)"),
	{ 0 },
};

/* The state of one call. */
struct work {
	const struct options *o;
	struct ensemble_plan plan;
	struct ml_ensemble e;
	const char *part; /* file for unfinished results of this rank; NULL: none */
	struct ml_ranks ranks;
	struct cmd_work work;
	struct ml_lock lock; /* of the output */
	struct ml_arena arena;
};

static bool save(void *arg, const struct ml_ensemble *e, struct ml_err *err)
{
	const struct work *w = arg;

	return !w->part || ml_ensemble_save(e, w->part, err);
}

/* Takes the results that an earlier run of this rank left in its file. */
static bool take_part(struct work *w, struct ml_err *err)
{
	return !w->ranks.rank || !w->part || !ml_ensemble_is(w->part) ||
	       ensemble_merge_file(&w->e, w->part, err);
}

static bool simulate(struct work *w, struct ml_err *err)
{
	struct ml_ensemble_run r = {
		.threads = (unsigned)w->o->threads,
		.only = ensemble_share(&w->e, &w->ranks, &w->arena),
		.interleave = w->o->interleave,
		.work = &w->work.work,
		.every = w->part ? SAVE_SECONDS : 0,
		.save = save,
		.save_arg = w,
	};

	bool ok = take_part(w, err) && ml_ensemble_run(&w->e, &r, err);
	cmd_work_end(&w->work);
	return ok;
}

static bool all_done(const struct ml_ensemble *e)
{
	for (size_t i = 0; i < e->member_count; i++)
		if (!e->members[i].done)
			return false;
	return true;
}

/* Nobody else may add to the file meanwhile: who saves last would drop those members. */
static bool lock(struct work *w, struct ml_err *err)
{
	return !w->plan.output || ml_lock_take(&w->lock, w->plan.output, err);
}

/* Rank 0 plans, all ranks simulate, rank 0 saves. */
static bool compute(struct work *w, int argc, char **argv, struct ml_err *err)
{
	bool ok = w->ranks.rank ||
		  (lock(w, err) && ensemble_plan(&w->plan, argc, argv, err));

	if (ok && !w->ranks.rank)
		ensemble_show_keep(&w->e, &w->o->show, &w->o->match);
	/*
	 * after an interruption the next run finds the plan, and other ranks find their
	 * part
	 */
	if (ok && !w->ranks.rank && w->plan.output && !all_done(&w->e))
		ok = ml_ensemble_save(&w->e, w->plan.output, err);
	ok = ensemble_tell(&w->e, &w->ranks, ok, err);
	if (!ok)
		return false;
	ok = all_done(&w->e) || simulate(w, err);
	ok = ensemble_collect(&w->e, &w->ranks, ok, err);
	if (!w->ranks.rank && w->plan.output && (ok || err->kind == ML_STOPPED)) {
		struct ml_err full;

		if (!ml_ensemble_save(&w->e, w->plan.output, &full)) {
			*err = full;
			ok = false;
		}
	}
	if (ok && w->ranks.rank && w->part)
		unlink(w->part);
	return ok;
}

static bool dry_run(struct work *w, int argc, char **argv, struct ml_err *err)
{
	struct ml_ensemble_cost c;
	struct ml_buf out = { 0 };
	struct ml_say s;

	if (!ensemble_plan(&w->plan, argc, argv, err))
		return false;
	ml_ensemble_cost(&w->e, NULL, &c);
	ml_say_start(&s, &out, cmd_width());
	for (size_t i = 0; i < w->e.member_count; i++)
		ml_say(&s, "%-24s %s: %s%s\n", w->e.members[i].label,
		       w->e.traces[w->e.members[i].trace].label, w->e.members[i].machine,
		       w->e.members[i].done ? " (done)" : "");
	ml_say(&s, "%zu %s to simulate in %zu %s over %s references\n", c.members,
	       ml_say_plural(c.members, "member", "members"), c.passes,
	       ml_say_plural(c.passes, "pass", "passes"), ml_say_count(&s, c.references));
	ml_say_end(&s);
	bool ok = cmd_print(&cmd_ensemble, &out) == EXIT_DONE;
	ml_buf_release(&out);
	if (!ok)
		*err = (struct ml_err){ .kind = ML_IO };
	return ok;
}

static bool start_ranks(struct work *w, struct ml_err *err)
{
	bool many = w->o->mpi || ml_ranks_many();
	const char *plugin = many ? cmd_path_mpi(&w->arena) : NULL;

	if (many && !plugin)
		return ml_fail(err, ML_USAGE,
			       "this memlamp was built without MPI (no mpicc was found)");
	if (!ml_ranks_start(&w->ranks, plugin, err))
		return false;
	if (w->plan.output)
		w->part = w->ranks.rank ? ml_arena_printf(&w->arena, "%s.%dof%d.part",
							  w->plan.output, w->ranks.rank,
							  w->ranks.count)
					: w->plan.output;
	return true;
}

/* The output file: the one of -o, or the only ensemble among the operands. */
static const char *output(struct work *w, int argc, char **argv)
{
	const char *only = NULL;
	int ensembles = 0;

	if (w->o->output || !ensemble_computes(&w->plan, argc, argv))
		return w->o->output;
	for (int i = 0; i < argc; i++)
		if (ml_ensemble_is(argv[i])) {
			only = argv[i];
			ensembles++;
		}
	return ensembles == 1 ? only : NULL;
}

static bool work(struct work *w, int argc, char **argv, struct ml_err *err)
{
	if (!start_ranks(w, err))
		return false;
	if (w->o->dry_run)
		return w->ranks.rank || dry_run(w, argc, argv, err);
	if (!compute(w, argc, argv, err)) {
		if (err->kind == ML_STOPPED && w->plan.output && !w->ranks.rank)
			fprintf(stderr,
				"memlamp ensemble: %s holds the finished members; the "
				"same command continues from there\n",
				w->plan.output);
		return false;
	}
	return w->ranks.rank || ensemble_show(&w->e, &w->o->show, &w->o->match, err);
}

static void prepare(struct work *w)
{
	const struct options *o = w->o;

	w->plan = (struct ensemble_plan){
		.build = o->build,
		.run = o->run,
		.phase = o->phase,
		.machines = &o->machines,
		.without = o->without,
		.match = &o->match,
		.record = { .limit = o->limit,
			    .only_in = o->only_in,
			    .from_mark = o->from_mark,
			    .to_mark = o->to_mark },
		.from = o->from,
		.to = o->to,
		.bins = o->bins,
		.fresh = o->fresh,
		.work = &w->work,
		.e = &w->e,
		.arena = &w->arena,
	};
}

static int run(int argc, char **argv)
{
	struct options o = { .interleave = ML_INTERLEAVE_AUTO,
			     .show = ensemble_show_default };
	struct work w = { .o = &o, .lock = { .fd = -1 } };
	struct ml_err err = { 0 };
	int status;

	if (!options_parse(&cmd_ensemble, &o, &argc, &argv, &status))
		return status;
	prepare(&w);
	w.plan.output = output(&w, argc, argv);
	if (!argc && !o.build && !o.run)
		return cmd_misused(&cmd_ensemble,
				   "give a trace, an ensemble, --build or --run");
	if ((o.build || o.run) && !w.plan.output)
		return cmd_misused(
			&cmd_ensemble,
			"--build and --run need -o FILE: they keep traces beside the "
			"ensemble");
	if (!ensemble_show_check(&o.show, &err))
		return cmd_fail(&cmd_ensemble, &err);
	cmd_work_begin(&w.work);
	ml_ensemble_init(&w.e);
	bool ok = work(&w, argc, argv, &err);
	cmd_work_end(&w.work);
	status = ok ? EXIT_DONE : *err.text ? cmd_fail(&cmd_ensemble, &err) : EXIT_FAILED;
	ml_lock_release(&w.lock);
	ml_ranks_end(&w.ranks);
	ml_ensemble_release(&w.e);
	ml_arena_release(&w.arena);
	return status;
}

const struct cmd cmd_ensemble = {
	.name = "ensemble",
	.help = "simulate many machines or many traces and compare them",
	.operands = "[NAME=]TRACE[@PHASE]|ENSEMBLE...",
	.min_operands = 0,
	.max_operands = CMD_ANY,
	.opts = opts,
	.run = run,
};
