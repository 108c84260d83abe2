#include "record/import/regions_file.h"

#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/trace/text/text.h"

enum { LIMIT = 64 << 20 };

bool ml_regions_file_read(const char *path, struct ml_writer *w, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	struct ml_text t;
	char *text;
	size_t size;
	bool ok = ml_file_read(path, LIMIT, &a, &text, &size, err);

	ml_text_init(&t, w, path);
	for (char *end = ok ? text + size : NULL; ok && text < end;) {
		char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		ok = ml_text_region(&t, text, (size_t)(stop - text), err);
		text = stop < end ? stop + 1 : end;
	}
	ml_text_release(&t);
	ml_arena_release(&a);
	return ok;
}
