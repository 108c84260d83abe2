#include "record/process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/file.h"

enum { CMDLINE_MAX = 4 << 20 };

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool ml_process_find(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return is_program(name);
	for (const char *at = dirs ? dirs : "/bin:/usr/bin"; *at;) {
		size_t n = strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)n, n ? at : ".", name);
		if (is_program(path))
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

static bool is_ours(const char *arg)
{
	return !strncmp(arg, "--", 2) || !strcmp(arg, "-q");
}

const char *ml_process_command(pid_t pid, struct ml_arena *a)
{
	struct ml_err err;
	char path[64], *text;
	const char *command = "";
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	if (!ml_file_read(path, CMDLINE_MAX, a, &text, &size, &err))
		return command;
	char *at = text, *end = text + size;
	for (at += strlen(at) + 1; at < end && is_ours(at);)
		at += strlen(at) + 1;
	for (char *p = at; p + 1 < end; p++)
		if (!*p)
			*p = ' ';
	return at < end ? at : command;
}

bool ml_process_cwd(pid_t pid, char *path, size_t size)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	ssize_t n = readlink(link, path, size - 1);
	if (n <= 0)
		return false;
	path[n] = 0;
	return true;
}
