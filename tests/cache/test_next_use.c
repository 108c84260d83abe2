/* The next use of each line, against a quadratic search; and the file behind it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "lib/base/arena.h"
#include "lib/cache/distance/next_use.h"
#include "lib/cache/distance/spill_file.h"
#include "tests/test.h"

/* A stream in memory; block b is from[b] to from[b + 1]. */
struct stream {
	const uint64_t *line;
	const size_t *from;
	size_t fails_at; /* block + 1 */
};

static bool read_block(void *arg, size_t block, const uint64_t **lines, size_t *count,
		       struct ml_err *err)
{
	const struct stream *s = arg;

	if (s->fails_at == block + 1)
		return ml_fail(err, ML_IO, "block %zu is gone", block);
	*lines = s->line + s->from[block];
	*count = s->from[block + 1] - s->from[block];
	return true;
}

static uint64_t next_slowly(const uint64_t *line, size_t i, size_t count)
{
	for (size_t j = i + 1; j < count; j++)
		if (line[j] == line[i])
			return j;
	return ML_NEVER_AGAIN;
}

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % n;
}

/* Reads from a position to the end and compares with the search. */
static void check_from(struct ml_next_use *n, uint64_t at, const uint64_t *line,
		       size_t total)
{
	const uint64_t *next;
	struct ml_err err;
	size_t count;

	ml_next_use_seek(n, at);
	for (;;) {
		CHECK_OK(ml_next_use_next(n, &next, &count, &err), &err);
		if (!count)
			break;
		for (size_t i = 0; i < count; i++)
			CHECK_EQ(next[i], next_slowly(line, at + i, total));
		at += count;
	}
	CHECK_EQ(at, total);
}

TEST(next_uses_are_those_of_a_quadratic_search)
{
	enum { MOST = 3000, BLOCKS = 9 };
	uint64_t line[MOST];
	size_t from[BLOCKS + 1];

	for (seed = 1; seed < 4000; seed += 300) {
		size_t total = random_below(MOST), blocks = random_below(BLOCKS) + 1;
		uint64_t lines = 1 + random_below(500);
		struct ml_next_use *n;
		struct ml_err err;

		for (size_t i = 0; i < total; i++)
			line[i] = random_below(lines) * 0x123456789abcdefu;
		/* empty blocks too */
		for (size_t b = 0; b < blocks; b++)
			from[b] = b ? from[b - 1] + random_below(total - from[b - 1] + 1)
				    : 0;
		from[blocks] = total;
		struct stream s = { line, from, 0 };
		struct ml_next_use_source source = { &s, blocks, read_block };

		CHECK_OK(ml_next_use_open(&n, &source, &err), &err);
		CHECK_EQ(ml_next_use_count(n), total);
		check_from(n, 0, line, total);
		for (int i = 0; i < 5; i++)
			check_from(n, random_below(total + 1), line, total);
		ml_next_use_close(n);
	}
}

TEST(an_empty_stream_has_no_next_uses)
{
	struct ml_next_use_source source = { 0 };
	const uint64_t *next;
	struct ml_next_use *n;
	struct ml_err err;
	size_t count;

	CHECK_OK(ml_next_use_open(&n, &source, &err), &err);
	CHECK_EQ(ml_next_use_count(n), 0);
	CHECK_OK(ml_next_use_next(n, &next, &count, &err), &err);
	CHECK_EQ(count, 0);
	ml_next_use_close(n);
}

TEST(what_the_source_says_is_passed_on)
{
	const uint64_t line[] = { 1, 2, 3 };
	const size_t from[] = { 0, 1, 2, 3 };
	struct stream s = { line, from, 2 };
	struct ml_next_use_source source = { &s, 3, read_block };
	struct ml_next_use *n;
	struct ml_err err;

	CHECK_FAILS(ml_next_use_open(&n, &source, &err), &err, "block 1 is gone");
}

TEST(a_folder_that_is_not_there_is_named)
{
	struct ml_spill_file s;
	struct ml_err err;

	setenv("TMPDIR", "/nowhere/at/all", 1);
	CHECK_FAILS(ml_spill_file_open(&s, &err), &err,
		    "/nowhere/at/all: no temporary file");
	CHECK_EQ(err.kind, ML_IO);
	ml_spill_file_close(&s);
	unsetenv("TMPDIR");
}

/* A limit on file sizes stands in for a full disk. */
TEST(a_file_that_cannot_grow_is_an_error_and_not_a_crash)
{
	struct rlimit old, limit = { 4096, 4096 };
	uint8_t noise[1 << 14];
	struct ml_spill_file s;
	struct ml_err err;

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)random_below(256);
	CHECK_OK(ml_spill_file_open(&s, &err), &err);
	getrlimit(RLIMIT_FSIZE, &old);
	limit.rlim_max = old.rlim_max;
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	bool ok = ml_spill_file_put(&s, noise, sizeof(noise), &err);
	setrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, before);
	CHECK_FAILS(ok, &err, "a temporary file cannot be written: File too large");
	ml_spill_file_close(&s);
}
