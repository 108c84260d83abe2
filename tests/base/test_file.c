#include "tests/test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"

/* A new file that holds text; the caller unlinks it. */
static const char *file_with(const char *text)
{
	static char path[] = "/tmp/memlamp-test-XXXXXX";

	strcpy(path + strlen(path) - 6, "XXXXXX");
	int fd = mkstemp(path);
	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	return path;
}

TEST(a_mapped_file_holds_its_bytes)
{
	struct ml_file_map m;
	struct ml_err err;
	const char *path = file_with("lamp");

	CHECK_OK(ml_file_map_open(&m, path, &err), &err);
	CHECK_EQ(m.size, 4);
	CHECK(!memcmp(m.data, "lamp", 4));
	ml_file_map_close(&m);
	unlink(path);
}

TEST(an_empty_file_can_be_mapped)
{
	struct ml_file_map m;
	struct ml_err err;
	const char *path = file_with("");

	CHECK_OK(ml_file_map_open(&m, path, &err), &err);
	CHECK_EQ(m.size, 0);
	CHECK(m.data);
	ml_file_map_close(&m);
	unlink(path);
}

TEST(a_file_that_cannot_be_opened_is_named_with_the_reason)
{
	struct ml_file_map m;
	struct ml_err err;

	CHECK_FAILS(ml_file_map_open(&m, "/nowhere/x", &err), &err,
		    "/nowhere/x: No such file or directory");
	CHECK_EQ(err.kind, ML_IO);
	CHECK_FAILS(ml_file_map_open(&m, "/tmp", &err), &err, "/tmp: not a regular file");
}

TEST(a_pipe_is_refused_at_once)
{
	struct ml_file_map m;
	struct ml_err err;
	const char *path = file_with("");

	unlink(path);
	CHECK(!mkfifo(path, 0600));
	CHECK_FAILS(ml_file_map_open(&m, path, &err), &err, "not a regular file");
	unlink(path);
}

TEST(small_files_are_read_whole_and_end_with_a_zero_byte)
{
	struct ml_arena a = { 0 };
	struct ml_err err;
	char *text;
	size_t size;
	const char *path = file_with("one\ntwo\n");

	CHECK_OK(ml_file_read(path, 100, &a, &text, &size, &err), &err);
	CHECK_EQ(size, 8);
	CHECK_STR(text, "one\ntwo\n");
	CHECK_OK(ml_file_read(path, 8, &a, &text, &size, &err), &err);
	CHECK_FAILS(ml_file_read(path, 7, &a, &text, &size, &err), &err,
		    "more than 7 bytes");
	unlink(path);
	CHECK_OK(ml_file_read("/proc/self/stat", 10000, &a, &text, &size, &err), &err);
	CHECK(size > 10);
	ml_arena_release(&a);
}
