#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/ended.h"
#include "cli/options.h"
#include "cli/output_name.h"
#include "cli/paths.h"
#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/path.h"
#include "lib/base/progress.h"
#include "lib/base/table.h"
#include "record/session/session.h"

struct options {
	const char *output, *every, *only_in, *from_mark, *to_mark;
	uint64_t limit, skip;
	bool no_stack, no_spin, no_heap, no_source, values, fetch, split_strings,
		valgrind, json, quiet;
};

static const struct opt opts[] = {
	OPT_TEXT(
		"output", 'o', "FILE", output,
		"write the trace to FILE; traces of other processes that the program starts have "
		"their process number in the name. %p in FILE is the number of memlamp's process, "
		"%r the rank of an MPI job, %h the host; a job of several ranks writes a file for "
		"each, also without %r (default: PROGRAM.mlt in the current folder)"),
	OPT_COUNT("limit", 'l', "N", limit,
		  "record at most N references; the program then runs on unrecorded"),
	OPT_COUNT("skip", 's', "N", skip, "leave out the first N references"),
	OPT_TEXT("every", 'e', "K/N", every, "record K references of every N"),
	OPT_TEXT("only-in", 'i', "FUNCTION", only_in,
		 "record only while FUNCTION and the functions that it calls run"),
	OPT_TEXT("from-mark", 0, "NAME", from_mark,
		 "start recording at the mark or phase NAME of memlamp.h"),
	OPT_TEXT("to-mark", 0, "NAME", to_mark,
		 "record up to the mark or the end of phase NAME"),
	OPT_FLAG("no-stack", 0, no_stack, "leave out references to the stack"),
	OPT_FLAG(
		"no-spin", 0, no_spin,
		"leave out loops in which threads wait for others, after a few rounds; the "
		"trace says how many references that were"),
	OPT_FLAG("no-heap", 0, no_heap,
		 "do not follow allocations; the heap then is one nameless region"),
	OPT_FLAG("no-source", 0, no_source, "do not keep the source text in the trace"),
	OPT_FLAG(
		"values", 0, values,
		"keep the range of the values that each instruction stores, by Valgrind; "
		"'memlamp run' then finds integers that are too wide"),
	OPT_FLAG("fetch", 0, fetch, "record instruction fetches too"),
	OPT_FLAG(
		"split-strings", 0, split_strings,
		"under Valgrind, record each element that rep movs and rep stos move, as "
		"lackey does, not up to 32 bytes at a time as processors do"),
	OPT_FLAG("valgrind", 0, valgrind,
		 "use Valgrind even for a program that was built by memlamp cc"),
	OPT_FLAG("json", 0, json, "print the summary as JSON, to stdout"),
	OPT_FLAG("quiet", 'q', quiet, "print no summary"),
	{ 0 },
};

struct live {
	struct ml_progress progress;
	struct timespec start;
};

static void show(void *arg, uint64_t refs, uint64_t bytes)
{
	struct live *l = arg;
	struct timespec t;
	char count[ML_NUMBER_ROOM], size[ML_NUMBER_ROOM];

	clock_gettime(CLOCK_MONOTONIC, &t);
	double s = (double)(t.tv_sec - l->start.tv_sec) +
		   1e-9 * (double)(t.tv_nsec - l->start.tv_nsec);
	ml_progress_line(&l->progress, "%s references  %.0f million a second  %s",
			 ml_format_count(count, refs),
			 s > 0 ? 1e-6 * (double)refs / s : 0.0,
			 ml_format_bytes(size, bytes));
}

static void rest(void *arg)
{
	struct live *l = arg;

	ml_progress_rest(&l->progress);
}

static void ml_say(const struct ml_session *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_recording *r = &s->recordings[i];
		char refs[ML_NUMBER_ROOM], bytes[ML_NUMBER_ROOM];

		fprintf(stderr, "memlamp: %s: %s references, %s", r->path,
			ml_format_count(refs, r->refs), ml_format_bytes(bytes, r->bytes));
		if (r->refs)
			fprintf(stderr, " (%.3f bytes a reference)",
				(double)r->bytes / (double)r->refs);
		if (i == 0 && s->seconds > 0)
			fprintf(stderr, ", %.1f s", s->seconds);
		if (s->count > 1)
			fprintf(stderr, ", of %s", r->command);
		fputc('\n', stderr);
		if (r->killed)
			fprintf(stderr,
				"memlamp: %s: the process was killed; the trace holds all "
				"references before that\n",
				r->path);
		if (r->uninstrumented)
			fprintf(stderr, "memlamp: %s: not recorded: %s\n", r->path,
				r->uninstrumented);
		if (r->warning)
			fprintf(stderr, "memlamp: %s: warning: %s\n", r->path,
				r->warning);
	}
}

static void say_failures(const struct ml_session *s, bool *failed)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->recordings[i].ok) {
			*failed = true;
			fprintf(stderr,
				"memlamp record: %s\nmemlamp record: the program went on "
				"unrecorded; the trace holds the references before that\n",
				s->recordings[i].err.text);
		}
}

static int print_json(const struct ml_session *s)
{
	struct ml_buf text = { 0 };
	struct ml_json j = { .out = &text, .indent = 2 };

	ml_json_object(&j);
	ml_json_key_real(&j, "seconds", s->seconds);
	ml_json_key_array(&j, "traces");
	for (size_t i = 0; i < s->count; i++) {
		const struct ml_recording *r = &s->recordings[i];

		ml_json_object(&j);
		ml_json_key_string(&j, "file", r->path);
		ml_json_key_string(&j, "command", r->command);
		ml_json_key_u64(&j, "process", (uint64_t)r->pid);
		ml_json_key_u64(&j, "references", r->refs);
		ml_json_key_u64(&j, "bytes", r->bytes);
		ml_json_key_bool(&j, "killed", r->killed);
		ml_json_end(&j);
	}
	ml_json_end(&j);
	ml_json_end(&j);
	int status = cmd_print(&cmd_record, &text);
	ml_buf_release(&text);
	return status;
}

/* The exit status of the program, unless only the recording failed. */
static int finish(const struct ml_session *s, const struct options *o)
{
	bool failed = false;
	int status = cmd_ended_status(s->status);

	if (!o->quiet && !o->json)
		ml_say(s);
	if (s->complaint)
		fprintf(stderr, "memlamp record: Valgrind says: %s\n", s->complaint);
	if (!o->quiet)
		cmd_ended_say(s->argv[0], s->status);
	say_failures(s, &failed);
	if (o->json && print_json(s) != EXIT_DONE)
		failed = true;
	return failed && !status ? EXIT_FAILED : status;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct ml_session s = { 0 };
	struct ml_err err;
	struct live live;
	int status;

	if (!options_parse(&cmd_record, &o, &argc, &argv, &status))
		return status;
	if (o.every && !options_share(o.every, &s.options.keep, &s.options.of)) {
		ml_session_release(&s);
		return cmd_misused(&cmd_record,
				   "--every is K/N, such as 1000/100000, not '%s'",
				   o.every);
	}
	s.options.limit = o.limit;
	s.options.skip = o.skip;
	s.options.only_in = o.only_in;
	s.options.from_mark = o.from_mark;
	s.options.to_mark = o.to_mark;
	s.options.no_stack = o.no_stack;
	s.options.no_spin = o.no_spin;
	s.options.no_heap = o.no_heap;
	s.options.no_source = o.no_source;
	s.options.values = o.values;
	s.options.fetch = o.fetch;
	s.options.split_strings = o.split_strings;
	s.valgrind = o.valgrind;
	s.argv = argv;
	if (!cmd_output_name(o.output, argv[0], &s.arena, &s.output, &err)) {
		ml_session_release(&s);
		return cmd_fail(&cmd_record, &err);
	}
	s.valgrind_lib = cmd_path_valgrind(&s.arena);
	if (!o.quiet)
		cmd_ended_foresee(argv[0]);
	clock_gettime(CLOCK_MONOTONIC, &live.start);
	ml_progress_start(&live.progress, stderr);
	s.tick = show;
	s.tick_arg = &live;
	if (isatty(STDIN_FILENO)) { /* the program may ask its user */
		s.rest = rest;
		ml_progress_park(&live.progress);
	}
	bool ok = ml_session_run(&s, &err);
	ml_progress_end(&live.progress);
	status = ok ? finish(&s, &o) : cmd_fail(&cmd_record, &err);
	ml_session_release(&s);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.help = "run a program and write its trace",
	.operands = "[--] PROGRAM [ARGUMENT...]",
	.min_operands = 1,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
	.run = run,
};
