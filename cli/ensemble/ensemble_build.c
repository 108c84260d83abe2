#include "cli/ensemble/ensemble_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include "cli/paths.h"
#include "cli/simulated.h"
#include "lib/base/buf.h"
#include "lib/base/file.h"
#include "lib/base/map.h"
#include "cli/work.h"
#include "lib/base/table.h"
#include "lib/trace/trace.h"
#include "record/session/session.h"

enum { MADE_MAX = 1 << 20 };

struct making {
	const struct ensemble_build *b;
	const char *build, *run; /* commands of this variant; an empty `build` is none */
	const char *out, *trace, *made;
	size_t number, count;
	struct ml_arena *a;
};

/* A copy of text with {out} replaced. */
static const char *with_out(struct ml_arena *a, const char *text, const char *out)
{
	const char *at;

	while ((at = strstr(text, "{out}")))
		text = ml_arena_printf(a, "%.*s%s%s", (int)(at - text), text, out,
				       at + 5);
	return text;
}

/*
 * Runs a command by the shell. Its output goes to stderr, because stdout is for our
 * results.
 */
static bool shell(const char *command, struct ml_err *err)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		return ml_fail_errno(err, "cannot start /bin/sh");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return ml_fail(err, ML_STOPPED, "%s: ended by signal %d", command,
			       WTERMSIG(status));
	return !WEXITSTATUS(status) || ml_fail(err, ML_IO, "failed with status %d: %s",
					       WEXITSTATUS(status), command);
}

/* A fingerprint of what a trace depends on: the bytes of the program and the command. */
static bool fingerprint(struct making *m, struct ml_buf *text, struct ml_err *err)
{
	struct ml_file_map program;
	uint64_t hash = 0;
	char line[64];

	if (*m->build) {
		if (!ml_file_map_open(&program, m->out, err))
			return false;
		hash = ml_hash(program.data, program.size);
		ml_file_map_close(&program);
	}
	snprintf(line, sizeof(line), "%016llx\n", (unsigned long long)hash);
	ml_buf_text(text, line);
	ml_buf_text(text, m->run);
	ml_buf_u8(text, '\n');
	return true;
}

/* True if the trace of the variant exists, is whole, and is of this program. */
static bool made_before(struct making *m, const struct ml_buf *now)
{
	struct ml_trace t;
	struct ml_err err;
	char *text;
	size_t size;

	if (access(m->made, R_OK) || !ml_trace_open(&t, m->trace, &err))
		return false;
	bool whole = t.whole;
	ml_trace_close(&t);
	return whole && ml_file_read(m->made, MADE_MAX, m->a, &text, &size, &err) &&
	       size == now->size && !memcmp(text, now->data, size);
}

static void recording(void *arg, uint64_t refs, uint64_t bytes)
{
	struct making *m = arg;
	char count[ML_NUMBER_ROOM];

	(void)bytes;
	ml_progress_line(&m->b->work->progress, "recording %zu of %zu: %s references",
			 m->number + 1, m->count, ml_format_count(count, refs));
}

/*
 * Of several processes, keeps the trace with the most references and deletes the others.
 */
static bool keep_main(struct making *m, const struct ml_session *s, struct ml_err *err)
{
	const struct ml_recording *best = &s->recordings[0];

	for (size_t i = 0; i < s->count; i++)
		if (s->recordings[i].refs > best->refs)
			best = &s->recordings[i];
	if (!best->ok) {
		*err = best->err;
		return false;
	}
	for (size_t i = 0; i < s->count; i++)
		if (&s->recordings[i] != best)
			unlink(s->recordings[i].path);
	return !strcmp(best->path, m->trace) || !rename(best->path, m->trace) ||
	       ml_fail_errno(err, "%s", m->trace);
}

static bool record_words(struct making *m, char *const *words, struct ml_err *err)
{
	struct ml_session s = { .output = m->trace,
				.argv = words,
				.options = m->b->record,
				.tick = recording,
				.tick_arg = m };

	s.valgrind_lib = cmd_path_valgrind(&s.arena);
	bool ok = ml_session_run(&s, err);
	if (ok && (!WIFEXITED(s.status) || WEXITSTATUS(s.status)))
		ok = ml_fail(err, ML_IO, "ended with %s %d: %s",
			     WIFEXITED(s.status) ? "status" : "signal",
			     WIFEXITED(s.status) ? WEXITSTATUS(s.status)
						 : WTERMSIG(s.status),
			     m->run);
	ok = ok && keep_main(m, &s, err);
	ml_session_release(&s);
	return ok;
}

/* Keeps the output of the program out of our results. */
static bool record_quietly(struct making *m, char *const *words, struct ml_err *err)
{
	int saved = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);

	fflush(stdout);
	dup2(nowhere, STDOUT_FILENO);
	bool ok = record_words(m, words, err);
	dup2(saved, STDOUT_FILENO);
	close(nowhere);
	close(saved);
	return ok;
}

static bool record(struct making *m, struct ml_err *err)
{
	wordexp_t words;

	unlink(m->made);
	if (wordexp(m->run, &words, WRDE_NOCMD) || !words.we_wordc)
		return ml_fail(
			err, ML_USAGE,
			"--run '%s' is no command; memlamp runs it without a shell, so "
			"; | < > & and $(...) do not work",
			m->run);
	bool ok = record_quietly(m, words.we_wordv, err);
	wordfree(&words);
	return ok;
}

static bool make(struct making *m, struct ml_err *err)
{
	struct ml_buf now = { 0 };

	ml_progress_line(&m->b->work->progress, "building %zu of %zu", m->number + 1,
			 m->count);
	if (*m->build) {
		ml_progress_end(&m->b->work->progress);
		if (!shell(m->build, err))
			return false;
	}
	bool ok = fingerprint(m, &now, err) &&
		  (made_before(m, &now) ||
		   (record(m, err) &&
		    simulated_write(&m->b->work->work, m->made, &now, err)));
	ml_buf_release(&now);
	return ok;
}

/* A label that can be a file name: "PAD=3 N=64". */
static const char *label(const struct ml_variant *v, struct ml_arena *a)
{
	const char *text = "";

	for (size_t i = 0; i < v->param_count; i++)
		text = ml_arena_printf(a, "%s%s%s=%s", text, i ? "," : "",
				       v->params[i].name, v->params[i].value);
	char *name = ml_arena_printf(a, "%s", *text ? text : "program");
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	return name;
}

bool ensemble_build(const struct ensemble_build *b, struct ensemble_built **at,
		    size_t *count, struct ml_arena *a, struct ml_err *err)
{
	static const char *const keep[] = { "out", NULL };
	struct ml_variants v = { 0 };
	/* expanded as one text, so that a name has the same value in both */
	const char *both = ml_arena_printf(a, "%s\n%s", b->build ? b->build : "",
					   b->run ? b->run : "{out}");

	if (b->build && !strstr(b->build, "{out}"))
		return ml_fail(err, ML_USAGE,
			       "--build '%s' needs {out}, the program to make", b->build);
	if (mkdir(b->folder, 0777) && errno != EEXIST)
		return ml_fail_errno(err, "%s", b->folder);
	if (!b->variants &&
	    !ml_variants_expand(&v, both, ML_VARIANTS_COMMAND, keep, a, err))
		return false;
	if (b->variants)
		v = (struct ml_variants){ .at = (struct ml_variant *)b->variants,
					  .count = b->variant_count };
	size_t built = 0;
	*at = ml_arena_alloc(a, v.count * sizeof(**at));
	for (size_t i = 0; i < v.count; i++) {
		const char *name = label(&v.at[i], a);
		const char *out = ml_arena_printf(a, "%s/%s", b->folder, name);
		const char *text = with_out(a, v.at[i].text, out);
		const char *run = strchr(text, '\n');
		struct making m = {
			.b = b,
			.build = ml_arena_copy(a, text, (size_t)(run - text)),
			.run = run + 1,
			.out = out,
			.trace = ml_arena_printf(a, "%s.mlt", out),
			.made = ml_arena_printf(a, "%s.made", out),
			.number = i,
			.count = v.count,
			.a = a,
		};

		if (!ml_work_goes_on(&b->work->work, err))
			return false;
		if (!make(&m, err)) {
			if (!b->variants || err->kind == ML_STOPPED)
				return false;
			ml_progress_end(&b->work->progress);
			fprintf(stderr, "memlamp: %s is left out: %s\n", name, err->text);
			continue;
		}
		(*at)[built++] = (struct ensemble_built){
			.label = name,
			.path = m.trace,
			.params = v.at[i].params,
			.param_count = v.at[i].param_count,
		};
	}
	*count = built;
	return built > 0; /* err says why the last one failed */
}
