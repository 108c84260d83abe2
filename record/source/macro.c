#include "record/source/macro.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "record/source/c_text.h"
#include "record/source/sources.h"

enum {
	INCLUDES_MAX = 16, /* headers in headers */
	HEADERS_MAX = 500, /* of one source */
	FOLDERS_MAX = 6,   /* around a source */
	PARAMETERS_MAX = 16,
	WORD_MAX = 64,
};

/* "(v, x) (v).at = ..." of a definition, with its continued lines. */
struct definition {
	char text[ML_MACRO_MAX];
	size_t size;
};

struct arguments {
	struct span at[PARAMETERS_MAX];
	size_t count;
};

/* Behind "# word" at the beginning of a line, or NULL. */
static const char *directive(const char *p, const char *end, const char *word)
{
	p = skip(p, end);
	if (p == end || *p != '#')
		return NULL;
	p = skip(p + 1, end);
	return word_is(p, end, word) ? skip(p + strlen(word), end) : NULL;
}

/* Appends lines from a definition on, as long as a backslash ends them. */
static bool copy_lines(struct definition *d, struct ml_sources *sources, const char *path,
		       uint32_t line, size_t skipped)
{
	size_t size;

	d->size = 0;
	for (;; line++, skipped = 0) {
		const char *p = ml_sources_line(sources, path, line, &size);
		const char *end = p ? back(p + size, p) : NULL;
		bool more = p && end > p && end[-1] == '\\';

		if (!p || d->size + size + 2 > sizeof(d->text))
			return false;
		size = (size_t)(end - p) - more;
		if (size > skipped) {
			memcpy(d->text + d->size, p + skipped, size - skipped);
			d->size += size - skipped;
		}
		d->text[d->size++] = ' ';
		if (!more)
			return true;
	}
}

/*
 * The path of #include "FILE" or <FILE>: in the folder of the file that includes it, or
 * in one of the folders around it, where -I often points.
 */
static bool included(char to[PATH_MAX], struct ml_sources *sources, const char *path,
		     const char *p, const char *end)
{
	const char *slash = strrchr(path, '/');
	const char *close = p < end ? memchr(p + 1, *p == '"' ? '"' : '>',
					     (size_t)(end - p - 1))
				    : NULL;
	size_t size;

	if (!close || (*p != '"' && *p != '<'))
		return false;
	for (int up = 0; slash && up < FOLDERS_MAX; up++) {
		int n = snprintf(to, PATH_MAX, "%.*s%.*s", (int)(slash - path) + 1, path,
				 (int)(close - p - 1), p + 1);

		if (n > 0 && n < PATH_MAX && ml_sources_line(sources, to, 1, &size))
			return true;
		while (slash > path && *--slash != '/')
			;
		slash = *slash == '/' ? slash : NULL;
	}
	return false;
}

void ml_macros_release(struct ml_macros *x)
{
	ml_map_release(&x->sources);
	ml_map_release(&x->lines);
}

/* A walk over a source and its headers. */
struct reading {
	struct ml_macros *macros;
	struct ml_sources *sources;
	uint64_t root;      /* hash of the path of the source */
	struct ml_map seen; /* headers, by hash of the path */
};

static uint64_t key_of(uint64_t root, const char *name, size_t n)
{
	uint64_t key[] = { root, ml_hash(name, n) };

	return ml_hash(key, sizeof(key));
}

static uint64_t hash_of(const char *text)
{
	return ml_hash(text, strlen(text));
}

/* Notes the definitions in a file and in its headers; the first one of a name counts. */
static void read_file(struct reading *r, const char *path, int depth)
{
	size_t size;
	const char *line;
	char header[PATH_MAX];
	uint32_t file = ml_names_add(&r->sources->paths, path);

	for (uint32_t i = 1; (line = ml_sources_line(r->sources, path, i, &size)); i++) {
		const char *end = line + size, *p = directive(line, end, "define");
		const char *name = p;
		bool is_new;

		while (p && p < end && is_word(*p))
			p++;
		if (p && p < end && *p == '(') {
			uint64_t *at = ml_map_add(
				&r->macros->lines,
				key_of(r->root, name, (size_t)(p - name)), &is_new);

			*at = is_new ? (uint64_t)file << 32 | i : *at;
		}
		p = depth ? directive(line, end, "include") : NULL;
		if (!p || !included(header, r->sources, path, p, end) ||
		    r->seen.count >= HEADERS_MAX)
			continue;
		ml_map_add(&r->seen, hash_of(header), &is_new);
		if (is_new)
			read_file(r, header, depth - 1);
	}
}

static bool find_definition(struct definition *d, struct ml_macros *x,
			    struct ml_sources *sources, const char *path,
			    const char *name)
{
	struct reading r = { .macros = x, .sources = sources, .root = hash_of(path) };
	size_t size;
	bool is_new;

	ml_map_add(&x->sources, r.root, &is_new);
	if (is_new)
		read_file(&r, path, INCLUDES_MAX);
	ml_map_release(&r.seen);
	const uint64_t *at = ml_map_find(&x->lines, key_of(r.root, name, strlen(name)));
	if (!at)
		return false;
	const char *file = sources->paths.text[*at >> 32];
	const char *line = ml_sources_line(sources, file, (uint32_t)*at, &size);
	const char *p = line ? directive(line, line + size, "define") : NULL;
	return p && copy_lines(d, sources, file, (uint32_t)*at,
			       (size_t)(p - line) + strlen(name));
}

/* Behind the bracket that closes the one at p, or NULL. */
static const char *closed(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += strchr("([{", *p) && *p ? 1 : strchr(")]}", *p) && *p ? -1 : 0;
		if (depth <= 0)
			return p + 1;
	}
	return NULL;
}

/* Splits the text between brackets at its commas. */
static void split(struct arguments *a, const char *p, const char *end)
{
	a->count = 0;
	while (p < end && a->count < PARAMETERS_MAX) {
		const char *from = skip(p, end);

		for (p = from; p < end && *p != ',';)
			p = strchr("([{", *p) && closed(p, end) ? closed(p, end) : p + 1;
		a->at[a->count++] = (struct span){ from, back(p, from) };
		p += p < end;
	}
}

static bool is_path(struct span s)
{
	for (const char *p = s.at; p < s.end; p++)
		if (!is_word(*p) && !strchr(".->[]", *p))
			return false;
	return s.at < s.end && is_word(*s.at) && !isdigit((unsigned char)*s.at);
}

static bool append(struct ml_macro *m, const char *p, size_t n)
{
	if (m->size + n >= sizeof(m->text))
		return false;
	memcpy(m->text + m->size, p, n);
	m->size += n;
	return true;
}

/* Does the text so far end with the bracket around an operand, not that of a call? */
static bool opens_operand(const struct ml_macro *m)
{
	const char *open = m->text + m->size - 1, *before;

	if (!m->size || *open != '(')
		return false;
	before = back(open, m->text);
	return before == m->text || !is_word(before[-1]);
}

/*
 * Puts an argument for a parameter, behind which the body goes on at *p; moves *p behind
 * what the argument has taken the place of.
 */
static bool put_argument(struct ml_macro *m, struct span a, const char **p,
			 const char *end)
{
	const char *rest = skip(*p, end), *behind = skip(rest + (rest < end), end);
	size_t left = (size_t)(end - behind);
	struct span pointed = { a.at + 1, a.end };

	if (rest == end || *rest != ')' || !opens_operand(m))
		return append(m, a.at, (size_t)(a.end - a.at));
	if (is_path(a)) {
		m->size--;
		*p = rest + 1;
		return append(m, a.at, (size_t)(a.end - a.at));
	}
	if (a.at < a.end && is_path(pointed) &&
	    ((*a.at == '*' && left && *behind == '.') ||
	     (*a.at == '&' && left > 1 && !memcmp(behind, "->", 2)))) {
		m->size--;
		*p = behind + (*a.at == '*' ? 1 : 2);
		return append(m, pointed.at, (size_t)(pointed.end - pointed.at)) &&
		       (*a.at == '*' ? append(m, "->", 2) : append(m, ".", 1));
	}
	return append(m, a.at, (size_t)(a.end - a.at));
}

/* The number of the parameter that is called so, or their count. */
static size_t find_parameter(const struct arguments *names, const char *word, size_t n)
{
	size_t k = 0;

	while (k < names->count && ((size_t)(names->at[k].end - names->at[k].at) != n ||
				    memcmp(names->at[k].at, word, n) != 0))
		k++;
	return k;
}

/* Puts the body of a definition with its parameters replaced. */
static bool put_body(struct ml_macro *m, const struct definition *d,
		     const struct arguments *given)
{
	const char *end = d->text + d->size, *p = closed(d->text, end);
	struct arguments names;

	if (!p)
		return false;
	split(&names, d->text + 1, p - 1);
	while (p < end) {
		const char *from = p;

		if (p + 1 < end && !memcmp(p, "##", 2)) {
			m->size = (size_t)(back(m->text + m->size, m->text) - m->text);
			p = skip(p + 2, end);
			continue;
		}
		while (p < end && is_word(*p))
			p++;
		size_t n = (size_t)(p - from);
		size_t k = n ? find_parameter(&names, from, n) : names.count;
		if (k < names.count && k < given->count) {
			if (!put_argument(m, given->at[k], &p, end))
				return false;
			continue;
		}
		p += !n;
		if (!append(m, from, (size_t)(p - from)))
			return false;
	}
	return true;
}

bool ml_macro_expand(struct ml_macro *m, struct ml_macros *x, struct ml_sources *sources,
		     const char *path, const char *name, const char *arguments)
{
	struct definition d;
	struct arguments given;

	m->size = 0;
	m->text[0] = 0;
	if (!find_definition(&d, x, sources, path, name))
		return false;
	split(&given, arguments, arguments + strlen(arguments));
	bool whole = put_body(m, &d, &given);
	m->text[m->size] = 0;
	return whole;
}

/* The call NAME(...) that begins at p: where its brackets end, or NULL: it is none. */
static const char *call_at(const char *p, const char *text, const char *end,
			   char name[WORD_MAX], struct span *in)
{
	size_t n = 0;

	if (!is_word(*p) || (p > text && is_word(p[-1])))
		return NULL;
	while (p + n < end && is_word(p[n]))
		n++;
	const char *open = skip(p + n, end);
	const char *close = open < end && *open == '(' ? closed(open, end) : NULL;
	if (!close || n >= WORD_MAX)
		return NULL;
	memcpy(name, p, n);
	name[n] = 0;
	*in = (struct span){ open + 1, close - 1 };
	return close;
}

bool ml_macro_expand_inner(struct ml_macro *m, struct ml_macros *x,
			   struct ml_sources *sources, const char *path)
{
	struct ml_macro from = *m;
	const char *end = from.text + from.size;
	bool any = false, room = true;

	m->size = 0;
	for (const char *p = from.text, *next; room && p < end; p = next) {
		char name[WORD_MAX];
		struct definition d;
		struct arguments given;
		struct span in;

		next = call_at(p, from.text, end, name, &in);
		if (next && find_definition(&d, x, sources, path, name)) {
			split(&given, in.at, in.end);
			room = put_body(m, &d, &given);
			any = true;
		} else {
			next = p + 1;
			room = append(m, p, 1);
		}
	}
	m->text[m->size] = 0;
	return any && room;
}
