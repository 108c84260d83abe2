#include "cli/cmd.h"
#include "cli/machine_option.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/diff_text.h"
#include "cli/ended.h"
#include "cli/options.h"
#include "cli/output_name.h"
#include "cli/paths.h"
#include "cli/run_text.h"
#include "cli/say.h"
#include "cli/work.h"
#include "lib/analyse/passes/replay.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/path.h"
#include "lib/base/progress.h"
#include "lib/base/table.h"
#include "lib/query/tables/analysed_trace.h"
#include "lib/query/tables/compare.h"
#include "lib/query/tables/promises.h"
#include "record/session/session.h"

struct options {
	struct machine_without without;
	const char *output, *machine, *only_in, *from_mark, *to_mark, *prove;
	uint64_t limit, skip, top, interleave, window;
	bool json;
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
	OPT_TEXT("only-in", 'i', "FUNCTION", only_in,
		 "record only while FUNCTION runs, with everything that it calls"),
	OPT_TEXT("from-mark", 0, "NAME", from_mark,
		 "start recording at the mark or phase NAME (see memlamp.h)"),
	OPT_TEXT("to-mark", 0, "NAME", to_mark,
		 "stop recording at the mark NAME or at the end of phase NAME"),
	OPT_COUNT("interleave", 0, "N", interleave,
		  "simulate several cores by letting threads take turns of N references"),
	OPT_COUNT("window", 0, "N", window,
		  "try changes on at most N references; more take longer (default: 40M)"),
	OPT_TEXT(
		"prove", 0, "BEFORE.mlt", prove,
		"print what the findings in an earlier trace of the program promised, and "
		"what came true"),
	OPT_COUNT("top", 'n', "N", top,
		  "print at most N rows of each table (default: 5)"),
	OPT_FLAG("json", 0, json, "print JSON"),
	{ 0 },
};

static void show_recording(void *arg, uint64_t refs, uint64_t bytes)
{
	char count[ML_NUMBER_ROOM], size[ML_NUMBER_ROOM];

	ml_progress_line(arg, "recording: %s references, %s",
			 ml_format_count(count, refs), ml_format_bytes(size, bytes));
}

static int print(struct ml_analysed_trace *s, const struct options *o, const char *path,
		 const char *program)
{
	struct ml_buf out = { 0 };

	if (o->json)
		run_json(s, path, &out);
	else
		run_text(s, path, program, o->top, &out);
	int status = cmd_print(&cmd_run, &out);
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
		diff_promises(&c, &out);
	}
	int status = cmd_print(&cmd_run, &out);
	ml_buf_release(&out);
	ml_compare_release(&c);
	ml_analysed_trace_close(&before);
	return status == EXIT_DONE;
}

static bool analyse(const struct ml_session *session, const struct options *o,
		    const struct ml_machine *machine, struct ml_err *err)
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
						     .keep = true,
						     .work = &work.work,
						     .partial = true };

	cmd_work_begin(&work);
	cmd_work_advise(&work, &cmd_run,
			"--limit N records a part, and memlamp sim --quick counts only");
	bool ok = ml_analysed_trace_open(&s, r->path, &options, err);
	bool proved = ok && o->prove && prove(&s, o, &options, err);
	cmd_work_end(&work);
	if (!ok)
		return false;
	if (o->prove) {
		ml_analysed_trace_close(&s);
		if (proved && !r->ok) {
			err->kind = ML_IO;
			err->text[0] = 0;
		}
		return proved && r->ok;
	}
	ok = print(&s, o, r->path, session->argv[0]) == EXIT_DONE && r->ok && !s.stopped;
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
						 .to_mark = o->to_mark };
	s->argv = argv;
	if (!cmd_output_name(o->output, argv[0], &s->arena, &s->output, err))
		return false;
	s->valgrind_lib = cmd_path_valgrind(&s->arena);
	s->tick = show_recording;
	s->tick_arg = &progress;
	ml_progress_start(&progress, stderr);
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
	int status;

	if (!options_parse(&cmd_run, &o, &argc, &argv, &status))
		return status;
	/* before the program runs, so that a misspelt machine fails at once */
	if (!machine_option(&machine, o.machine, &o.without, &err))
		return cmd_fail(&cmd_run, &err);
	if (o.prove && access(o.prove, R_OK)) {
		ml_fail_errno(&err, "%s", o.prove);
		return cmd_fail(&cmd_run, &err);
	}
	bool ok = record(&s, &o, argv, &err);
	status = ok ? cmd_ended_status(s.status) : EXIT_FAILED;
	if (ok)
		cmd_ended_say(argv[0], s.status);
	if (ok)
		ok = analyse(&s, &o, &machine, &err);
	if (!ok && *err.text)
		cmd_fail(&cmd_run, &err);
	ml_session_release(&s);
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
