#include "cli/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/ensemble_plan.h"
#include "cli/ensemble_ranks.h"
#include "cli/ensemble_show.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/say.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/analyse/ensemble/ensemble_run.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/buf.h"
#include "cli/work.h"
#include "lib/base/ranks.h"

enum { SAVE_SECONDS = 30 };

struct options {
	const char *output, *build, *run, *only_in, *from_mark, *to_mark, *phase;
	struct opt_list machines, match;
	uint64_t limit, from, to, bins, threads, interleave;
	bool fresh, dry_run, mpi;
	struct ensemble_show show;
};

static const struct opt opts[] = {
	OPT_LIST("machine", 'm', "TEMPLATE", machines,
		 "simulate these machines: a preset or a description, in which braces "
		 "stand for several values: {4K..256K x2}, {1,2,4,full}, {0..15} (host)"),
	OPT_TEXT("output", 'o', "FILE", output,
		 "keep the ensemble in FILE (.mle); one that is there is extended"),
	OPT_TEXT("build", 0, "COMMAND", build,
		 "build variants of a program: a shell command with braces, {out} being "
		 "the program to make"),
	OPT_TEXT("run", 0, "COMMAND", run,
		 "the command to record, of each variant; may have braces too ({out})"),
	OPT_COUNT("limit", 'l', "N", limit, "record N references of a variant at most"),
	OPT_TEXT("only-in", 'i', "FUNCTION", only_in,
		 "record variants only while FUNCTION runs, with all that it calls"),
	OPT_TEXT("from-mark", 0, "NAME", from_mark,
		 "record variants from the mark or phase NAME of memlamp.h on"),
	OPT_TEXT("to-mark", 0, "NAME", to_mark,
		 "record variants up to the mark or the end of phase NAME"),
	OPT_COUNT("from", 0, "N", from, "simulate from reference N on, caches empty"),
	OPT_COUNT("to", 0, "N", to, "simulate references before N"),
	OPT_TEXT("phase", 0, "NAME", phase,
		 "simulate from the first beginning of phase NAME to its end"),
	OPT_COUNT("bins", 0, "N", bins, "keep time in at most N bins (32768)"),
	OPT_COUNT("interleave", 0, "N", interleave,
		  "on machines with several cores: references of a thread in turn"),
	OPT_COUNT("threads", 'j', "N", threads,
		  "compute with N threads (one a processor)"),
	OPT_FLAG("mpi", 0, mpi,
		 "spread the members over the ranks that mpirun started (done by itself "
		 "where mpirun is recognised)"),
	OPT_FLAG("fresh", 0, fresh, "do not extend FILE: start anew"),
	OPT_FLAG("dry-run", 0, dry_run,
		 "list the members and what they cost; do nothing"),
	OPT_LIST(
		"match", 0, "A=B", match,
		"milestones at which times match: marks, phases, or lines of code, k-th "
		"visit to k-th visit: a.c:12=b.c:20, one for each trace in order, or one "
		"for all"),
	OPT_TEXT("time", 't', "HOW", show.time,
		 "raw, normalised, or matched (matched where --match is given)"),
	OPT_TEXT("base", 0, "TRACE", show.base,
		 "the trace that the others are fitted to (the longest)"),
	OPT_FLAG("volume", 0, show.volume,
		 "scale by the volume of accesses: what the same work costs"),
	OPT_TEXT("measure", 0, "MEASURE", show.measure,
		 "time (cycles a reference), served (share of a level), miss (ratio of a "
		 "level), memory (bytes a reference) or temperature (time)"),
	OPT_COUNT("level", 0, "N", show.level, "of served, miss and temperature (1)"),
	OPT_TEXT("weights", 0, "CYCLES", show.weights,
		 "cycles of each level, memory last: 3,15,300 (those of the machines)"),
	OPT_COUNT("window", 'w', "N", show.window,
		  "references of the moving average (a hundredth of the run)"),
	OPT_TEXT("against", 0, "MEMBER", show.against,
		 "subtract the curve of MEMBER: its label, or a part of it"),
	OPT_COUNT("second", 0, "K", show.second,
		  "K members whose sizes add up to --total: threads that share a cache"),
	OPT_SIZE("total", 0, "BYTES", show.total, "the size that they share"),
	OPT_TEXT("size", 0, "NAME", show.size,
		 "the parameter that is the size (the only one)"),
	OPT_COUNT("shift", 0, "N", show.shift,
		  "threads are shifted by up to N references (a hundredth of the run)"),
	OPT_TEXT("real", 0, "MEMBER", show.real,
		 "the member that simulated real threads, to judge the model by"),
	OPT_COUNT("top", 'n', "N", show.top, "rows of each table (40)"),
	OPT_TEXT("plot", 'p', "FILE", show.plot, "draw an SVG into FILE"),
	OPT_TEXT("as", 0, "KIND", show.as,
		 "of --plot: curves, parameter, map, spread, workingset, second or "
		 "multiples (curves, or second with --second)"),
	OPT_TEXT("colour", 0, "NAME", show.colour,
		 "of --plot: the parameter that colours go by (the first)"),
	OPT_TEXT(
		"envelope", 0, "KIND", show.envelope,
		"of --plot: what is shaded: range (within a pixel), deviation (of single "
		"references within the window) or none (range)"),
	OPT_COUNT("width", 0, "PIXELS", show.width, "width of the picture (960)"),
	OPT_COUNT("height", 0, "PIXELS", show.height, "its height (420)"),
	OPT_FLAG("dark", 0, show.dark, "light colours on a dark ground"),
	OPT_FLAG("json", 0, show.json, "print JSON, with the series"),
	OPT_TEXT("csv", 0, "TABLE", show.csv, "print a table as CSV: members or series"),
	OPT_COUNT("cells", 0, "N", show.cells, "points of a series (256)"),
	{ 0 },
};

/* What a call works with. */
struct work {
	const struct options *o;
	struct ensemble_plan plan;
	struct ml_ensemble e;
	const char *part; /* where this rank saves what it has so far; NULL: nowhere */
	struct ml_ranks ranks;
	struct cmd_work work;
	struct ml_arena arena;
};

static bool save(void *arg, const struct ml_ensemble *e, struct ml_err *err)
{
	const struct work *w = arg;

	return !w->part || ml_ensemble_save(e, w->part, err);
}

/* What an earlier run of this rank left behind. */
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

/* Plans on rank 0, simulates on all of them, saves on rank 0. */
static bool compute(struct work *w, int argc, char **argv, struct ml_err *err)
{
	bool ok = w->ranks.rank || ensemble_plan(&w->plan, argc, argv, err);

	/* so that whoever is interrupted finds the plan, and the other ranks their part
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
	struct say s;

	if (!ensemble_plan(&w->plan, argc, argv, err))
		return false;
	ml_ensemble_cost(&w->e, NULL, &c);
	say_start(&s, &out);
	for (size_t i = 0; i < w->e.member_count; i++)
		say(&s, "%-24s %s: %s%s\n", w->e.members[i].label,
		    w->e.traces[w->e.members[i].trace].label, w->e.members[i].machine,
		    w->e.members[i].done ? " (done)" : "");
	say(&s, "%zu %s to simulate in %zu %s over %s references\n", c.members,
	    say_plural(c.members, "member", "members"), c.passes,
	    say_plural(c.passes, "pass", "passes"), say_count(&s, c.references));
	say_end(&s);
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

/* Where the ensemble goes: as said, or into the only one that was given. */
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
				"memlamp ensemble: %s has what was done; the same command goes "
				"on from there\n",
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
	struct work w = { .o = &o };
	struct ml_err err = { 0 };
	int status;

	if (!options_parse(&cmd_ensemble, &o, &argc, &argv, &status))
		return status;
	prepare(&w);
	w.plan.output = output(&w, argc, argv);
	if (!argc && !o.build && !o.run)
		return cmd_misused(&cmd_ensemble,
				   "a trace, an ensemble, --build or --run is wanted");
	if ((o.build || o.run) && !w.plan.output)
		return cmd_misused(
			&cmd_ensemble,
			"--build and --run keep traces beside the ensemble: say "
			"where by -o FILE");
	if (!ensemble_show_check(&o.show, &err))
		return cmd_fail(&cmd_ensemble, &err);
	cmd_work_begin(&w.work);
	ml_ensemble_init(&w.e);
	bool ok = work(&w, argc, argv, &err);
	cmd_work_end(&w.work);
	status = ok ? EXIT_DONE : *err.text ? cmd_fail(&cmd_ensemble, &err) : EXIT_FAILED;
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
