#include "cli/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"

/*
 * The first of two places, relative to the executable's folder, that exists; or NULL. The
 * installed place comes first: /usr/bin has a file `valgrind`, too, which is not ours.
 */
static const char *beside(struct ml_arena *a, const char *installed, const char *built)
{
	const char *const places[] = { installed, built };
	char self[PATH_MAX], place[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	for (size_t i = 0; i < 2; i++)
		if (realpath(ml_arena_printf(a, "%s/%s", self, places[i]), place) &&
		    access(place, R_OK) == 0)
			return ml_arena_strdup(a, place);
	return NULL;
}

const char *cmd_path_valgrind(struct ml_arena *a)
{
	return beside(a, "../lib/memlamp/valgrind", "valgrind");
}

const char *cmd_path_runtime(struct ml_arena *a)
{
	return beside(a, "../lib/memlamp/runtime", "runtime");
}

const char *cmd_path_headers(struct ml_arena *a)
{
	return beside(a, "../lib/memlamp/runtime/include", "runtime/include");
}

const char *cmd_path_examples(struct ml_arena *a)
{
	return beside(a, "../lib/memlamp/examples", "examples");
}

const char *cmd_path_mpi(struct ml_arena *a)
{
	return beside(a, "../lib/memlamp/mpi/ranks.so", "mpi/ranks.so");
}
