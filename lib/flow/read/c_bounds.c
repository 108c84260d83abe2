#include "lib/flow/read/c_bounds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
enum { OVERHEAD = 8 }; /* the sanitizer's own memory */
#else
enum { OVERHEAD = 1 };
#endif

static void limit(__rlimit_resource_t what, rlim_t soft, rlim_t hard)
{
	setrlimit(what, &(struct rlimit){ soft, hard });
}

/* The memory that this process has already, in bytes. */
static rlim_t own_data(void)
{
	unsigned long long pages = 0;
	char text[200] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) > 0)
			sscanf(text, "%*u %*u %*u %*u %*u %llu", &pages);
		close(fd);
	}
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void bound(pid_t parent)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGXCPU, SIGBUS };
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		signal(ends[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO); /* LLVM says there why it gives up */
	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_CPU, ML_C_SECONDS, ML_C_SECONDS + 1);
	rlim_t room = own_data() + ((rlim_t)ML_C_MEGABYTES << 20) * OVERHEAD;
	limit(RLIMIT_DATA, room, room);
	alarm(ML_C_WAIT_SECONDS);
}

static bool fail(int status, const char *path, struct ml_err *err)
{
	int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	switch (by) {
	case SIGXCPU:
	case SIGKILL:
		return ml_fail(err, ML_FORMAT,
			       "%s: parsing it takes more than %d seconds; its macros or "
			       "includes may have no end",
			       path, ML_C_SECONDS);
	case SIGALRM:
		return ml_fail(err, ML_FORMAT,
			       "%s: parsing it waits for more than %d seconds; it may "
			       "include a pipe",
			       path, ML_C_WAIT_SECONDS);
	default: /* without memory libclang crashes */
		return ml_fail(err, ML_FORMAT,
			       "%s: parsing it takes more than %d MiB of memory, or "
			       "crashes libclang; it may include a device",
			       path, ML_C_MEGABYTES);
	}
}

bool ml_c_bounds_hold(bool (*parse)(void *arg), void *arg, const char *path,
		      struct ml_err *err)
{
	pid_t parent = getpid(), child = fork();
	int status;

	if (child < 0)
		return ml_fail_errno(err, "%s: no process can be started to parse it",
				     path);
	if (!child) {
		bound(parent);
		_exit(!parse(arg));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return ml_fail_errno(err, "%s: parsing it", path);
	return (WIFEXITED(status) && !WEXITSTATUS(status)) || fail(status, path, err);
}
