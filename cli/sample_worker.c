#include "cli/sample_worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

static const char prefix[] = "memlamp-sample-";

enum { TRIES = 5 };

static const char *temporary(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

void sample_worker_remove(const char *path)
{
	struct ml_arena a = { 0 };
	DIR *d = opendir(path);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlink(ml_arena_printf(&a, "%s/%s", path, e->d_name));
	if (d)
		closedir(d);
	rmdir(path);
	ml_arena_release(&a);
}

/* The descriptor of a folder that no living process has locked; -1: one has. */
static int take(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A folder of a process of this user that is no more. */
static bool is_left(const char *path, const char *name)
{
	struct stat st;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 || lstat(path, &st) ||
	    st.st_uid != geteuid())
		return false;
	int fd = take(path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void remove_left(void)
{
	struct ml_arena a = { 0 };
	DIR *d = opendir(temporary());

	for (struct dirent *e; d && (e = readdir(d));) {
		const char *path = ml_arena_printf(&a, "%s/%s", temporary(), e->d_name);

		if (is_left(path, e->d_name))
			sample_worker_remove(path);
	}
	if (d)
		closedir(d);
	ml_arena_release(&a);
}

static volatile pid_t worker; /* signal handlers see nothing else */

/* A terminal asks the worker as well; other processes ask only this one. */
static void forward(int number, siginfo_t *info, void *context)
{
	int why = errno;

	(void)context;
	if (info->si_code <= 0 && worker > 0)
		kill(worker, number);
	errno = why;
}

bool sample_worker_folder(const char **folder, struct ml_arena *a, struct ml_err *err)
{
	remove_left();
	for (int try = 0; try < TRIES; try++) {
		char *path = (char *)ml_arena_printf(a, "%s/%sXXXXXX", temporary(),
						     prefix);
		struct stat named, own;

		if (!mkdtemp(path))
			return ml_fail_errno(err, "%s: cannot make a folder", path);
		*folder = path;
		/* another command may have seen it before it was locked */
		int fd = take(path); /* open until the process ends */
		if (fd >= 0 && !stat(path, &named) && !fstat(fd, &own) &&
		    named.st_ino == own.st_ino)
			return true;
		if (fd >= 0)
			close(fd);
		rmdir(path);
	}
	return ml_fail(err, ML_IO, "%s: cannot lock the folder", *folder);
}

int sample_worker_run(int (*work)(void *arg), void *arg, struct ml_err *err)
{
	static const int asks[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	enum { ASKS = sizeof(asks) / sizeof(*asks) };
	struct sigaction pass = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO };
	struct sigaction before[ASKS];
	sigset_t block, old;
	int status;

	sigfillset(&block);
	sigprocmask(SIG_BLOCK, &block, &old);
	worker = fork();
	if (!worker) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		_exit(work(arg));
	}
	for (size_t i = 0; i < ASKS; i++) {
		sigaction(asks[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(asks[i], &pass, NULL);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (worker < 0) {
		ml_fail_errno(err, "cannot start a process");
		return -1;
	}
	while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
		;
	worker = 0;
	remove_left();
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	ml_fail(err, ML_IO, "the process that samples was ended by signal %d",
		WTERMSIG(status));
	return -1;
}
