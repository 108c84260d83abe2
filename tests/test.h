/*
 * Tests: a file includes this and is a list of TESTs, each named after the claim
 * it makes. They run in the order of the file; `test_X PATTERN` runs those whose
 * names match (with * and ?).
 *
 *	TEST(an_empty_map_finds_nothing)
 *	{
 *		struct ml_map m = { 0 };
 *
 *		CHECK(!ml_map_find(&m, 1));
 *	}
 */
#pragma once

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/err.h"

static struct CMUnitTest test_list[1000];
static size_t test_count;

#define TEST(claim) \
	static void claim(void **state); \
	__attribute__((constructor)) static void claim##_is_a_test(void) \
	{ \
		test_list[test_count++] = (struct CMUnitTest){ #claim, claim, 0, 0, 0 }; \
	} \
	static void claim(void **state __attribute__((unused)))

#define TEST_SAY(...) \
	(print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#define CHECK(claim) ((claim) ? (void)0 : TEST_SAY("not so: %s", #claim))

/* Integers of any kind; signed and unsigned ones are equal if their values are. */
#define CHECK_EQ(a, b) test_eq((int64_t)(a), (int64_t)(b), #a, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, within) \
	test_near((double)(a), (double)(b), (double)(within), #a, __FILE__, __LINE__)
#define CHECK_STR(a, b) test_str((a), (b), #a, __FILE__, __LINE__)

/* The call works; the call fails and its error says this. */
#define CHECK_OK(call, err) \
	((call) ? (void)0 : TEST_SAY("%s fails: %s", #call, (err)->text))
#define CHECK_FAILS(call, err, says) \
	((call) ? TEST_SAY("works but should not: %s", #call) \
		: test_says((err)->text, (says), #call, __FILE__, __LINE__))

static inline void test_eq(int64_t a, int64_t b, const char *what, const char *file,
			   int line)
{
	if (a == b)
		return;
	print_error("%s is %" PRId64 " (0x%" PRIx64 "), not %" PRId64 " (0x%" PRIx64
		    ")\n",
		    what, a, (uint64_t)a, b, (uint64_t)b);
	_fail(file, line);
}

static inline void test_near(double a, double b, double within, const char *what,
			     const char *file, int line)
{
	if (fabs(a - b) <= within)
		return;
	print_error("%s is %.17g, not %.17g\n", what, a, b);
	_fail(file, line);
}

static inline void test_str(const char *a, const char *b, const char *what,
			    const char *file, int line)
{
	if (a && b && !strcmp(a, b))
		return;
	print_error("%s is\n%s\nnot\n%s\n", what, a ? a : "(null)", b ? b : "(null)");
	_fail(file, line);
}

static inline void test_says(const char *text, const char *says, const char *what,
			     const char *file, int line)
{
	if (strstr(text, says))
		return;
	print_error("%s fails with\n%s\nwhich does not say\n%s\n", what, text, says);
	_fail(file, line);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return _cmocka_run_group_tests(argv[0], test_list, test_count, NULL, NULL);
}
