/* Answers that are kept, and those that have to go. */
#include "serve/answer_cache.h"

#include "lib/base/buf.h"
#include "tests/test.h"

static struct answer_cache answers;

static struct ml_request question(const char *path, const char *key, const char *value)
{
	struct ml_request q = { .method = "GET", .path = path };

	if (key)
		q.params[q.count++] = (struct ml_param){ key, value };
	return q;
}

static void keep(struct ml_request q, const char *text, size_t size)
{
	struct ml_buf answer = { 0 };

	ml_buf_reserve(&answer, size);
	memset(answer.data, 0, size);
	memcpy(answer.data, text, strlen(text));
	answer.size = size;
	answer_cache_keep(&answers, &q, ML_ANSWER_TEXT, &answer);
	ml_buf_release(&answer);
}

static bool has(struct ml_request q, const char *text)
{
	enum ml_answer_kind kind = ML_ANSWER_JSON;
	struct ml_buf out = { 0 };
	bool found = answer_cache_find(&answers, &q, &kind, &out);

	if (found) {
		CHECK_EQ(kind, ML_ANSWER_TEXT);
		CHECK(!memcmp(out.data, text, strlen(text)));
	}
	ml_buf_release(&out);
	return found;
}

TEST(an_answer_is_found_by_its_path_and_parameters_whoever_asks)
{
	answer_cache_init(&answers);
	keep(question("/a", "from", "1"), "one", 8);
	CHECK(has(question("/a", "from", "1"), "one"));
	CHECK(!has(question("/a", "from", "2"), ""));
	CHECK(!has(question("/a", NULL, NULL), ""));
	CHECK(!has(question("/afrom", "1", ""), ""));
	keep(question("/b", NULL, NULL), "two", 8);
	CHECK(has(question("/b", "token", "xyz"), "two"));
	answer_cache_release(&answers);
}

TEST(what_was_not_asked_for_longest_goes_first)
{
	enum { SIZE = 15 << 20 };

	answer_cache_init(&answers);
	keep(question("/1", NULL, NULL), "1", SIZE);
	keep(question("/2", NULL, NULL), "2", SIZE);
	keep(question("/3", NULL, NULL), "3", SIZE);
	keep(question("/4", NULL, NULL), "4", SIZE);
	CHECK(has(question("/1", NULL, NULL), "1"));
	keep(question("/5", NULL, NULL), "5", SIZE); /* 75 of 64 MiB */
	CHECK(has(question("/1", NULL, NULL), "1"));
	CHECK(!has(question("/2", NULL, NULL), ""));
	CHECK(has(question("/5", NULL, NULL), "5"));
	CHECK(answers.bytes <= (size_t)64 << 20);
	/* the same again replaces it */
	keep(question("/5", NULL, NULL), "6", SIZE);
	CHECK(has(question("/5", NULL, NULL), "6"));
	CHECK_EQ(answers.bytes, (size_t)4 * SIZE);
	answer_cache_release(&answers);
}
