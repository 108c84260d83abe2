/*
 * Which steps of a thread are left out as waiting. Steps are letters; a capital writes.
 * The expectation has a dot for each step that is left out.
 */
#include <string.h>

#include "record/reader/spin.h"
#include "tests/test.h"

static const char *kept(const char *word)
{
	static char text[200];
	struct ml_spin s = { .steps = 0 };
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++)
		text[i] = ml_spin_step(&s, (uint64_t)word[i], word[i] < 'a') ? '.'
									     : word[i];
	text[n] = 0;
	return text;
}

TEST(four_rounds_are_kept)
{
	CHECK_STR(kept("aaaaaaa"), "aaaa...");
	CHECK_STR(kept("abababababx"), "abababab..x");
	CHECK_STR(kept("abcdefghabcdefghabcdefghabcdefghabcx"),
		  "abcdefghabcdefghabcdefghabcdefgh...x");
}

TEST(steps_that_differ_are_no_waiting)
{
	CHECK_STR(kept("abcabdabeabfabg"), "abcabdabeabfabg");
	CHECK_STR(kept("aaabaaabaaab"), "aaabaaabaaab");
}

TEST(a_step_that_writes_ends_the_waiting)
{
	CHECK_STR(kept("aaaaaAaaaaaa"), "aaaa.Aaaaa..");
	CHECK_STR(kept("AAAAAAAA"), "AAAAAAAA");
}
