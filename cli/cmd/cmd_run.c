#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/query/trace/text/diff_text.h"
#include "cli/ended.h"
#include "cli/options.h"
#include "cli/output_name.h"
#include "cli/paths.h"
#include "cli/text/run_text.h"
#include "lib/query/workspace/say.h"
#include "lib/query/trace/text/sim_values.h"
#include "lib/query/trace/text/threshold.h"
#include "lib/query/trace/text/trace_notes.h"
#include "cli/work.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/growfile.h"
#include "lib/base/newfile.h"
#include "lib/base/path.h"
#include "lib/base/progress.h"
#include "lib/base/table.h"
#include "lib/query/trace/tables/analysed_trace.h"
#include "lib/query/trace/tables/compare.h"
#include "lib/query/trace/tables/profile_tables.h"
#include "lib/query/trace/tables/promises.h"
#include "record/session/session.h"

struct options {
	struct machine_without without;
	const char *output, *machine, *only_in, *from_mark, *to_mark, *prove, *every,
		*report;
	uint64_t limit, skip, top, interleave, window;
	struct opt_list fail_if;
	bool json, quiet, values;
};

static const struct opt opts[] = {
	OPT_TEXT("machine", 'm', "MACHINE", machine,
		 "simulate MACHINE, as in 'memlamp sim' (default: host)"),
	OPT_WITHOUT,
	OPT_TEXT(
		"output", 'o', "FILE", output,
		"write the trace to FILE, as in 'memlamp record' (default: PROGRAM.mlt in the "
		"current folder)"),
	OPT_COUNT("limit", 'l', "N", limit,
		  "record at most N references; the program then goes on unrecorded"),
	OPT_COUNT("skip", 's', "N", skip, "leave out the first N references"),
	OPT_TEXT("every", 'e', "K/N", every, "record K references of every N"),
	OPT_TEXT("only-in", 'i', "FUNCTION", only_in,
		 "record only while FUNCTION runs, with everything that it calls"),
	OPT_TEXT("from-mark", 0, "NAME", from_mark,
		 "start recording at the mark or phase NAME (see memlamp.h)"),
	OPT_TEXT("to-mark", 0, "NAME", to_mark,
		 "stop recording at the mark NAME or at the end of phase NAME"),
	OPT_COUNT("interleave", 0, "N", interleave,
		  "simulate several cores by letting threads take turns of N references"),
	OPT_COUNT("window", 0, "N", window,
		  "try changes on at most N references; more take longer (default: 20M)"),
	OPT_TEXT(
		"prove", 0, "BEFORE.mlt", prove,
		"print what the findings in an earlier trace of the program promised, and "
		"what came true"),
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows of each table (default: 5)"),
	OPT_FLAG(
		"values", 0, values,
		"keep the range of the values that are stored, to find integers that are "
		"too wide; recording then takes longer"),
	OPT_TEXT("report", 0, "FILE", report,
		 "write the findings to FILE; '-' is standard output (default: standard "
		 "output if it is a terminal, else standard error, because the output of "
		 "the program is its own)"),
	OPT_FLAG("quiet", 'q', quiet,
		 "print no findings; --report and --fail-if still work"),
	OPT_LIST("fail-if", 0, "EXPRESSION", fail_if,
		 "end with status 3 if EXPRESSION holds, as in 'memlamp sim'; may be "
		 "repeated"),
	OPT_FLAG("json", 0, json, "print JSON, to standard output or the --report"),
	{ 0 },
};

static void show_recording(void *arg, uint64_t refs, uint64_t bytes)
{
	char count[ML_NUMBER_ROOM], size[ML_NUMBER_ROOM];

	ml_progress_line(arg, "recording: %s references, %s",
			 ml_format_count(count, refs), ml_format_bytes(size, bytes));
}

static void rest(void *arg)
{
	ml_progress_rest(arg);
}

static bool is_file(const struct options *o)
{
	return o->report && strcmp(o->report, "-") != 0;
}

static int write_file(const char *path, const struct ml_buf *out)
{
	struct ml_newfile f;
	struct ml_err err;

	if (!ml_newfile_open(&f, path, &err))
		return cmd_fail(&cmd_run, &err);
	if (ml_newfile_write(&f, out->data, out->size, &err))
		return ml_newfile_close(&f, &err) ? EXIT_DONE : cmd_fail(&cmd_run, &err);
	ml_newfile_abandon(&f);
	return cmd_fail(&cmd_run, &err);
}

/*
 * Prints the report where the user wants it. Into a file or pipe that receives the
 * output of the program it goes only on request.
 */
static int deliver(const struct options *o, struct ml_buf *out)
{
	if (is_file(o))
		return write_file(o->report, out);
	if (o->quiet && !o->report)
		return EXIT_DONE;
	if (o->report || o->json || isatty(STDOUT_FILENO))
		return cmd_print(&cmd_run, out);
	return fwrite(out->data, 1, out->size, stderr) == out->size ? EXIT_DONE
								    : EXIT_FAILED;
}

/* The options that choose the same machine in another command, each with a blank before
 * it. */
static const char *machine_words(const struct options *o, struct ml_arena *a)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-";
	bool quote = o->machine && o->machine[strspn(o->machine, plain)];

	return ml_arena_printf(a, "%s%s%s%s%s%s", o->machine ? " --machine " : "",
			       quote ? "'" : "", o->machine ? o->machine : "",
			       quote ? "'" : "",
			       o->without.prefetch ? " --no-prefetch" : "",
			       o->without.tlb ? " --no-tlb" : "");
}

static int print(struct ml_analysed_trace *s, const struct options *o, const char *path,
		 const char *program)
{
	struct ml_arena a = { 0 };
	struct ml_buf out = { 0 };

	if (o->json)
		run_json(s, path, &out);
	else
		run_text(s, path, program, machine_words(o, &a), o->top, &out);
	ml_arena_release(&a);
	int status = deliver(o, &out);
	ml_buf_release(&out);
	return status;
}

/*
 * Of several processes, the one with the most references is the program itself: a shell
 * that starts it makes few.
 */
static const struct ml_recording *main_recording(const struct ml_session *s)
{
	const struct ml_recording *best = &s->recordings[0];

	for (size_t i = 0; i < s->count; i++) {
		const struct ml_recording *r = &s->recordings[i];

		if (!r->ok)
			fprintf(stderr, "memlamp run: %s\n", r->err.text);
		if (r->warning)
			fprintf(stderr, "memlamp run: %s: warning: %s\n", r->path,
				r->warning);
		if (r->refs > best->refs)
			best = r;
	}
	if (s->complaint)
		fprintf(stderr, "memlamp run: Valgrind says: %s\n", s->complaint);
	if (s->count > 1)
		fprintf(stderr,
			"memlamp run: %zu processes were recorded; the analysis is of "
			"%s (%s)\n",
			s->count, best->command, best->path);
	return best;
}

/* Compares with the promises of an earlier trace. */
static bool prove(struct ml_analysed_trace *after, const struct options *o,
		  const struct ml_analysed_trace_options *options, struct ml_err *err)
{
	struct ml_analysed_trace before;
	struct ml_compare c;
	struct ml_buf out = { 0 };

	if (!ml_analysed_trace_open(&before, o->prove, options, err))
		return false;
	ml_compare_make(&c, &before, after);
	if (o->json) {
		struct ml_arena a = { 0 };
		struct ml_promises p = ml_promises_make(&c, &a);

		ml_promises_json(&p, &out);
		ml_arena_release(&a);
	} else {
		ml_diff_promises(&c, cmd_width(), &out);
	}
	int status = deliver(o, &out);
	ml_buf_release(&out);
	ml_compare_release(&c);
	ml_analysed_trace_close(&before);
	return status == EXIT_DONE;
}

/* Tests the expressions of --fail-if. */
static int test(struct ml_analysed_trace *s, const struct options *o)
{
	struct ml_profile_view v = { .trace = &s->trace,
				     .profile = s->simulation.profile,
				     .rows = s->rows,
				     .damage = s->simulation.damage };
	struct ml_buf crossed = { 0 };
	struct ml_err err;

	bool tested = ml_thresholds_test(o->fail_if.items, o->fail_if.count, cmd_run.name,
					 ml_sim_value, &v, &crossed, &err);
	return cmd_crossed(&cmd_run, tested, &crossed, &err);
}

/* *threshold: EXIT_CROSSED if an expression of --fail-if holds. */
static bool analyse(const struct ml_session *session, const struct options *o,
		    const struct ml_machine *machine, int *threshold, struct ml_err *err)
{
	const struct ml_recording *r = main_recording(session);

	if (session->ended_by)
		return ml_fail(err, ML_STOPPED,
			       "stopped; %s holds what was recorded until then", r->path);
	struct ml_analysed_trace s;
	struct cmd_work work;
	struct ml_analysed_trace_options options = { .machine = *machine,
						     .interleave = o->interleave,
						     .window = o->window,
						     .work = &work.work,
						     .partial = true };

	cmd_work_begin(&work);
	cmd_work_advise(&work, &cmd_run,
			"--limit N records a part, --window N tries changes on fewer "
			"references, and memlamp sim --quick counts only");
	bool ok = ml_analysed_trace_open(&s, r->path, &options, err);
	bool proved = ok && o->prove && prove(&s, o, &options, err);
	bool stopped = ml_work_cancelled(&work.work);
	cmd_work_end(&work);
	if (!ok)
		return false;
	cmd_note_unkept(&cmd_run, &s.simulation);
	*threshold = test(&s, o);
	if (o->prove) {
		ml_analysed_trace_close(&s);
		if (proved && !r->ok) {
			err->kind = ML_IO;
			err->text[0] = 0;
		}
		return proved && r->ok;
	}
	ok = print(&s, o, r->path, session->argv[0]) == EXIT_DONE && r->ok && !stopped &&
	     !ml_trace_is_part(&s.simulation, &s.trace);
	ml_analysed_trace_close(&s);
	err->kind = ok ? ML_OK : ML_IO; /* errors are printed already */
	err->text[0] = 0;
	return ok;
}

static bool record(struct ml_session *s, const struct options *o, char **argv,
		   struct ml_err *err)
{
	struct ml_progress progress;

	s->options = (struct ml_record_options){ .limit = o->limit,
						 .skip = o->skip,
						 .only_in = o->only_in,
						 .from_mark = o->from_mark,
						 .to_mark = o->to_mark,
						 .values = o->values };
	if (o->every)
		options_share(o->every, &s->options.keep, &s->options.of);
	s->argv = argv;
	if (!cmd_output_name(o->output, argv[0], &s->arena, &s->output, err))
		return false;
	s->valgrind_lib = cmd_path_valgrind(&s->arena);
	if (!o->quiet)
		cmd_ended_foresee(argv[0]);
	s->tick = show_recording;
	s->tick_arg = &progress;
	ml_progress_start(&progress, stderr);
	if (o->quiet)
		s->tick = NULL;
	if (isatty(STDIN_FILENO)) { /* the program may ask its user */
		s->rest = rest;
		ml_progress_park(&progress);
	}
	bool ok = ml_session_run(s, err);
	ml_progress_end(&progress);
	return ok;
}

static int run(int argc, char **argv)
{
	struct options o = { .top = 5, .interleave = ML_INTERLEAVE_AUTO };
	struct ml_session s = { 0 };
	struct ml_machine machine;
	struct ml_err err = { 0 };
	uint64_t keep, of;
	int status, threshold = EXIT_DONE;

	if (!options_parse(&cmd_run, &o, &argc, &argv, &status))
		return status;
	/* before the program runs, so that a misspelt machine fails at once */
	if (!machine_option(&machine, o.machine, &o.without, &err))
		return cmd_fail(&cmd_run, &err);
	if (!ml_sim_values_check(o.fail_if.items, o.fail_if.count, &machine,
				 ML_SIM_CAUSES, &err))
		return cmd_fail(&cmd_run, &err);
	if (o.every && !options_share(o.every, &keep, &of))
		return cmd_misused(&cmd_run,
				   "--every is K/N, such as 1000/100000, not '%s'",
				   o.every);
	if (o.prove && access(o.prove, R_OK)) {
		ml_fail_errno(&err, "%s", o.prove);
		return cmd_fail(&cmd_run, &err);
	}
	/* likewise a report that nobody could write */
	if (is_file(&o) && !ml_growfile_check(o.report, &err))
		return cmd_fail(&cmd_run, &err);
	bool ok = record(&s, &o, argv, &err);
	status = ok ? cmd_ended_status(s.status) : EXIT_FAILED;
	if (ok)
		cmd_ended_say(argv[0], s.status);
	if (ok)
		ok = analyse(&s, &o, &machine, &threshold, &err);
	if (!ok && *err.text)
		cmd_fail(&cmd_run, &err);
	ml_session_release(&s);
	if (threshold)
		return threshold;
	return !ok && !status ? EXIT_FAILED : status;
}

const struct cmd cmd_run = {
	.name = "run",
	.help = "record a program, simulate it and print what to change",
	.operands = "[--] PROGRAM [ARGUMENT...]",
	.min_operands = 1,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
	.run = run,
};
