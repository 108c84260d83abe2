#include "record/source/fortran_statement.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/base/arena.h"
#include "record/source/sources.h"

enum {
	CONTINUED_MAX = 100, /* lines of a statement */
	FIXED_MARK = 5,      /* where fixed form marks a continued line, from 0 */
	FIXED_END = 72,      /* fixed form ignores what stands behind */
};

struct span {
	const char *at, *end;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static bool is_fixed(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcasecmp(dot, ".f") || !strcasecmp(dot, ".for") ||
		       !strcasecmp(dot, ".ftn") || !strcasecmp(dot, ".f77"));
}

bool ml_fortran_is(const char *path)
{
	static const char *const free_form[] = { ".f90", ".f95", ".f03", ".f08", ".f18" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(free_form) / sizeof(*free_form); i++)
		if (!strcasecmp(dot, free_form[i]))
			return true;
	return is_fixed(path);
}

/* One line as code: comment and strings blanked, the same length. */
struct line {
	char *text;
	size_t size;
	bool empty;     /* blank or a comment */
	bool goes_on;   /* free form: & at its end */
	bool continues; /* fixed form: it is marked as a continuation */
};

static void blank_strings(char *p, char *end)
{
	while (p < end) {
		if (*p == '!') {
			memset(p, ' ', (size_t)(end - p));
			return;
		}
		if (*p == '"' || *p == '\'') {
			char quote = *p;

			while (++p < end && *p != quote)
				*p = 'x';
		}
		p += p < end;
	}
}

static bool read_line(struct line *l, struct ml_arena *a, struct ml_sources *sources,
		      const char *path, uint32_t number)
{
	size_t size;
	const char *from = number ? ml_sources_line(sources, path, number, &size) : NULL;

	*l = (struct line){ 0 };
	if (!from)
		return false;
	l->text = ml_arena_alloc(a, size + 1);
	memcpy(l->text, from, size);
	l->text[size] = 0;
	l->size = size;
	if (is_fixed(path)) {
		if (size && strchr("cC*#", l->text[0]))
			memset(l->text, ' ', size);
		if (size > FIXED_END)
			l->size = FIXED_END;
		blank_strings(l->text, l->text + l->size);
		l->continues = l->size > FIXED_MARK && !strchr(" 0", l->text[FIXED_MARK]);
		if (l->continues)
			l->text[FIXED_MARK] = ' ';
	} else {
		if (size && l->text[0] == '#')
			memset(l->text, ' ', size);
		blank_strings(l->text, l->text + size);
		char *p = l->text + strspn(l->text, " \t");
		char *end = l->text + size;
		while (end > p && is_blank(end[-1]))
			end--;
		l->goes_on = end > p && end[-1] == '&';
		if (l->goes_on)
			end[-1] = ' ';
		if (*p == '&')
			*p = ' ';
	}
	l->empty = !l->goes_on && skip(l->text, l->text + l->size) == l->text + l->size;
	return true;
}

/* The line where the statement of a line begins. */
static uint32_t first_line(struct ml_arena *a, struct ml_sources *sources,
			   const char *path, uint32_t line)
{
	bool fixed = is_fixed(path), inside;
	struct line l;

	if (!read_line(&l, a, sources, path, line))
		return line;
	inside = l.continues;
	for (uint32_t i = line; i > 1 && line - i < CONTINUED_MAX;) {
		if (!read_line(&l, a, sources, path, --i) || (fixed && !inside))
			break;
		if (l.empty)
			continue;
		if (!fixed && !l.goes_on)
			break;
		line = i;
		inside = l.continues;
	}
	return line;
}

/* Stands p on the word, in any case of letters? */
static bool word_is(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !strncasecmp(p, word, n) &&
	       ((size_t)(end - p) == n || !is_word(p[n]));
}

/* Behind the bracket that closes the one at p, or end. */
static const char *closing(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++)
		if (*p == '(')
			depth++;
		else if (*p == ')' && --depth == 0)
			return p + 1;
	return end;
}

/* The first c outside of brackets, or end. */
static const char *outside(const char *p, const char *end, char c)
{
	int depth = 0;

	for (; p < end; p++) {
		if (!depth && *p == c)
			return p;
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
	}
	return end;
}

static bool copy(char to[ML_LVALUE_MAX], const char *p, const char *end)
{
	size_t n = 0;

	for (; p < end; p++) {
		if (is_blank(*p))
			continue;
		if (n + 1 >= ML_LVALUE_MAX)
			return false;
		to[n++] = (char)tolower((unsigned char)*p);
	}
	to[n] = 0;
	return n > 0;
}

/* grid%level(i)%u(n, m): the last brackets are the bounds. */
static void add_object(struct ml_fortran_statement *f, struct span st)
{
	const char *name_end = st.end, *bounds = st.end;
	struct ml_fortran_object *o = &f->object[f->count];

	st.at = skip(st.at, st.end);
	for (const char *p = st.at; p < st.end;) {
		if (*p == '(') {
			const char *close = closing(p, st.end);

			if (skip(close, st.end) == st.end) {
				name_end = p;
				bounds = p + 1;
				break;
			}
			p = close;
		} else {
			p++;
		}
	}
	*o = (struct ml_fortran_object){ 0 };
	if (!copy(o->name, st.at, name_end) || !isalpha((unsigned char)o->name[0]))
		return;
	const char *end = st.end;
	while (end > bounds && end[-1] != ')')
		end--;
	if (bounds < end && !copy(o->bounds, bounds, end - 1))
		o->bounds[0] = 0;
	f->count++;
}

/* Two colons outside of brackets, or end. */
static const char *two_colons(const char *p, const char *end)
{
	while ((p = outside(p, end, ':')) < end && !(p + 1 < end && p[1] == ':'))
		p++;
	return p;
}

/* allocate(real(8) :: a(n), b(m), stat=i) */
static bool read_allocate(struct ml_fortran_statement *f, struct span st)
{
	const char *open = skip(st.at + strlen("allocate"), st.end);

	if (open == st.end || *open != '(')
		return false;
	const char *p = open + 1, *end = closing(open, st.end) - 1;
	const char *colons = two_colons(p, end);
	if (colons < end)
		p = colons + 2;
	while (p < end && f->count < ML_FORTRAN_OBJECTS) {
		const char *comma = outside(p, end, ',');

		if (outside(p, comma, '=') == comma)
			add_object(f, (struct span){ p, comma });
		f->copies |= word_is(skip(p, comma), comma, "source");
		p = comma + (comma < end);
	}
	return f->count;
}

/*
 * real, dimension(n) :: a, b(n, m): an array whose bounds are only known at run time is
 * allocated where it is declared. The column stands at the end of the array's name or
 * bounds.
 */
static bool read_declaration(struct ml_fortran_statement *f, struct span st,
			     const char *at)
{
	static const char dimension[] = "dimension";
	const char *colons = two_colons(st.at, st.end), *p, *comma;
	struct ml_fortran_object *o = &f->object[0];

	if (colons == st.end || at < colons)
		return false;
	for (p = colons + 2; (comma = outside(p, st.end, ',')) < at && comma < st.end;)
		p = comma + 1;
	add_object(f, (struct span){ p, comma });
	for (p = st.at; f->count && !o->bounds[0] && p < colons; p = comma + 1) {
		comma = outside(p, colons, ',');
		p = skip(p, comma);
		const char *open = skip(p + strlen(dimension), comma);

		if (word_is(p, comma, dimension) && open < comma && *open == '(' &&
		    !copy(o->bounds, open + 1, closing(open, comma) - 1))
			o->bounds[0] = 0;
	}
	return o->bounds[0] && !strchr(o->name, '=');
}

static bool read_one(struct ml_fortran_statement *f, struct span st)
{
	st.at = skip(st.at, st.end);
	while (st.at < st.end && isdigit((unsigned char)*st.at)) /* a label */
		st.at++;
	st.at = skip(st.at, st.end);
	if (word_is(st.at, st.end, "if")) {
		const char *open = skip(st.at + 2, st.end);

		if (open < st.end && *open == '(')
			st.at = skip(closing(open, st.end), st.end);
	}
	if (word_is(st.at, st.end, "allocate"))
		return read_allocate(f, st);
	const char *equals = outside(st.at, st.end, '=');
	if (equals + 1 >= st.end || strchr("=>", equals[1]) ||
	    word_is(st.at, st.end, "do"))
		return false;
	add_object(f, (struct span){ st.at, equals });
	f->object[0].bounds[0] = 0;
	return f->count;
}

bool ml_fortran_statement_parse(struct ml_fortran_statement *f, const char *text,
				size_t size, size_t at)
{
	const char *end = text + size, *p = text;
	struct span here = { text, end };
	struct ml_fortran_statement other;

	*f = (struct ml_fortran_statement){ 0 };
	for (const char *q; p <= end; p = q + 1) {
		q = outside(p, end, ';');
		if (text + at >= p && text + at <= q)
			here = (struct span){ p, q };
		if (q == end)
			break;
	}
	if (read_one(f, here))
		return true;
	*f = (struct ml_fortran_statement){ 0 };
	if (read_declaration(f, here, text + at))
		return true;
	/* The column is not exact: the only statement of the line that allocates. */
	*f = (struct ml_fortran_statement){ 0 };
	for (const char *q = p = text; p <= end; p = q + 1) {
		q = outside(p, end, ';');
		p = skip(p, q);
		other = (struct ml_fortran_statement){ 0 };
		if (word_is(p, q, "allocate") &&
		    read_one(&other, (struct span){ p, q })) {
			if (f->count)
				return false;
			*f = other;
		}
		if (q == end)
			break;
	}
	return f->count;
}

bool ml_fortran_statement_read(struct ml_fortran_statement *f, struct ml_sources *sources,
			       const char *path, uint32_t line, uint32_t column)
{
	struct ml_arena a = { 0 };
	uint32_t first = first_line(&a, sources, path, line);
	bool fixed = is_fixed(path), goes_on = true;
	size_t size = 0, at = 0, cap = 0;
	char *text = NULL;
	struct line l;

	for (uint32_t i = first; i < first + CONTINUED_MAX && goes_on; i++) {
		if (!read_line(&l, &a, sources, path, i) ||
		    (fixed && i > first && !l.empty && !l.continues))
			break;
		if (i == line)
			at = size + (column && column <= l.size ? column - 1 : 0);
		goes_on = fixed || l.goes_on || l.empty;
		text = ml_grow(text, &cap, size + l.size + 1, 1);
		memcpy(text + size, l.text, l.size);
		size += l.size;
		text[size++] = ' ';
	}
	*f = (struct ml_fortran_statement){ 0 };
	bool found = text && ml_fortran_statement_parse(f, text, size, at);
	ml_free(text);
	ml_arena_release(&a);
	return found;
}
