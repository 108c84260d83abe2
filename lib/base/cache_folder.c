#include "lib/base/cache_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/arena.h"

/* A relative path is ignored, as the XDG base directory specification says. */
const char *ml_cache_folder(struct ml_arena *a)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return ml_arena_printf(a, "%s/memlamp", cache);
	return home && *home == '/' ? ml_arena_printf(a, "%s/.cache/memlamp", home)
				    : NULL;
}

bool ml_cache_folder_make(const char *path, struct ml_arena *a)
{
	char *part = ml_arena_strdup(a, path);
	size_t size = strlen(part);

	for (size_t i = 1; i < size; i++)
		if (part[i] == '/') {
			part[i] = 0;
			mkdir(part, 0700);
			part[i] = '/';
		}
	return mkdir(part, 0700) == 0 || errno == EEXIST;
}
