/*
 * The cache of results: which results are found again, and which are deleted when it is
 * full.
 */
#include "lib/analyse/result/result_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/analyse/result/result.h"
#include "lib/analyse/result/result_writer.h"
#include "lib/trace/trace.h"
#include "tests/test.h"

/* A folder of its own, which must be empty in the end. */
static char home[64];

static void start_keeping(void)
{
	snprintf(home, sizeof(home), "/tmp/memlamp-kept-%d", getpid());
	mkdir(home, 0700);
	setenv("XDG_CACHE_HOME", home, 1);
	unsetenv("MEMLAMP_CACHE_SIZE");
}

static void stop_keeping(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/memlamp", home);
	CHECK_EQ(rmdir(path), 0);
	CHECK_EQ(rmdir(home), 0);
	unsetenv("XDG_CACHE_HOME");
}

static struct ml_result_info some_info(uint64_t to)
{
	return (struct ml_result_info){
		.machine = "L1 4K", .version = "0", .cores = "", .from = to, .to = to
	};
}

static void keep(uint64_t to)
{
	struct ml_result_info info = some_info(to);
	struct ml_profile p = { 0 };
	struct ml_result_writer *w;
	struct ml_arena a = { 0 };
	struct ml_err err;
	const char *path = ml_result_cache_path(&info, &a, &err);

	CHECK(path);
	CHECK_OK(ml_machine_parse(&p.machine, info.machine, &err), &err);
	CHECK_OK(ml_result_writer_open(&w, path, &info, &err), &err);
	CHECK_OK(ml_result_writer_close(w, &p, &err), &err);
	ml_arena_release(&a);
}

static bool is_kept(uint64_t to)
{
	struct ml_result_info info = some_info(to);
	struct ml_trace t = { .path = "", .count = to };
	struct ml_result r;
	bool found = ml_result_cache_find(&info, &t, &r);

	if (found)
		ml_result_close(&r);
	return found;
}

static void set_age(uint64_t to, time_t seconds)
{
	struct ml_result_info info = some_info(to);
	struct ml_arena a = { 0 };
	struct ml_err err;
	struct timespec when[2] = { { time(NULL) - seconds, 0 },
				    { time(NULL) - seconds, 0 } };

	CHECK_EQ(utimensat(AT_FDCWD, ml_result_cache_path(&info, &a, &err), when, 0), 0);
	ml_arena_release(&a);
}

static off_t size_of(uint64_t to)
{
	struct ml_result_info info = some_info(to);
	struct ml_arena a = { 0 };
	struct ml_err err;
	struct stat st;

	CHECK_EQ(stat(ml_result_cache_path(&info, &a, &err), &st), 0);
	ml_arena_release(&a);
	return st.st_size;
}

TEST(a_kept_result_is_found_by_all_that_it_depends_on)
{
	start_keeping();
	CHECK(!is_kept(1));
	keep(1);
	CHECK(is_kept(1));
	CHECK(!is_kept(2));
	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	CHECK(!is_kept(1));
	ml_result_cache_trim();
	unsetenv("MEMLAMP_CACHE_SIZE");
	CHECK(!is_kept(1)); /* a folder that may have nothing has nothing */
	stop_keeping();
}

TEST(a_damaged_result_is_not_found_and_goes)
{
	struct ml_result_info info = some_info(1);
	struct ml_arena a = { 0 };
	struct ml_err err;

	start_keeping();
	const char *path = ml_result_cache_path(&info, &a, &err);
	FILE *f = fopen(path, "w");
	CHECK(f && fputs("mlresult", f) >= 0);
	fclose(f);
	CHECK(!is_kept(1));
	CHECK(access(path, F_OK) != 0);
	ml_arena_release(&a);
	stop_keeping();
}

TEST(the_result_that_was_not_used_for_longest_goes_first)
{
	char limit[32];

	start_keeping();
	for (uint64_t i = 1; i <= 4; i++) {
		keep(i);
		set_age(i, 1000 - (time_t)i);
	}
	CHECK(is_kept(1)); /* it is the youngest now */
	snprintf(limit, sizeof(limit), "%lld",
		 (long long)(size_of(1) + size_of(3) + size_of(4)));
	setenv("MEMLAMP_CACHE_SIZE", limit, 1);
	ml_result_cache_trim();
	CHECK(is_kept(1) && !is_kept(2) && is_kept(3) && is_kept(4));
	setenv("MEMLAMP_CACHE_SIZE", "0", 1);
	ml_result_cache_trim();
	unsetenv("MEMLAMP_CACHE_SIZE");
	stop_keeping();
}

TEST(sizes_of_the_folder_are_read_with_their_units)
{
	CHECK_EQ(ml_result_cache_limit(NULL), (uint64_t)4 << 30);
	CHECK_EQ(ml_result_cache_limit(""), (uint64_t)4 << 30);
	CHECK_EQ(ml_result_cache_limit("lots"), (uint64_t)4 << 30);
	CHECK_EQ(ml_result_cache_limit("5X"), (uint64_t)4 << 30);
	CHECK_EQ(ml_result_cache_limit("0"), 0);
	CHECK_EQ(ml_result_cache_limit("1000"), 1000);
	CHECK_EQ(ml_result_cache_limit("500M"), (uint64_t)500 << 20);
	CHECK_EQ(ml_result_cache_limit("2G"), (uint64_t)2 << 30);
}

TEST(what_an_interrupted_writer_left_goes_after_a_day)
{
	struct ml_result_info info = some_info(1);
	struct ml_arena a = { 0 };
	struct ml_err err;
	struct timespec old[2] = { { time(NULL) - 25 * 3600, 0 },
				   { time(NULL) - 25 * 3600, 0 } };

	start_keeping();
	const char *path = ml_arena_printf(&a, "%s.Xy12Zz",
					   ml_result_cache_path(&info, &a, &err));
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	close(fd);
	ml_result_cache_trim();
	CHECK_EQ(access(path, F_OK), 0); /* somebody may be writing it */
	CHECK_EQ(utimensat(AT_FDCWD, path, old, 0), 0);
	ml_result_cache_trim();
	CHECK(access(path, F_OK) != 0);
	ml_arena_release(&a);
	stop_keeping();
}
