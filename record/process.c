#include "record/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/file.h"

enum { CMDLINE_MAX = 4 << 20 };

bool ml_process_lives(pid_t pid, uint64_t started)
{
	struct ml_arena a = { 0 };
	struct ml_err err;
	char path[64], *text, state = 'Z';
	unsigned long long start = 0;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (ml_file_read(path, 4096, &a, &text, &size, &err)) {
		const char *p = strrchr(text, ')'); /* the name before may hold anything */

		if (p && sscanf(p + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
				       "%*d %*d %*d %*d %*d %llu",
				&state, &start) != 2)
			state = 'Z';
	}
	ml_arena_release(&a);
	return state != 'Z' && state != 'X' && (!started || start == started);
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
