#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/query/trace/text/findings_text.h"
#include "cli/options.h"
#include "lib/query/workspace/say.h"
#include "cli/text/sim_text.h"
#include "lib/query/trace/text/sim_values.h"
#include "lib/query/trace/text/threshold.h"
#include "lib/query/trace/text/trace_notes.h"
#include "cli/work.h"
#include "lib/analyse/find/findings.h"
#include "lib/analyse/passes/replay.h"
#include "lib/analyse/result/simulation.h"
#include "lib/analyse/passes/reuse.h"
#include "lib/analyse/passes/temperature.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/lock.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/phases.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/trace/trace.h"

struct options {
	struct machine_without without;
	const char *machine, *csv, *output, *phase, *cores, *interleave;
	uint64_t top, from, to;
	bool json, quick, reuse, sampled, temperature, findings, list, no_cache;
	struct opt_list fail_if;
};

static const struct opt opts[] = {
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE: host (this machine), a name of --list-machines, or "
		 "a text such as 'L1 32K 8w | L2 1M 16w' (default: host)"),
	OPT_WITHOUT,
	OPT_FLAG("list-machines", 0, list,
		 "print the machines that have a name; --json adds the text and the "
		 "source of each"),
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows of each table (default: 10; all with --json and "
		  "--csv)"),
	OPT_FLAG("json", 0, json, "print everything as JSON"),
	OPT_TEXT("csv", 0, "TABLE", csv,
		 "print one table as CSV: levels, tlbs, regions, lines, functions, "
		 "phases, threads, sets, pairs, strides, bounces, series, temperature, "
		 "reuse or reuse_sites"),
	OPT_FLAG("quick", 'q', quick,
		 "only count hits and misses, which is much faster: no causes, used "
		 "bytes or strides"),
	OPT_FLAG("reuse", 0, reuse,
		 "add the miss ratio of every cache size, computed from stack distances"),
	OPT_FLAG("sampled", 0, sampled,
		 "compute --reuse from a sample of the lines and print its error: for "
		 "long traces"),
	OPT_FLAG("findings", 0, findings,
		 "add changes that would save time, and how much; memlamp tries them by "
		 "simulation"),
	OPT_FLAG("temperature", 0, temperature, "add the cache temperature over time"),
	OPT_COUNT("from", 0, "N", from,
		  "start at reference N, with empty caches (default: 0)"),
	OPT_COUNT("to", 0, "N", to,
		  "end before reference N (default: the end of the trace)"),
	OPT_TEXT("phase", 0, "NAME", phase,
		 "simulate from the first begin of phase NAME to its end, with empty "
		 "caches"),
	OPT_TEXT("interleave", 'i', "N", interleave,
		 "let threads take turns of N references; 0 keeps the recorded order "
		 "(default: 10 if the machine has several cores and memlamp recorded "
		 "the trace, else 0)"),
	OPT_TEXT("cores-map", 0, "LIST", cores,
		 "run each THREAD on its CORE: THREAD:CORE,... (default: cores in the "
		 "order of the threads' numbers)"),
	OPT_LIST("fail-if", 0, "EXPRESSION", fail_if,
		 "end with status 3 if EXPRESSION holds, such as 'L1.miss_ratio > 0.05' "
		 "or 'region(\"A\").L2.misses > 1M or cycles > 10'; may be repeated"),
	OPT_TEXT("output", 'o', "FILE.mls", output, "save the result in FILE.mls"),
	OPT_FLAG("no-cache", 0, no_cache, "neither use nor save a cached result"),
	{ 0 },
};

static int list_machines(bool json)
{
	static const struct ml_column columns[] = {
		{ "machine", .kind = ML_COLUMN_TEXT },
		{ "what", .kind = ML_COLUMN_TEXT, "what it is" },
		{ "text", .kind = ML_COLUMN_TEXT },
		{ "source", .kind = ML_COLUMN_TEXT },
	};
	struct ml_table t = { .columns = columns, .width = json ? 4 : 2 };
	struct ml_buf out = { 0 };
	struct ml_json w = { .out = &out, .indent = 1 };

	if (!json) {
		ml_table_text(&t, "host");
		ml_table_text(&t, "this machine");
	}
	for (const struct ml_preset *p = ml_presets; p->name; p++) {
		ml_table_text(&t, p->name);
		ml_table_text(&t, p->what);
		if (json) {
			ml_table_text(&t, p->text);
			ml_table_text(&t, p->source);
		}
	}
	if (json)
		ml_table_json(&t, &w);
	else
		ml_table_print(&t, 0, &out);
	ml_table_release(&t);
	int status = cmd_print(&cmd_sim, &out);
	ml_buf_release(&out);
	return status;
}

/* "1:0,2:1" */
static bool read_cores(const char *text, struct ml_replay_core *cores, size_t room,
		       size_t *count, struct ml_err *err)
{
	*count = 0;
	while (*text) {
		unsigned thread, core;
		int n = 0;

		if (sscanf(text, "%5u:%5u%n", &thread, &core, &n) != 2 || !thread ||
		    thread > UINT16_MAX || core > UINT16_MAX ||
		    (text[n] && text[n] != ','))
			return ml_fail(err, ML_USAGE,
				       "--cores-map needs THREAD:CORE,..., not '%s'",
				       text);
		if (*count == room)
			return ml_fail(err, ML_USAGE,
				       "--cores-map names too many threads");
		cores[(*count)++] = (struct ml_replay_core){ (uint16_t)thread,
							     (uint16_t)core };
		text += n + (text[n] == ',');
	}
	return true;
}

enum { CORES_MAPPED = 256 };

struct work {
	const struct options *o;
	struct ml_trace trace;
	struct ml_replay_options replay;
	struct ml_replay_core cores[CORES_MAPPED];
	struct ml_simulation simulation;
	struct ml_temperature_options scores;
	struct ml_temperature temperature;
	struct ml_reuse reuse;
	struct cmd_work work;
};

static bool prepare(struct work *w, struct ml_err *err)
{
	const struct options *o = w->o;
	struct ml_replay_options *r = &w->replay;
	uint64_t turn = 0;

	*r = (struct ml_replay_options){
		.from = o->from,
		.to = o->to,
		.interleave = ML_INTERLEAVE_AUTO,
		.want = o->quick ? 0 : ML_SIM_CAUSES | ML_SIM_USE,
		.work = &w->work.work,
		.cores = w->cores,
	};
	if (o->interleave && !options_number(o->interleave, 1000, &turn))
		return ml_fail(err, ML_USAGE, "--interleave needs a number, not '%s'",
			       o->interleave);
	if (o->interleave)
		r->interleave = turn;
	if (o->to && o->to <= o->from)
		return ml_fail(err, ML_USAGE,
			       "--to %llu must be greater than --from %llu",
			       (unsigned long long)o->to, (unsigned long long)o->from);
	if (o->from && o->from >= w->trace.count)
		return ml_fail(err, ML_USAGE,
			       "--from %llu is past the end: %s has %llu references",
			       (unsigned long long)o->from, w->trace.path,
			       (unsigned long long)w->trace.count);
	if (o->phase && (o->from || o->to))
		return ml_fail(err, ML_USAGE,
			       "--phase cannot be combined with --from or --to");
	return (!o->phase ||
		ml_phases_window(&w->trace, o->phase, &r->from, &r->to, err)) &&
	       machine_option(&r->machine, o->machine, &o->without, err) &&
	       (!o->cores ||
		read_cores(o->cores, w->cores, CORES_MAPPED, &r->core_count, err));
}

/* Reads the temperature from the outcomes of a kept result. */
static bool read_temperature(struct ml_result *kept, struct ml_thermometer *x,
			     struct ml_err *err)
{
	uint16_t *outcome = ml_resize(NULL, ML_RESULT_BLOCK * sizeof(*outcome));
	bool ok = true;

	for (uint64_t at = 0, n; ok && at < kept->refs; at += n) {
		n = kept->refs - at < ML_RESULT_BLOCK ? kept->refs - at : ML_RESULT_BLOCK;
		ok = ml_result_outcomes(kept, at, at + n, outcome, err);
		if (ok)
			ml_thermometer_run(x, kept->profile.machine.levels, outcome, n);
	}
	ml_free(outcome);
	return ok;
}

static bool obtain(struct work *w, struct ml_err *err)
{
	const struct options *o = w->o;
	struct ml_pass passes[ML_SIMULATION_PASSES];
	struct ml_simulation_options options = { .replay = w->replay,
						 .passes = passes,
						 .replays = o->reuse,
						 .no_cache = o->no_cache || o->quick,
						 .output = o->output,
						 .partial = true };
	struct ml_thermometer *thermometer = o->temperature
						     ? ml_thermometer_open(&w->scores)
						     : NULL;
	struct ml_reuser *reuser =
		o->reuse ? ml_reuser_open(w->replay.machine.level[0].line, o->sampled)
			 : NULL;

	if (thermometer)
		passes[options.pass_count++] = ml_thermometer_pass(thermometer);
	if (reuser)
		passes[options.pass_count++] = ml_reuser_pass(reuser);
	bool ok = ml_simulation_obtain(&w->simulation, &w->trace, &options, err);
	if (ok && w->simulation.has_result && thermometer)
		ok = read_temperature(&w->simulation.result, thermometer, err);
	if (thermometer)
		ml_thermometer_close(thermometer, &w->temperature);
	if (reuser)
		ml_reuser_close(reuser, &w->reuse);
	return ok;
}

static bool find(struct work *w, const struct ml_profile *p, struct ml_findings *f,
		 struct ml_err *err)
{
	struct ml_work silent = ml_work_silent(&w->work.work);
	struct ml_findings_options o = { .work = &silent, .partial = true };

	return ml_findings_make(f, &w->trace, p, &o, err);
}

static int print(struct work *w)
{
	const struct options *o = w->o;
	const struct ml_simulation *x = &w->simulation;
	uint64_t all = o->top ? o->top : UINT64_MAX;
	struct ml_buf out = { 0 }, crossed = { 0 };
	struct ml_profile_view v = {
		.trace = &w->trace,
		.profile = x->profile,
		.damage = x->damage,
		.stopped = x->stopped,
		.temperature = o->temperature ? &w->temperature : NULL,
		.scores = &w->scores,
		.reuse = o->reuse ? &w->reuse : NULL,
	};

	struct ml_findings findings = { 0 };
	struct ml_err err;
	if (o->findings && !x->stopped) {
		if (!find(w, v.profile, &findings, &err))
			return cmd_fail(&cmd_sim, &err);
		v.findings = &findings;
	}
	ml_profile_rows_make(&v.rows, v.trace, v.profile);
	if (o->json)
		ml_profile_json(&v, all, &out);
	else if (o->csv)
		ml_profile_csv(&v, o->csv, all, &out);
	else
		sim_text(&v, o->top, &out);
	if (v.findings && !o->json && !o->csv) {
		struct ml_say s;

		ml_say_start(&s, &out, cmd_width());
		ml_say(&s, "\n");
		ml_findings_print(&findings, v.trace, v.profile, &s);
		ml_say_end(&s);
	}
	ml_findings_release(&findings);
	int status = cmd_print(&cmd_sim, &out);
	if (status == EXIT_DONE && !x->stopped) /* a part says nothing about the whole */
		status = cmd_crossed(&cmd_sim,
				     ml_thresholds_test(o->fail_if.items,
							o->fail_if.count, cmd_sim.name,
							ml_sim_value, &v, &crossed, &err),
				     &crossed, &err);
	if (status == EXIT_DONE &&
	    (ml_trace_is_part(x, &w->trace) || (o->output && x->unkept)))
		status = EXIT_FAILED;
	ml_buf_release(&out);
	ml_profile_rows_release(&v.rows);
	return status;
}

/* True for tables that have no rows with --quick. */
static bool needs_all(const char *table)
{
	static const char *const tables[] = { "sets", "pairs", "strides" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (!strcmp(table, tables[i]))
			return true;
	return false;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct work w = { .o = &o, .scores = ml_temperature_default() };
	struct ml_lock lock; /* until the process ends */
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_sim, &o, &argc, &argv, &status))
		return status;
	if (o.list)
		return list_machines(o.json);
	if (!argc)
		return cmd_misused(
			&cmd_sim,
			"no trace is given; usage: memlamp sim [OPTION...] TRACE");
	if (o.csv && !ml_profile_has_table(o.csv, &err)) /* before long work */
		return cmd_misused(&cmd_sim, "%s", err.text);
	if (o.csv && o.quick && needs_all(o.csv))
		return cmd_misused(&cmd_sim, "--quick does not compute the table '%s'",
				   o.csv);
	o.reuse |= o.sampled || (o.csv && !strncmp(o.csv, "reuse", 5));
	o.temperature |= o.csv && !strcmp(o.csv, "temperature");
	signal(SIGPIPE, SIG_DFL); /* `memlamp sim x | head` ends without a word */
	if ((o.output && !ml_lock_take(&lock, o.output, &err)) ||
	    !ml_trace_open(&w.trace, argv[0], &err))
		return cmd_fail(&cmd_sim, &err);
	cmd_work_begin(&w.work);
	cmd_work_advise(
		&w.work, &cmd_sim,
		o.quick ? "--to N simulates a part"
			: "--quick counts hits and misses only, and --to N simulates a part");
	bool ok = prepare(&w, &err) &&
		  ml_sim_values_check(o.fail_if.items, o.fail_if.count, &w.replay.machine,
				      w.replay.want, &err) &&
		  obtain(&w, &err);
	cmd_work_end(&w.work);
	if (ok)
		cmd_note_unkept(&cmd_sim, &w.simulation);
	status = ok ? print(&w) : cmd_fail(&cmd_sim, &err);
	ml_simulation_release(&w.simulation);
	ml_temperature_release(&w.temperature);
	ml_reuse_release(&w.reuse);
	ml_trace_close(&w.trace);
	return status;
}

const struct cmd cmd_sim = {
	.name = "sim",
	.help = "simulate a machine on a trace: misses by line, region and function",
	.operands = "TRACE",
	.min_operands = 0,
	.max_operands = 1,
	.opts = opts,
	.run = run,
};
