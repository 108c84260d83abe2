#include "record/reader/uninstrumented.h"

#include <string.h>

#include "lib/base/arena.h"
#include "record/symbols/objects.h"
#include "record/reader/process.h"

const char *ml_uninstrumented(const struct ml_objects *objects, struct ml_arena *a)
{
	const char *files = "";

	for (size_t i = 0; i < objects->images; i++) {
		const struct ml_image *image = objects->image[i];
		const struct ml_object *o = image->object;

		/* the loader and our own library are not the program's */
		if (!image->code || o->path[0] != '/' || !strncmp(o->base, "ld-", 3) ||
		    !strcmp(o->base, "libmemlamp.so") ||
		    ml_process_is_instrumented(o->path))
			continue;
		files = ml_arena_printf(a, "%s%s%s", files, *files ? ", " : "", o->base);
	}
	return ml_arena_printf(a,
			       "values that the compiler kept in registers and locals "
			       "that nothing points to%s%s",
			       *files ? "; code not built by memlamp cc: " : "", files);
}
