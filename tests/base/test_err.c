#include "tests/test.h"

#include <errno.h>

TEST(a_failure_says_kind_and_sentence_and_returns_false)
{
	struct ml_err err;

	CHECK(!ml_fail(&err, ML_FORMAT, "%s: byte %d", "x.mlt", 7));
	CHECK_EQ(err.kind, ML_FORMAT);
	CHECK_STR(err.text, "x.mlt: byte 7");
}

TEST(a_failure_of_the_system_ends_with_its_reason)
{
	struct ml_err err;

	errno = ENOENT;
	CHECK(!ml_fail_errno(&err, "%s", "x.mlt"));
	CHECK_EQ(err.kind, ML_IO);
	CHECK_STR(err.text, "x.mlt: No such file or directory");
}

TEST(a_sentence_that_is_too_long_ends_in_dots)
{
	struct ml_err err;
	char longer[2000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	ml_fail_errno(&err, "%s", longer);
	CHECK_EQ(strlen(err.text), sizeof(err.text) - 1);
	CHECK_STR(err.text + sizeof(err.text) - 5, "x...");
}

TEST(foreign_words_in_a_sentence_cannot_act_on_a_terminal)
{
	struct ml_err err;

	ml_fail(&err, ML_FORMAT, "x.mlt: \033[2J is no\rname of %s", "an \u00e4rray");
	CHECK_STR(err.text, "x.mlt: ?[2J is no?name of an \u00e4rray");
}
