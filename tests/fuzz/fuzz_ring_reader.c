/*
 * Any words as those of a producer: the ring reader must neither crash nor write a trace
 * that cannot be read. Mappings are left out, as the ring reader would open any file. A
 * producer may announce a fork and then claim to be its own child.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/trace/trace.h"
#include "record/reader/ring_reader.h"
#include "record/reader/fork_state.h"
#include "record/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 512 };

static bool count(void *arg, const struct ml_batch *b, struct ml_err *err)
{
	(void)err;
	*(uint64_t *)arg += b->count;
	return true;
}

/* What was written can be read, and holds what the ring reader says. */
static void check(const char *path, uint64_t refs)
{
	struct ml_trace t;
	struct ml_err err;
	uint64_t n = 0;

	if (!ml_trace_open(&t, path, &err) || !t.whole ||
	    !ml_trace_each(&t, 0, t.count, 0, count, &n, &err) || n != refs)
		abort();
	ml_trace_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ml_record_options o = { .no_source = true };
	struct ml_fork_state forks;
	uint64_t words[WORDS];
	size_t n = size / 8 < WORDS ? size / 8 : WORDS;
	struct ml_err err;
	char path[40];
	int fd;

	if (!size)
		return 0;
	/* the first byte chooses what is asked for */
	o.no_stack = *data & 1;
	o.limit = *data & 2 ? 20 : 0;
	o.keep = *data & 4 ? 2 : 0;
	o.of = *data & 4 ? 5 : 0;
	o.only_in = *data & 8 ? "main" : NULL;
	memcpy(words, data, n * 8);
	for (size_t i = 0; i < n; i++)
		if (ML_WORD_TYPE(words[i]) == ML_WORD_MAP)
			words[i] = 0;
	fd = memfd_create("trace", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct ml_ring_reader *d = ml_ring_reader_open(path, &o, &err);
	ml_fork_state_init(&forks, NULL);
	if (d) {
		ml_ring_reader_fork_state(d, &forks);
		if (!ml_ring_reader_feed(d, words, n, &err) ||
		    !ml_ring_reader_finish(d, false, &err))
			abort();
		uint64_t refs = ml_ring_reader_count(d).refs;
		ml_ring_reader_release(d);
		check(path, refs);
	}
	ml_fork_state_release(&forks);
	close(fd);
	return 0;
}
