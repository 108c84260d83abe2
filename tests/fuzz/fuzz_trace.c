/* Any bytes as a trace file: opened, walked, its blocks and places looked up. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/trace/region_lookup.h"
#include "lib/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct ml_trace *t)
{
	struct ml_err err;
	struct ml_arena a = { 0 };
	struct ml_region_lookup *space = ml_region_lookup_open(t, &err);
	struct ml_cursor *c = ml_cursor_open(t, 0, t->count);
	struct ml_batch b;
	size_t text;

	while (ml_cursor_next(c, &b, &err)) {
		/* every reference names a site; a few are looked up */
		for (size_t i = 0; i < b.count; i++)
			ml_tables_frame(&t->tables,
					b.caller[i] ? b.caller[i] : b.site[i]);
		for (size_t i = 0; space && i < b.count; i += 1 + b.count / 16) {
			struct ml_ref ref = ml_batch_ref(&b, i);
			struct ml_place place = ml_region_lookup_find(space, &ref);

			ml_region_lookup_describe(space, &place, &a);
		}
	}
	ml_trace_source(t, "a.c", &text, &a);
	ml_cursor_close(c);
	if (space)
		ml_region_lookup_close(space);
	ml_arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_trace t;
	struct ml_err err;
	char path[40];
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ml_trace_open(&t, path, &err)) {
		walk(&t);
		ml_trace_close(&t);
	}
	close(fd);
	return 0;
}
