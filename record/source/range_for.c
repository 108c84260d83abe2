#include "record/source/range_for.h"

#include "lib/base/arena.h"
#include "record/source/c_text.h"
#include "record/source/source_code.h"

enum { LINES_MAX = 3 }; /* of the head of a loop */

/* The lvalue between p and the bracket that closes the head of the loop. */
static bool read_walked(char walked[ML_LVALUE_MAX], const char *p, const char *end)
{
	const char *close = p;
	int depth = 0;

	for (; close < end && (*close != ')' || depth); close++)
		depth += *close == '(' ? 1 : *close == ')' ? -1 : 0;
	p = skip(p, close);
	if (close - p > 6 && !memcmp(p, "this->", 6))
		p += 6;
	if (close == end || !ml_lvalue_copy(walked, p, close) || !is_word(walked[0]) ||
	    strlen(walked) + 3 > ML_LVALUE_MAX)
		return false;
	for (const char *q = walked; *q; q++)
		if (!is_word(*q) && !strchr(".->[]:", *q))
			return false;
	memcpy(walked + strlen(walked), "[]", 3);
	return true;
}

bool ml_range_for_parse(char walked[ML_LVALUE_MAX], const char *text, size_t size,
			const char *variable)
{
	const char *end = text + size;
	size_t n = strlen(variable);

	for (const char *p = text; n && p + n < end; p++) {
		if (memcmp(p, variable, n) != 0 || is_word(p[n]) ||
		    (p > text && is_word(p[-1])))
			continue;
		const char *colon = skip(p + n, end);
		if (colon + 1 >= end || colon[0] != ':' || colon[1] == ':')
			continue;
		/* back to the bracket of the loop, over the type */
		const char *open = p;
		while (open > text && !strchr("(;{}", open[-1]))
			open--;
		if (open == text || open[-1] != '(')
			continue;
		const char *head = back(open - 1, text), *word = word_start(head, text);
		if (head - word == 3 && !memcmp(word, "for", 3))
			return read_walked(walked, colon + 1, end);
	}
	return false;
}

void ml_range_for_rename(char name[ML_LVALUE_MAX], struct ml_sources *sources,
			 const char *path, uint32_t line)
{
	char word[ML_LVALUE_MAX], walked[ML_LVALUE_MAX];
	struct ml_arena a = { 0 };
	struct ml_source_code c;
	size_t n = 0;

	while (is_word(name[n]))
		n++;
	memcpy(word, name, n);
	word[n] = 0;
	if (n && line &&
	    ml_source_code_read(&c, &a, sources, path, line, line + LINES_MAX - 1) &&
	    ml_range_for_parse(walked, c.text, c.size, word)) {
		size_t size = strlen(walked), tail = strlen(name + n);

		if (size + tail < ML_LVALUE_MAX) {
			memmove(name + size, name + n, tail + 1);
			memcpy(name, walked, size);
		}
	}
	ml_arena_release(&a);
}
