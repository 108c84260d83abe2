#include "lib/prune/space_reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 64 };

bool ml_space_reader_fail(struct ml_space_reader *r, unsigned line, unsigned column,
			  const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return ml_fail(r->err, ML_FORMAT, "%s:%u:%u: %s", r->s->path, line, column, text);
}

static bool name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool read_number(struct ml_space_reader *r)
{
	int64_t v = 0;

	while (r->at < r->end && isdigit((unsigned char)*r->at)) {
		v = v * 10 + (*r->at++ - '0');
		if (v > ML_EXPR_LIMIT / 16)
			return ML_SPACE_FAIL(r, "the number is too large");
	}
	if (r->at < r->end && (*r->at == 'K' || *r->at == 'M' || *r->at == 'G')) {
		unsigned bits = *r->at == 'K' ? 10 : *r->at == 'M' ? 20 : 30;

		if (v > ML_EXPR_LIMIT >> bits)
			return ML_SPACE_FAIL(r, "the number is too large");
		v <<= bits;
		r->at++;
	}
	if (r->at < r->end && name_part(*r->at))
		return ML_SPACE_FAIL(
			r, "a number ends with a digit, K, M or G, not with '%c'",
			*r->at);
	if (r->at + 1 < r->end && *r->at == '.' && isdigit((unsigned char)r->at[1]))
		return ML_SPACE_FAIL(r,
				     "values are whole numbers: there are no fractions");
	r->number = v;
	return true;
}

static void skip_space(struct ml_space_reader *r)
{
	while (r->at < r->end) {
		if (*r->at == '#')
			while (r->at < r->end && *r->at != '\n')
				r->at++;
		else if (*r->at == '\n' && r->nested) {
			r->line++;
			r->line_start = ++r->at;
		} else if (*r->at != '\n' && isspace((unsigned char)*r->at))
			r->at++;
		else
			break;
	}
}

/* Steps to the next token. */
bool ml_space_reader_step(struct ml_space_reader *r)
{
	static const char *const twos[] = { "==", "!=", "<=", ">=", "..", "&&", "||" };

	r->token_end = r->at;
	skip_space(r);
	r->token_line = r->line;
	r->token_column = (unsigned)(r->at - r->line_start) + 1;
	r->text = r->at;
	if (r->at == r->end) {
		r->token = ML_TOKEN_END;
	} else if (*r->at == '\n') {
		r->token = ML_TOKEN_NEWLINE;
		r->line++;
		r->line_start = ++r->at;
	} else if (name_start(*r->at)) {
		r->token = ML_TOKEN_NAME;
		while (r->at < r->end && name_part(*r->at))
			r->at++;
		if (r->at - r->text >= NAME_SIZE)
			return ML_SPACE_FAIL(r, "a name has at most %d characters",
					     NAME_SIZE - 1);
	} else if (isdigit((unsigned char)*r->at)) {
		r->token = ML_TOKEN_NUMBER;
		if (!read_number(r))
			return false;
	} else if (*r->at == '"') {
		r->token = ML_TOKEN_STRING;
		for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
			if (*r->at == '\n')
				return ML_SPACE_FAIL(r, "the text has no closing \"");
		if (r->at == r->end)
			return ML_SPACE_FAIL(r, "the text has no closing \"");
		r->at++;
	} else {
		r->token = ML_TOKEN_PUNCTUATION;
		r->at++;
		for (size_t i = 0; i < sizeof(twos) / sizeof(*twos); i++)
			if (r->end - r->text >= 2 && !memcmp(r->text, twos[i], 2))
				r->at = r->text + 2;
		if (!strchr("=!<>.+-*/%(),:&|", *r->text) || !*r->text)
			return ML_SPACE_FAIL(
				r,
				isprint((unsigned char)*r->text)
					? "'%c' means nothing here"
					: "the byte 0x%02x means nothing here",
				(unsigned char)*r->text);
	}
	r->size = (size_t)(r->at - r->text);
	return true;
}

bool ml_space_reader_is(const struct ml_space_reader *r, const char *text)
{
	return (r->token == ML_TOKEN_NAME || r->token == ML_TOKEN_PUNCTUATION) &&
	       strlen(text) == r->size && !memcmp(text, r->text, r->size);
}

const char *ml_space_reader_shown(const struct ml_space_reader *r)
{
	return r->token == ML_TOKEN_END ? "the end of the file"
	       : r->token == ML_TOKEN_NEWLINE
		       ? "the end of the line"
		       : ml_arena_printf(&r->s->arena, "'%.*s'", (int)r->size, r->text);
}

bool ml_space_reader_expect(struct ml_space_reader *r, const char *text,
			    const char *where)
{
	if (!ml_space_reader_is(r, text))
		return ML_SPACE_FAIL(r, "'%s' is wanted %s, not %s", text, where,
				     ml_space_reader_shown(r));
	return ml_space_reader_step(r);
}

struct ml_space_meaning *ml_space_reader_meaning(struct ml_space_reader *r,
						 const char *text, size_t size)
{
	uint32_t n = ml_names_add_bytes(&r->names, text, size);

	r->meanings = ml_grow(r->meanings, &r->meaning_cap, n + 1, sizeof(*r->meanings));
	return &r->meanings[n];
}
