#include "tests/test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cache/lru/line_book.h"
#include "lib/cache/lru/line_records.h"

enum { LINES = 20000 };

/* Lines of all kinds: neighbours, one of each page, and anywhere. */
static uint64_t line_at(uint64_t i)
{
	switch (i % 3) {
	case 0: return i / 3;
	case 1: return 1u << 20 | i * ML_LINE_PAGE;
	default: return (i * 0x9e3779b97f4a7c15u) >> 6;
	}
}

TEST(a_number_tells_its_line_and_stays)
{
	static uint32_t numbers[LINES];
	struct ml_line_book b = { 0 };

	for (uint64_t i = 0; i < LINES; i++) {
		numbers[i] = ml_line_book_find(&b, line_at(i));
		CHECK(numbers[i] >= ML_LINE_PAGE);
	}
	for (uint64_t i = 0; i < LINES; i++) {
		CHECK_EQ(ml_line_book_find(&b, line_at(i)), numbers[i]);
		CHECK_EQ(ml_line_book_line(&b, numbers[i]), line_at(i));
	}
	ml_line_book_release(&b);
}

/* The status of a process that adds a page to a book of `pages` pages. */
static int status_of_adding(size_t pages)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		struct ml_line_book b = { 0 };

		if (!freopen("/dev/null", "w",
			     stderr)) /* what it says is not of interest here */
			_exit(1);
		ml_line_book_add(&b, 1);
		b.pages = pages;
		ml_line_book_add(&b, 2);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

TEST(a_book_without_free_numbers_ends_the_program)
{
	int last = status_of_adding(ML_LINE_PAGES - 2);
	int full = status_of_adding(ML_LINE_PAGES - 1);

	CHECK(WIFEXITED(last) && WEXITSTATUS(last) == 0);
	CHECK(WIFSIGNALED(full) && WTERMSIG(full) == SIGABRT);
}

TEST(a_line_takes_fourteen_bytes_with_three_levels)
{
	struct ml_line_records r;

	ml_line_records_init(&r, 2, 3);
	CHECK_EQ(r.stride, 14);
}
