#include "lib/prune/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/work.h"

enum { SECONDS_MAX = 30 };

extern char **environ;

struct build {
	struct ml_arena arena;
	const char *folder, *source, *object;
	const char *cc;
	const struct ml_work *work;
};

/* A new file of our own: a name that exists, as a link, is refused. */
static bool write_source(const struct build *b, const struct ml_buf *text,
			 struct ml_err *err)
{
	int fd = open(b->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t done = 0;

	if (fd < 0)
		return ml_fail_errno(err, "%s", b->source);
	while (done < text->size) {
		ssize_t n = write(fd, text->data + done, text->size - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return done == text->size || ml_fail_errno(err, "%s", b->source);
}

/* Waits for the compiler, but not for ever, and not for a caller who has left. */
static bool wait_for(const struct build *b, pid_t pid, struct ml_err *err)
{
	uint64_t until = ml_now() + SECONDS_MAX * ML_SECOND;
	struct timespec pause = ml_timespec(2 * ML_MS);
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG)) || (got < 0 && errno == EINTR)) {
		bool stopped = ml_work_cancelled(b->work);

		if (stopped || ml_now() > until) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return ml_fail(err, stopped ? ML_STOPPED : ML_IO,
				       stopped ? "stopped" : "%s takes too long", b->cc);
		}
		nanosleep(&pause, NULL);
	}
	return (got == pid && WIFEXITED(status) && !WEXITSTATUS(status)) ||
	       ml_fail(err, ML_IO, "%s did not compile the space", b->cc);
}

static bool compile(const struct build *b, const char *machine, struct ml_err *err)
{
	const char *const argv[] = {
		b->cc,     "-std=gnu11", "-O3",     "-fwrapv", "-fno-trapping-math",
		"-w",      "-fPIC",      "-shared", "-o",      b->object,
		b->source, machine,      NULL
	};
	posix_spawn_file_actions_t files;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	int failed = posix_spawnp(&pid, b->cc, &files, NULL, (char *const *)argv,
				  environ);
	posix_spawn_file_actions_destroy(&files);
	if (failed)
		return ml_fail(err, ML_IO, "cannot start %s: %s", b->cc,
			       strerror(failed));
	return wait_for(b, pid, err);
}

static bool load(struct ml_native *n, const struct build *b, struct ml_err *err)
{
	n->library = dlopen(b->object, RTLD_NOW | RTLD_LOCAL);
	if (!n->library)
		return ml_fail(err, ML_IO, "%s", dlerror());
	*(void **)&n->count = dlsym(n->library, "ml_count");
	*(void **)&n->select = dlsym(n->library, "ml_select");
	if (n->count && n->select)
		return true;
	ml_native_close(n);
	return ml_fail(err, ML_IO, "the compiled space lacks its functions");
}

static bool build(struct ml_native *n, const struct build *b, const struct ml_space *s,
		  struct ml_err *err)
{
	struct ml_buf text = { 0 };

	ml_native_code(s, &text);
	bool ok = write_source(b, &text, err);
	ml_buf_release(&text);
	if (!ok)
		return false;
	/* a compiler or machine that does not know "native" gets plain code */
	ok = compile(b, "-march=native", err) ||
	     (err->kind != ML_STOPPED && compile(b, "-DPLAIN", err));
	return ok && load(n, b, err);
}

bool ml_native_open(struct ml_native *n, const struct ml_space *s, const char *cc,
		    const struct ml_work *work, struct ml_err *err)
{
	const char *tmp = getenv("TMPDIR"), *set = getenv("CC");
	struct build b = { .work = work };

	*n = (struct ml_native){ 0 };
	b.cc = cc ? cc : set && *set && !strpbrk(set, " \t") ? set : "cc";
	char *folder = ml_arena_printf(&b.arena, "%s/memlamp-prune.XXXXXX",
				       tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) { /* mode 0700: it is ours alone */
		ml_fail_errno(err, "%s", folder);
		ml_arena_release(&b.arena);
		return false;
	}
	b.folder = folder;
	b.source = ml_arena_printf(&b.arena, "%s/space.c", folder);
	b.object = ml_arena_printf(&b.arena, "%s/space.so", folder);
	bool ok = build(n, &b, s, err);
	unlink(b.source);
	unlink(b.object);
	rmdir(b.folder);
	ml_arena_release(&b.arena);
	return ok;
}

void ml_native_close(struct ml_native *n)
{
	if (n->library)
		dlclose(n->library);
	*n = (struct ml_native){ 0 };
}
