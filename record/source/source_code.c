#include "record/source/source_code.h"

#include <ctype.h>
#include <string.h>

#include "lib/base/arena.h"
#include "record/source/sources.h"

enum { FUNCTION_LINES = 400 }; /* lines of a function that are looked at */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Blanks comments, strings and lines of the preprocessor, so that only code is read. */
static void blank(char *p, char *end)
{
	bool fresh = true; /* nothing but blanks since the line began */

	while (p < end) {
		char *from = p;

		if (*p == '#' && fresh) {
			while (p < end && *p != '\n')
				p++;
		} else if (p + 1 < end && p[0] == '/' && p[1] == '/') {
			while (p < end && *p != '\n')
				p++;
		} else if (p + 1 < end && p[0] == '/' && p[1] == '*') {
			for (p += 2;
			     p < end && !(p[-1] == '*' && *p == '/' && p - from > 2);)
				p++;
			p += p < end;
		} else if (*p == '"' || (*p == '\'' && !(p > from && is_word(p[-1])))) {
			char quote = *p++;

			for (from = p; p < end && *p != quote && *p != '\n'; p++)
				if (*p == '\\' && p + 1 < end)
					p++;
			memset(from, 'x', (size_t)(p - from));
			from = p;
			p += p < end;
		} else {
			fresh = *p == '\n' || (fresh && is_blank(*p));
			from = ++p;
		}
		for (; from < p; from++)
			if (*from != '\n' && *from != '"' && *from != '\'')
				*from = ' ';
	}
}

bool ml_source_code_read(struct ml_source_code *c, struct ml_arena *a,
			 struct ml_sources *sources, const char *path, uint32_t first,
			 uint32_t last)
{
	size_t size, all = 0;

	*c = (struct ml_source_code){ 0 };
	for (uint32_t i = first; i <= last && ml_sources_line(sources, path, i, &size);
	     i++, c->lines++)
		all += size + 1;
	if (!c->lines)
		return false;
	c->text = ml_arena_alloc(a, all + 1);
	c->line = ml_arena_alloc(a, (c->lines + 1u) * sizeof(*c->line));
	for (uint32_t i = 0; i < c->lines; i++) {
		const char *from = ml_sources_line(sources, path, first + i, &size);

		c->line[i] = c->size;
		memcpy(c->text + c->size, from, size);
		c->size += size;
		c->text[c->size++] = '\n';
	}
	c->line[c->lines] = c->size;
	c->text[c->size] = 0;
	blank(c->text, c->text + c->size);
	return true;
}

/* Behind the bracket that closes the first one opened, or the end. */
static const char *body_end(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++)
		if (*p == '{')
			depth++;
		else if (*p == '}' && --depth <= 0)
			return p + 1;
	return end;
}

/* "p", "(p)", "(T *)p" and "p ? p : q" return p; "p != NULL", "*p" and "p->x" do not. */
static bool gives(const char *p, const char *end, const char *variable)
{
	size_t n = strlen(variable);
	const char *start = p;

	for (; p + n <= end; p++) {
		if (memcmp(p, variable, n) != 0 || is_word(p[n]) ||
		    (p > start && (is_word(p[-1]) || strchr(".>*&", p[-1]))))
			continue;
		const char *q = p + n;
		while (q < end && is_blank(*q))
			q++;
		if (q == end || strchr(");?:", *q))
			return true;
	}
	return false;
}

bool ml_source_code_returns(struct ml_sources *sources, const char *path, uint32_t line,
			    const char *variable)
{
	struct ml_arena a = { 0 };
	struct ml_source_code c;
	bool found = false;

	if (line &&
	    ml_source_code_read(&c, &a, sources, path, line, line + FUNCTION_LINES)) {
		const char *end = body_end(c.text, c.text + c.size), *p = c.text;

		while (!found && (p = strstr(p, "return")) && p < end) {
			const char *stop = memchr(p, ';', (size_t)(end - p));
			bool word = (p == c.text || !is_word(p[-1])) && !is_word(p[6]);

			p += 6;
			found = word && stop && gives(p, stop, variable);
		}
	}
	ml_arena_release(&a);
	return found;
}
