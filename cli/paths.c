#include "cli/paths.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"

/* The first of two places, relative to the executable's folder, that exists; or NULL. */
static const char *beside(struct ml_arena *a, const char *built, const char *installed)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	const char *place = ml_arena_printf(a, "%s/%s", self, built);
	if (access(place, R_OK) == 0)
		return place;
	place = ml_arena_printf(a, "%s/%s", self, installed);
	return access(place, R_OK) == 0 ? place : NULL;
}

const char *cmd_path_valgrind(struct ml_arena *a)
{
	return beside(a, "valgrind", "../lib/memlamp/valgrind");
}

const char *cmd_path_runtime(struct ml_arena *a)
{
	return beside(a, "runtime", "../lib/memlamp/runtime");
}

const char *cmd_path_examples(struct ml_arena *a)
{
	return beside(a, "examples", "../lib/memlamp/examples");
}

const char *cmd_path_mpi(struct ml_arena *a)
{
	return beside(a, "mpi/ranks.so", "../lib/memlamp/mpi/ranks.so");
}
