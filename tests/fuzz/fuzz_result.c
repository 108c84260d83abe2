/* Any bytes as a result file: opened, and everything in it asked for. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/analyse/result/result.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 }; /* outcomes that are asked for; a few bytes may claim more */

static void ask(struct ml_result *r)
{
	uint64_t to = r->refs < MOST ? r->refs : MOST, at;
	uint16_t *outcome = ml_resize(NULL, (MOST + 1) * sizeof(*outcome));
	struct ml_result_series series;
	struct ml_result_counts counts;
	const struct ml_result_row *rows;
	size_t count;
	struct ml_buf state = { 0 };
	struct ml_arena a = { 0 };
	struct ml_err err;

	ml_result_outcomes(r, 0, to, outcome, &err);
	ml_result_series(r, 0, to, 5, &series, &a, &err);
	ml_result_series(r, to / 3, to, 3000, &series, &a, &err);
	ml_result_sites(r, NULL, 0, to, &counts, &a, &err);
	ml_result_regions(r, to / 3, to, &counts, &a, &err);
	if (to)
		ml_result_alike(r, 0, &rows, &count, &err);
	ml_result_checkpoint(r, to, &at, &state, &err);
	ml_free(outcome);
	ml_buf_release(&state);
	ml_arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_result r;
	struct ml_err err;
	char path[40];
	int fd = memfd_create("result", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ml_result_open(&r, path, &err)) {
		ask(&r);
		ml_result_close(&r);
	}
	close(fd);
	return 0;
}
