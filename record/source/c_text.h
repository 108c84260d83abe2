/*
 * Steps through text of C, for modules that read statements without parsing them. start
 * and end bound the text; all functions stay inside.
 */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
	const char *at, *end;
};

static inline bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline const char *skip(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* The place behind the last byte before p that is no blank. */
static inline const char *back(const char *p, const char *start)
{
	while (p > start && is_blank(p[-1]))
		p--;
	return p;
}

static inline const char *word_start(const char *p, const char *start)
{
	while (p > start && is_word(p[-1]))
		p--;
	return p;
}

static inline bool word_is(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && memcmp(p, word, n) == 0 &&
	       ((size_t)(end - p) == n || !is_word(p[n]));
}

/* From behind a closing bracket to its opening one, or NULL. */
static inline const char *opening(const char *p, const char *start)
{
	int depth = 0;

	while (p > start) {
		p--;
		if (*p == ')' || *p == ']')
			depth++;
		else if ((*p == '(' || *p == '[') && --depth == 0)
			return p;
	}
	return NULL;
}
