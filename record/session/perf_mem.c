#include "record/session/perf_mem.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

/* perf_event_paranoid from here on keeps users from sampling their own programs. */
enum { PARANOID = 3 };

/* What the kernel shows of a PMU that samples memory accesses. */
static const struct {
	const char *pattern, *name;
} pmus[] = {
	{ "cpu/events/mem-loads", "Intel PEBS" },
	{ "cpu_core/events/mem-loads", "Intel PEBS" },
	{ "ibs_op", "AMD IBS" },
	{ "arm_spe_*", "Arm SPE" },
};

static const char *find_pmu(const char *devices, struct ml_arena *a)
{
	for (size_t i = 0; i < sizeof(pmus) / sizeof(*pmus); i++) {
		glob_t found;
		bool there = !glob(ml_arena_printf(a, "%s/%s", devices, pmus[i].pattern),
				   0, NULL, &found);

		globfree(&found);
		if (there)
			return pmus[i].name;
	}
	return NULL;
}

static bool is_program(const char *name, const char *path, struct ml_arena *a)
{
	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (!access(ml_arena_printf(a, "%.*s/%s", (int)n, path, name), X_OK))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static bool has_text(const char *path, const char *text)
{
	char line[4096];
	bool found = false;
	FILE *f = fopen(path, "r");

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, text) != NULL;
	if (f)
		fclose(f);
	return found;
}

static bool read_int(const char *path, int *number)
{
	FILE *f = fopen(path, "r");
	bool ok = f && fscanf(f, "%d", number) == 1;

	if (f)
		fclose(f);
	return ok;
}

static void add(struct ml_perf_mem *p, const char *reason)
{
	p->reasons[p->count++] = reason;
}

void ml_perf_mem_check(struct ml_perf_mem *p, const char *root, const char *path,
		       bool privileged, struct ml_arena *a)
{
	const char *devices = ml_arena_printf(a, "%s/sys/bus/event_source/devices", root);
	int paranoid = 0;

	*p = (struct ml_perf_mem){ .pmu = find_pmu(devices, a) };
	if (!is_program("perf", path, a))
		add(p, "perf is not installed (Debian: apt install linux-perf)");
	if (access(devices, F_OK))
		add(p, "the kernel has no performance events (CONFIG_PERF_EVENTS), or "
		       "/sys is not mounted");
	else if (!p->pmu &&
		 has_text(ml_arena_printf(a, "%s/proc/cpuinfo", root), " hypervisor"))
		add(p, "this is a virtual machine, and its host passes no PMU on that "
		       "samples memory accesses (Intel PEBS, AMD IBS)");
	else if (!p->pmu)
		add(p,
		    "the kernel shows no PMU that samples memory accesses (Intel PEBS, "
		    "AMD IBS, Arm SPE)");
	if (!privileged &&
	    read_int(ml_arena_printf(a, "%s/proc/sys/kernel/perf_event_paranoid", root),
		     &paranoid) &&
	    paranoid >= PARANOID)
		add(p,
		    ml_arena_printf(a,
				    "kernel.perf_event_paranoid is %d, so only root may "
				    "sample: sudo sysctl kernel.perf_event_paranoid=1",
				    paranoid));
}

/* Runs a program; `out`, unless NULL, is the file of its standard output. Signals of the
 * terminal are left to the program. */
static bool run(char *const *argv, const char *out, int *status, struct ml_err *err)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, was_int, was_quit;
	pid_t child = fork();

	if (child < 0)
		return ml_fail_errno(err, "cannot start a process");
	if (!child) {
		int fd = out ? open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

		if (!out || (fd >= 0 && dup2(fd, 1) >= 0))
			execvp(argv[0], argv);
		_exit(127);
	}
	sigaction(SIGINT, &ignore, &was_int);
	sigaction(SIGQUIT, &ignore, &was_quit);
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &was_int, NULL);
	sigaction(SIGQUIT, &was_quit, NULL);
	if (WIFEXITED(*status) && WEXITSTATUS(*status) == 127)
		return ml_fail(err, ML_IO, "%s cannot be run", argv[0]);
	return true;
}

bool ml_perf_mem_run(char *const *argv, const char *scratch, const char *text,
		     int *status, struct ml_arena *a, struct ml_err *err)
{
	char *data = (char *)ml_arena_printf(a, "%s/perf.data", scratch);
	char *record[] = { "perf", "mem", "record", "--sample-cpu", "-o", data, "--" };
	char *script[] = { "perf",
			   "script",
			   "-i",
			   data,
			   "-F",
			   "comm,tid,cpu,time,event,ip,sym,dso,addr,data_src,weight",
			   "--show-mmap-events",
			   NULL };
	size_t n = 0, own = sizeof(record) / sizeof(*record);
	struct stat st;
	int ended;

	while (argv[n])
		n++;
	char **all = ml_arena_alloc(a, (own + n + 1) * sizeof(*all));
	memcpy(all, record, sizeof(record));
	memcpy(all + own, argv, n * sizeof(*all));
	if (!run(all, NULL, status, err))
		return false;
	if (stat(data, &st) || !st.st_size)
		return ml_fail(
			err, ML_IO,
			"perf mem record has recorded nothing; its message is above");
	if (!run(script, text, &ended, err))
		return false;
	if (!WIFEXITED(ended) || WEXITSTATUS(ended))
		return ml_fail(err, ML_IO, "perf script failed; its message is above");
	return true;
}
