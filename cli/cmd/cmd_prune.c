#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/prune/prune_show.h"
#include "cli/prune/prune_tune.h"
#include "cli/work.h"
#include "lib/analyse/ensemble/ensemble.h"
#include "lib/base/buf.h"
#include "lib/prune/search.h"

struct options {
	struct prune_show show;
	struct prune_tune tune;
	const char *engine, *cc;
	uint64_t threads;
	bool time;
};

static const struct opt opts[] = {
	OPT_TEXT(
		"order", 0, "A,B,...", show.order,
		"apply constraints in this order, for the relative columns; constraints that are "
		"not named follow (default: as they stand)"),
	OPT_FLAG("pairs", 0, show.pairs,
		 "show for each two constraints how many variants both eliminate"),
	OPT_COUNT("combinations", 'c', "N", show.combinations,
		  "show the N largest combinations of constraints"),
	OPT_TEXT(
		"where", 'w', "A,!B,...", show.where,
		"list the variants that fail A and pass B (default: those that pass all)"),
	OPT_COUNT("list", 'l', "N", show.list, "list the first N of these variants"),
	OPT_COUNT("sample", 's', "N", show.sample,
		  "list N of these variants, drawn by lot"),
	OPT_COUNT("seed", 0, "N", show.seed, "draw lots by the number N (default: 1)"),
	OPT_FLAG("histograms", 'H', show.histograms,
		 "show how often each value of a parameter occurs among these variants"),
	OPT_COUNT("bins", 0, "N", show.bins,
		  "draw at most N bars of a histogram (default: 16)"),
	OPT_COUNT(
		"nearest", 'n', "N", show.nearest,
		"list the N variants that fail the fewest constraints, the narrowest first "
		"(default: 5 if nothing survives)"),
	OPT_TEXT(
		"output", 'o', "FILE", tune.output,
		"simulate: keep the results in this ensemble (.mle), and traces in a folder "
		"beside it; without --build and --run, rank the results that are in it"),
	OPT_TEXT(
		"build", 0, "COMMAND", tune.build,
		"build a variant by this shell command: {NAME} is the value of a parameter, "
		"{NAME.1} the first word of a permutation, {out} the program"),
	OPT_TEXT("run", 0, "COMMAND", tune.run,
		 "record this command ({out}), without a shell; the same braces"),
	OPT_LIST("machine", 'm', "MACHINE", tune.machines,
		 "simulate MACHINE; may be repeated (default: host)"),
	OPT_COUNT(
		"tune", 't', "N", tune.count,
		"simulate N variants (default: 32), drawn by lot: half of them survive, the "
		"other half fail soft constraints only; with --where, draw from its "
		"variants; a space with a flow needs neither --build nor --run nor -o"),
	OPT_COUNT(
		"best", 0, "N", tune.best,
		"say how many of the N best each soft constraint removes (default: 10)"),
	OPT_COUNT("top", 0, "N", tune.top,
		  "print at most N rows of the ranking (default: 20)"),
	OPT_COUNT("limit", 0, "N", tune.limit,
		  "record at most N references of a variant"),
	OPT_FLAG("json", 0, show.json, "print JSON"),
	OPT_TEXT("csv", 0, "TABLE", show.csv,
		 "print a table as CSV: combinations (which memlamp reads again), "
		 "constraints, pairs or variants"),
	OPT_TEXT("engine", 0, "ENGINE", engine,
		 "evaluate by native (the C compiler), interpreter, or auto, which "
		 "compiles large spaces (default: auto)"),
	OPT_TEXT("cc", 0, "COMPILER", cc, "run this C compiler (default: $CC, or cc)"),
	OPT_COUNT("threads", 'j', "N", threads,
		  "compute with N threads (default: one for each processor)"),
	OPT_FLAG("time", 0, time, "say on stderr how long the evaluation took"),
	{ 0 },
};

static bool read_engine(const char *text, enum ml_prune_engine *engine)
{
	static const char *const names[] = { "auto", "interpreter", "native" };

	for (size_t i = 0; i < 3; i++)
		if (!strcmp(text, names[i])) {
			*engine = (enum ml_prune_engine)i;
			return true;
		}
	return false;
}

/* Records and simulates variants, and ranks them behind the rest. */
static bool tune(struct ml_search *s, const struct options *o, struct cmd_work *w,
		 struct ml_buf *out, struct ml_err *err)
{
	struct prune_tune tune = o->tune;
	struct prune_show show = o->show;
	struct ml_ensemble e;

	tune.seed = show.seed;
	tune.where = show.where;
	show.tune = &tune;
	show.tuned = &e;
	ml_ensemble_init(&e);
	bool ok = prune_tune(s, &tune, w, &e, err) &&
		  prune_show(s, &show, &w->work, out, err);
	if (!ok && err->kind == ML_STOPPED && e.member_count)
		fprintf(stderr,
			"memlamp prune: %s has what was done; the same command continues\n",
			tune.output);
	ml_ensemble_release(&e);
	return ok;
}

static bool work(struct ml_search *s, const struct options *o,
		 enum ml_prune_engine engine, struct cmd_work *w, struct ml_buf *out,
		 struct ml_err *err)
{
	if (!ml_search_evaluate(s, engine, o->cc, (unsigned)o->threads, &w->work, err))
		return false;
	if (s->described && *s->prune.reason)
		fprintf(stderr, "memlamp prune: interpreted, not compiled: %s\n",
			s->prune.reason);
	if (o->time)
		fprintf(stderr, "%s: %.1f ms to compile, %.1f ms to evaluate\n",
			s->prune.is_native ? "native" : "interpreter",
			1e3 * s->seconds[0], 1e3 * s->seconds[1]);
	if (!prune_tunes(s, &o->tune))
		return prune_show(s, &o->show, &w->work, out, err);
	return tune(s, o, w, out, err);
}

static int run(int argc, char **argv)
{
	struct options o = { .engine = "auto",
			     .show.seed = 1,
			     .tune = { .best = 10, .top = 20 } };
	struct ml_search s;
	struct cmd_work w;
	struct ml_buf out = { 0 };
	struct ml_err err = { 0 };
	enum ml_prune_engine engine;
	int status;

	if (!options_parse(&cmd_prune, &o, &argc, &argv, &status))
		return status;
	if (!read_engine(o.engine, &engine))
		return cmd_misused(&cmd_prune,
				   "--engine is auto, native or interpreter, not '%s'",
				   o.engine);
	if ((o.tune.build || o.tune.run) && !o.tune.output)
		return cmd_misused(
			&cmd_prune,
			"--build and --run keep traces beside the ensemble: say "
			"where by -o FILE");
	if (!prune_show_check(&o.show, &err) || !ml_search_open(&s, argv[0], &err))
		return cmd_fail(&cmd_prune, &err);
	cmd_work_begin(&w);
	bool ok = work(&s, &o, engine, &w, &out, &err);
	cmd_work_end(&w);
	status = ok ? cmd_print(&cmd_prune, &out) : cmd_fail(&cmd_prune, &err);
	ml_buf_release(&out);
	ml_search_close(&s);
	return status;
}

const struct cmd cmd_prune = {
	.name = "prune",
	.help = "evaluate a search space: what its constraints eliminate, and what is left",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
