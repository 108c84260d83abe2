#include "record/symbols/debug_package.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/path.h"

/* Does a line of the file equal one of two texts? */
static bool has_line(const char *file, const char *text, const char *other)
{
	FILE *f = fopen(file, "re");
	char line[1024];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		found = !strcmp(line, text) || (other && !strcmp(line, other));
	}
	if (f)
		fclose(f);
	return found;
}

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), m = strlen(with);

	return n >= m && !strcmp(text + n - m, with);
}

/* The first file of a folder whose name ends so and that has the line, or NULL. */
static const char *find_file(const char *folder, const char *ending, const char *text,
			     const char *other, struct ml_arena *a)
{
	DIR *dir = opendir(folder);
	const char *found = NULL;

	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		if (ends(e->d_name, ending) &&
		    has_line(ml_arena_printf(a, "%s/%s", folder, e->d_name), text, other))
			found = ml_arena_strdup(a, e->d_name);
	if (dir)
		closedir(dir);
	return found;
}

const char *ml_debug_package_advice(const char *root, const char *path,
				    struct ml_arena *a)
{
	/* Where /bin is a link to /usr/bin, packages may list either. */
	const char *old = strncmp(path, "/usr/", 5) ? NULL : path + 4;
	const char *list = find_file(ml_arena_printf(a, "%s/var/lib/dpkg/info", root),
				     ".list", path, old, a);
	const char *base = ml_path_name(path);

	if (!list)
		return ml_arena_printf(a, "%s has no debug symbols: compile it with -g",
				       base);
	/* "libc6:amd64.list" */
	size_t name = strlen(list) - strlen(".list");
	if (strcspn(list, ":") < name)
		name = strcspn(list, ":");
	const char *package = ml_arena_printf(a, "%.*s-dbgsym", (int)name, list);
	bool known = find_file(ml_arena_printf(a, "%s/var/lib/apt/lists", root),
			       "_Packages", ml_arena_printf(a, "Package: %s", package),
			       NULL, a);
	return ml_arena_printf(a, "%s has no debug symbols; %s%s has them", base, package,
			       known ? "" : " (Debian's debug archive)");
}
