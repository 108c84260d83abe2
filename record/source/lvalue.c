#include "record/source/lvalue.h"

#include "record/source/c_text.h"

bool ml_lvalue_copy(char to[ML_LVALUE_MAX], const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end; p++) {
		bool gap = is_blank(*p);

		while (p < end && is_blank(*p))
			p++;
		if (p == end)
			break;
		if (n + 3 > ML_LVALUE_MAX)
			return false;
		if (gap && n && is_word(to[n - 1]) && is_word(*p))
			to[n++] = ' ';
		to[n++] = *p;
	}
	to[n] = 0;
	return n > 0;
}

/*
 * (*out), (*out)[i], (*A)->vals, and the declaration double (*rows)[100]; open and close
 * are the brackets around the star, and end is that of the lvalue.
 */
static bool bracketed(struct ml_lvalue *v, const char *close, const char *end,
		      const char *start)
{
	const char *open = opening(close, start);
	const char *in = open ? skip(open + 1, close) : close;
	char tail[ML_LVALUE_MAX] = "";

	if (in >= close || *in != '*')
		return false;
	in = skip(in + 1, close);
	if (!is_word(*in) || !ml_lvalue_copy(v->name, in, close - 1))
		return false;
	const char *before = back(open, start);
	if (before > start && (is_word(before[-1]) || before[-1] == '*'))
		return true; /* it declares */
	close = skip(close, end);
	if (close < end && !ml_lvalue_copy(tail, close, end))
		return false;
	if (strlen(v->name) + strlen(tail) >= ML_LVALUE_MAX)
		return false;
	memcpy(v->name + strlen(v->name), tail, strlen(tail) + 1);
	/* a member is found through any number of pointers */
	v->deref = !strpbrk(tail, ".>");
	return true;
}

enum { INITIALISER_MAX = 4096 }; /* bytes; initialisers nest, and so do calls here */

/* struct m A = { .rows = n, .data = ... }: A.data. member is the text behind the dot. */
static bool designated(struct ml_lvalue *v, struct span member, const char *start)
{
	const char *p = member.at;
	int depth = 0;

	if (p - start > INITIALISER_MAX)
		return false;
	while (p > start && (p[-1] != '{' || depth)) {
		p--;
		depth += strchr(")]}", *p) ? 1 : strchr("([{", *p) ? -1 : 0;
		if (depth < 0)
			return false;
	}
	p = p > start ? back(p - 1, start) : p;
	if (p == start || p[-1] != '=' || !ml_lvalue_before(v, p - 1, start))
		return false;
	size_t n = strlen(v->name);
	char tail[ML_LVALUE_MAX];
	if (!ml_lvalue_copy(tail, member.at, member.end) ||
	    n + strlen(tail) + 2 > sizeof(v->name))
		return false;
	v->name[n] = '.';
	memcpy(v->name + n + 1, tail, strlen(tail) + 1);
	return true;
}

bool ml_lvalue_before(struct ml_lvalue *v, const char *end, const char *start)
{
	const char *p = end = back(end, start);

	for (;;) {
		while (p > start && p[-1] == ']') {
			p = opening(p, start);
			if (!p)
				return false;
			p = back(p, start);
		}
		if (p > start && p[-1] == ')')
			return bracketed(v, p, end, start);
		const char *word = word_start(p, start);
		if (word == p || isdigit((unsigned char)*word))
			return false;
		p = word;
		const char *q = back(p, start);
		if (q > start && q[-1] == '.') {
			const char *before = back(q - 1, start);

			if (before > start && strchr("{,", before[-1]))
				return designated(v, (struct span){ p, end }, start);
			p = before;
		} else if (q - 1 > start &&
			   (!memcmp(q - 2, "->", 2) || !memcmp(q - 2, "::", 2)))
			p = back(q - 2, start);
		else
			break;
	}
	if (word_is(p, end, "this") && end - p > 6 && !memcmp(p + 4, "->", 2))
		p += 6;
	if (!ml_lvalue_copy(v->name, p, end))
		return false;
	const char *q = back(p, start);
	int stars = 0;
	while (q > start && q[-1] == '*') {
		stars++;
		q = back(q - 1, start);
	}
	/* A star behind a type declares a pointer; a star at the beginning of an
	 * expression follows one. */
	if (stars && (q == start || q[-1] == '(' || q[-1] == ')'))
		v->deref = stars;
	return true;
}
