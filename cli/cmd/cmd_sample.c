#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/sample_check.h"
#include "cli/sample_worker.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/json.h"
#include "lib/base/lock.h"
#include "lib/base/table.h"
#include "lib/query/sampling/timed_samples.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples_file.h"
#include "lib/trace/trace.h"
#include "record/import/sample_symbols.h"
#include "record/session/calibrate.h"
#include "record/session/perf_mem.h"
#include "record/reader/process.h"
#include "record/session/session.h"

struct options {
	const char *output, *with;
	uint64_t period, limit;
	bool check, json, quiet;
};

enum { PERIOD = 1000, PERIOD_MAX = 1 << 30, LIMIT = 10 * 1000 * 1000 };

static const struct opt opts[] = {
	OPT_TEXT(
		"output", 'o', "FILE", output,
		"write the samples to FILE (default: PROGRAM.mlh in the current folder)"),
	OPT_TEXT(
		"with", 'w', "METHOD", with,
		"how to sample: perf (perf mem record) or timed (timed loads of a program "
		"built by memlamp cc) (default: perf where the machine has counters for it)"),
	OPT_COUNT("period", 'p', "N", period,
		  "time one access of N, in random periods (default: 1000)"),
	OPT_COUNT(
		"limit", 'l', "N", limit,
		"keep N timed loads at most; the program then goes on unsampled (default: 10M)"),
	OPT_FLAG(
		"check", 0, check,
		"say what this machine can do and how often timed loads tell the right level; run no program"),
	OPT_FLAG("json", 0, json, "print the summary as JSON, to stdout"),
	OPT_FLAG("quiet", 'q', quiet, "print no summary"),
	{ 0 },
};

/* One table that was written. */
struct written {
	const char *path, *note;
	uint64_t samples, bytes;
	struct ml_timed_bias bias; /* of timed loads */
};

struct run {
	const struct options *o;
	char *const *argv;
	const struct ml_perf_mem *perf;
	const char *output;
	const char *scratch; /* a folder for files that nobody needs afterwards */
	struct ml_arena a;
	struct written *list;
	size_t count, cap;
	int status; /* of the program, as waitpid gives it */
	bool timed;
	struct ml_lock lock; /* of the output, until the process ends */
};

enum { FEW = 100 }; /* samples that say little */

static bool write_table(struct run *r, const struct ml_samples *s, const char *path,
			const struct ml_timed_bias *bias, struct ml_err *err)
{
	struct written w = { path, ml_arena_strdup(&r->a, s->note), s->rows, 0, *bias };

	if (!ml_samples_file_write(s, path, &w.bytes, NULL, err))
		return false;
	r->list = ml_grow(r->list, &r->cap, r->count + 1, sizeof(*r->list));
	r->list[r->count++] = w;
	return true;
}

/* "SCRATCH/x.123.mlt" becomes "FOLDER/x.123.mlh". */
static const char *path_of(struct run *r, const char *trace, bool first)
{
	const char *name = strrchr(trace, '/') + 1, *slash = strrchr(r->output, '/');

	if (first)
		return r->output;
	return ml_arena_printf(&r->a, "%.*s%.*s" ML_SAMPLES_SUFFIX,
			       slash ? (int)(slash + 1 - r->output) : 0, r->output,
			       (int)(strlen(name) - strlen(".mlt")), name);
}

static bool convert(struct run *r, const struct ml_recording *x, const char *path,
		    const struct ml_calibration *c, const struct ml_topology *hardware,
		    struct ml_err *err)
{
	struct ml_timed_bias bias;
	struct ml_samples s;
	struct ml_trace t;

	if (!ml_trace_open(&t, x->path, err))
		return false;
	bool ok = ml_timed_samples(&s, &t, x->timed, c, r->o->period, &bias, err);
	ml_trace_close(&t);
	if (!ok)
		return false;
	s.topology = *hardware;
	ok = write_table(r, &s, path, &bias, err);
	ml_samples_close(&s);
	return ok;
}

static bool sample_timed(struct run *r, struct ml_err *err)
{
	const char *base = strrchr(r->output, '/'), *name = base ? base + 1 : r->output;
	const char *dot = strrchr(name, '.');
	struct ml_session s = { .argv = r->argv };
	struct ml_topology hardware;
	struct ml_calibration c;

	s.output = ml_arena_printf(&r->a, "%s/%.*s.mlt", r->scratch,
				   dot ? (int)(dot - name) : (int)strlen(name), name);
	s.options = (struct ml_record_options){ .period = (uint32_t)r->o->period,
						.limit = r->o->limit,
						.no_source = true };
	bool ok = ml_topology_host(&hardware, &r->a, err) &&
		  ml_calibrate(&c, &hardware, &r->a, err) && ml_session_run(&s, err);
	r->status = s.status;
	for (size_t i = 0; ok && i < s.count; i++) {
		if (!s.recordings[i].ok) {
			*err = s.recordings[i].err;
			ok = false;
		} else
			ok = convert(r, &s.recordings[i],
				     path_of(r, s.recordings[i].path, i == 0), &c,
				     &hardware, err);
	}
	for (size_t i = 0; i < s.count; i++)
		unlink(s.recordings[i].path);
	ml_session_release(&s);
	return ok;
}

static bool sample_perf(struct run *r, struct ml_err *err)
{
	const char *text = ml_arena_printf(&r->a, "%s/script.txt", r->scratch);
	const struct ml_sample_binary mapped = { 0 }; /* as perf script says */
	struct ml_err ignored;
	struct ml_samples s;

	bool ok = ml_perf_mem_run(r->argv, r->scratch, text, &r->status, &r->a, err) &&
		  ml_samples_open(&s, text, NULL, NULL, err);
	if (ok && !ml_sample_symbols(&s, &mapped, err)) {
		ml_samples_close(&s);
		ok = false;
	}
	unlink(text);
	unlink(ml_arena_printf(&r->a, "%s/perf.data", r->scratch));
	if (!ok)
		return false;
	if (!ml_topology_host(&s.topology, &s.arena, &ignored))
		s.topology = (struct ml_topology){ 0 };
	ok = write_table(r, &s, r->output, &(struct ml_timed_bias){ 0 }, err);
	ml_samples_close(&s);
	return ok;
}

enum method { METHOD_NONE, METHOD_PERF, METHOD_TIMED };

/* perf where the machine can, timed loads where the program can. */
static enum method choose(struct run *r, const struct ml_perf_mem *p, struct ml_err *err)
{
	if (r->o->with)
		return !strcmp(r->o->with, "perf") ? METHOD_PERF : METHOD_TIMED;
	if (!p->count)
		return METHOD_PERF;
	if (ml_process_is_instrumented(r->argv[0])) {
		if (!r->o->quiet)
			fprintf(stderr,
				"memlamp: loads are timed, as perf mem is not possible: %s\n",
				sample_check_reasons(p, &r->a));
		return METHOD_TIMED;
	}
	ml_fail(err, ML_IO,
		"perf mem is not possible: %s. Timed loads need no counters: build %s by "
		"memlamp cc and run memlamp sample again",
		sample_check_reasons(p, &r->a), r->argv[0]);
	return METHOD_NONE;
}

static bool sample(struct run *r, struct ml_err *err)
{
	if (!ml_process_check(r->argv[0], err) || !ml_lock_take(&r->lock, r->output, err))
		return false;
	enum method m = choose(r, r->perf, err);
	if (m == METHOD_NONE)
		return false;
	if (!sample_worker_folder(&r->scratch, &r->a, err))
		return false;
	r->timed = m != METHOD_PERF;
	bool ok = r->timed ? sample_timed(r, err) : sample_perf(r, err);
	sample_worker_remove(r->scratch);
	return ok;
}

static void ml_say(const struct run *r)
{
	char count[ML_NUMBER_ROOM], bytes[ML_NUMBER_ROOM];

	for (size_t i = 0; i < r->count; i++) {
		const struct written *w = &r->list[i];

		fprintf(stderr, "memlamp: %s: %s samples, %s\n", w->path,
			ml_format_count(count, w->samples),
			ml_format_bytes(bytes, w->bytes));
		if (*w->note)
			fprintf(stderr, "memlamp: %s: %s\n", w->path, w->note);
		if (r->timed && w->samples < FEW && r->o->period > 1)
			fprintf(stderr,
				"memlamp: %s: the program is short; -p %llu takes more "
				"samples\n",
				w->path,
				(unsigned long long)(r->o->period > 20 ? 20 : 1));
	}
}

static int print_json(const struct run *r)
{
	struct ml_buf text = { 0 };
	struct ml_json j = { .out = &text, .indent = 2 };

	ml_json_object(&j);
	ml_json_key_array(&j, "tables");
	for (size_t i = 0; i < r->count; i++) {
		const struct written *w = &r->list[i];

		ml_json_object(&j);
		ml_json_key_string(&j, "file", w->path);
		ml_json_key_u64(&j, "samples", w->samples);
		ml_json_key_u64(&j, "bytes", w->bytes);
		ml_json_key_string(&j, "note", w->note);
		if (r->timed) {
			ml_json_key_u64(&j, "interrupted", w->bias.interrupted);
			ml_json_key_real(&j, "repeated",
					 ml_timed_bias_repeated(&w->bias));
			ml_json_key_real(&j, "cost", ml_timed_bias_cost(&w->bias));
		}
		ml_json_end(&j);
	}
	ml_json_end(&j);
	ml_json_end(&j);
	ml_buf_u8(&text, '\n');
	int status = cmd_print(&cmd_sample, &text);
	ml_buf_release(&text);
	return status;
}

static const char *default_output(const char *program, struct ml_arena *a)
{
	const char *slash = strrchr(program, '/');

	return ml_arena_printf(a, "%s" ML_SAMPLES_SUFFIX, slash ? slash + 1 : program);
}

/* The exit status of the program, unless only the sampling failed. */
static int finish(const struct run *r)
{
	int status = WIFEXITED(r->status) ? WEXITSTATUS(r->status)
					  : 128 + WTERMSIG(r->status);

	if (!r->o->quiet && !r->o->json)
		ml_say(r);
	if (r->o->json && print_json(r) != EXIT_DONE)
		return status ? status : EXIT_FAILED;
	return status;
}

static int work(void *arg)
{
	struct run *r = arg;
	struct ml_err err;

	return sample(r, &err) ? finish(r) : cmd_fail(&cmd_sample, &err);
}

static int run(int argc, char **argv)
{
	struct options o = { .period = PERIOD, .limit = LIMIT };
	struct ml_err err;
	int status;

	if (!options_parse(&cmd_sample, &o, &argc, &argv, &status))
		return status;
	if (o.with && strcmp(o.with, "perf") != 0 && strcmp(o.with, "timed") != 0)
		return cmd_misused(&cmd_sample, "--with is perf or timed, not '%s'",
				   o.with);
	if (!o.period || o.period > PERIOD_MAX)
		return cmd_misused(&cmd_sample, "--period is 1 to %d", PERIOD_MAX);
	if (!argc && !o.check)
		return cmd_misused(&cmd_sample, "say which program to run");
	struct ml_perf_mem perf;
	struct run r = { .o = &o, .argv = argv, .perf = &perf };
	ml_perf_mem_check(&perf, "", getenv("PATH"), geteuid() == 0, &r.a);
	if (o.check)
		status = sample_check(&cmd_sample, &perf, o.json);
	else {
		r.output = o.output ? o.output : default_output(argv[0], &r.a);
		status = sample_worker_run(work, &r, &err);
		if (status < 0)
			status = cmd_fail(&cmd_sample, &err);
	}
	ml_free(r.list);
	ml_arena_release(&r.a);
	return status;
}

const struct cmd cmd_sample = {
	.name = "sample",
	.help = "run a program and sample it: perf mem, or timed loads without counters",
	.operands = "[--] PROGRAM [ARGUMENT...]",
	.min_operands = 0,
	.max_operands = CMD_ANY,
	.stops = true,
	.opts = opts,
	.run = run,
};
