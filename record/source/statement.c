#include "record/source/statement.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/arena.h"
#include "record/source/c_text.h"
#include "record/source/source_code.h"

/* Lines before and after that a statement may span. */
enum { LINES_AROUND = 3 };

/* The unclosed '(' around p, or NULL. */
static const char *around(const char *p, const char *start)
{
	int depth = 0;

	while (p > start) {
		p--;
		if (*p == ')')
			depth++;
		else if (*p == '(' && depth-- == 0)
			return p;
	}
	return NULL;
}

static bool lvalue_before(struct ml_statement *s, const char *end, const char *start)
{
	struct ml_lvalue v = { 0 };

	if (!ml_lvalue_before(&v, end, start))
		return false;
	memcpy(s->name, v.name, sizeof(s->name));
	s->deref = v.deref;
	return true;
}

/* The last assignment operator before `at`. */
static const char *assignment(const char *start, const char *at)
{
	for (const char *p = at; p > start;) {
		p--;
		if (*p != '=')
			continue;
		if (p[1] == '=' || (p > start && strchr("=!<>", p[-1]))) {
			if (p > start && p[-1] == '=')
				p--;
			continue;
		}
		while (p > start && strchr("+-*/%|&^", p[-1]))
			p--;
		return p;
	}
	return NULL;
}

/* posix_memalign(&x, ...): the first argument receives the result. */
static bool out_argument(struct ml_statement *s, struct span st, const char *at)
{
	const char *p = at;

	while (p < st.end && is_word(*p))
		p++;
	p = skip(p, st.end);
	if (p == st.end || *p != '(')
		return false;
	p = skip(p + 1, st.end);
	if (p < st.end && *p == '(') { /* a cast */
		while (p < st.end && *p != ')')
			p++;
		p = skip(p + (p < st.end), st.end);
	}
	if (p == st.end || *p != '&')
		return false;
	const char *end = p;
	while (end < st.end && *end != ',' && *end != ')')
		end++;
	return lvalue_before(s, end, p + 1);
}

static bool is_keyword(const char *p, const char *end)
{
	static const char *const words[] = { "return", "new",  "delete", "throw", "else",
					     "case",   "goto", "if",     "while", "for",
					     "switch", "do",   "sizeof" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (word_is(p, end, words[i]))
			return true;
	return false;
}

/* Behind the bracket that closes the one at p, or end. */
static const char *closing(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += strchr("([{", *p) ? 1 : strchr(")]}", *p) ? -1 : 0;
		if (!depth)
			return p + 1;
	}
	return end;
}

/* TYPE a(...), b(...): of the names declared from *word on, the one that `at` stands on
 * or in whose brackets it stands. *end is behind the name. */
static void declarator_at(struct span st, const char *at, const char **word,
			  const char **end)
{
	const char *p = skip(*end, st.end);

	while (p < st.end && (*p == '(' || *p == '{')) {
		p = closing(p, st.end);
		if (at < p)
			return;
		p = skip(p, st.end);
		if (p == st.end || *p != ',')
			return;
		do
			p = skip(p + 1, st.end);
		while (p < st.end && (*p == '*' || *p == '&'));
		if (at < p || p == st.end || !is_word(*p))
			return;
		*word = p;
		while (p < st.end && is_word(*p))
			p++;
		*end = p;
		p = skip(p, st.end);
	}
}

/* TYPE name, for a container that allocates when it is made. */
static bool declared_empty(struct ml_statement *s, struct span st)
{
	const char *end = back(st.end, st.at), *word = word_start(end, st.at);
	const char *q = back(word, st.at), *type = word_start(q, st.at);

	for (const char *p = st.at; p < end; p++)
		if (strchr("(){}=.[]", *p))
			return false;
	return word < end && q > st.at &&
	       (q[-1] == '>' || (type < q && !is_keyword(type, q))) &&
	       ml_lvalue_copy(s->name, word, end);
}

/* TYPE name(...) or TYPE name{...}, or name(...) in the list before a constructor's body.
 */
static bool declared(struct ml_statement *s, struct span st, const char *at)
{
	const char *open = around(at, st.at), *word = NULL, *end = NULL;
	int depth = 0;

	for (const char *p = st.at; p < st.end; p++) {
		if ((*p == '(' || *p == '{') && depth == 0) {
			end = back(p, st.at);
			word = word_start(end, st.at);
			break;
		}
		depth += *p == '[' ? 1 : *p == ']' ? -1 : 0;
	}
	if (word && word < end) {
		const char *q = back(word, st.at);

		/* Class::name(...) defines a static member */
		while (q > st.at + 1 && !memcmp(q - 2, "::", 2)) {
			word = word_start(q - 2, st.at);
			q = back(word, st.at);
		}
		const char *type = word_start(q, st.at);
		bool after_type = q > st.at &&
				  (q[-1] == '>' || q[-1] == '*' || q[-1] == '&' ||
				   (type < q && !is_keyword(type, q)));

		if (q > st.at + 1 && q[-1] == '>' && q[-2] == '-')
			after_type = false;
		if (after_type && !memchr(st.at, '=', (size_t)(word - st.at)) &&
		    !memchr(st.at, '.', (size_t)(word - st.at))) {
			declarator_at(st, at, &word, &end);
			return ml_lvalue_copy(s->name, word, end);
		}
	}
	/* The list: at stands on the name or inside its brackets. */
	const char *name = word_start(at, st.at);
	const char *name_end = name;
	while (name_end < st.end && is_word(*name_end))
		name_end++;
	if (open && !(name_end < st.end && name < name_end &&
		      *skip(name_end, st.end) == '(' && name > st.at &&
		      back(name, st.at) > st.at && strchr(":,", back(name, st.at)[-1]))) {
		name_end = back(open, st.at);
		name = word_start(name_end, st.at);
	}
	const char *q = back(name, st.at);
	return name < name_end && q > st.at + 1 && (q[-1] == ',' || q[-1] == ':') &&
	       q[-2] != ':' && !around(name, st.at) &&
	       ml_lvalue_copy(s->name, name, name_end);
}

/* v.push_back(x), m[key] = ...: the name of the container that allocates. */
static bool container(struct ml_statement *s, struct span st, const char *at)
{
	const char *best = NULL;

	for (const char *p = st.at; p + 1 < st.end && p <= at; p++) {
		size_t n = *p == '.' ? 1 : p[0] == '-' && p[1] == '>' ? 2 : 0;
		const char *q = p + n;

		if (!n)
			continue;
		while (q < st.end && is_word(*q))
			q++;
		if (q > p + n && skip(q, st.end) < st.end && *skip(q, st.end) == '(')
			best = p;
	}
	if (best)
		return lvalue_before(s, best, st.at);
	const char *p = skip(st.at, st.end), *end = p;
	while (end < st.end && is_word(*end))
		end++;
	return end > p && end < st.end && *end == '[' && ml_lvalue_copy(s->name, p, end);
}

/* counts[i] = 3 where operator[] of the container allocates. */
static bool indexed(struct ml_statement *s, struct span st, const char *at,
		    const char *callee)
{
	static const char name[] = "operator[]";
	const char *open = at < st.end && *at == ']' ? opening(at + 1, st.at) : at;
	size_t n = strlen(callee);

	if (n < sizeof(name) || strcmp(callee + n - sizeof(name) + 1, name) != 0)
		return false;
	while (open && open < st.end && *open != '[')
		open++;
	if (!open || open == st.end)
		open = memchr(st.at, '[', (size_t)(st.end - st.at));
	return open && lvalue_before(s, open, st.at);
}

static bool simple_type(char to[ML_LVALUE_MAX], const char *p, const char *end)
{
	p = skip(p, end);
	end = back(end, p);
	if (word_is(p, end, "const"))
		p = skip(p + 5, end);
	for (const char *q = p; q < end; q++)
		if (!is_word(*q) && !is_blank(*q) && *q != ':' && *q != '*')
			return false;
	if (p == end || isdigit((unsigned char)*p) || word_is(p, end, "void") ||
	    *p == '*')
		return false;
	return ml_lvalue_copy(to, p, end);
}

/* "new T[", "make_unique<T[]>", "(T *)" before the call, "sizeof(T)". */
static void find_type(struct ml_statement *s, struct span st, const char *from)
{
	for (const char *p = from; p < st.end; p++) {
		const char *q;

		if (p > st.at && is_word(p[-1]))
			continue;
		if (word_is(p, st.end, "new")) {
			for (q = p + 3;
			     q < st.end && (is_word(*q) || is_blank(*q) || *q == ':');)
				q++;
			if (simple_type(s->type, p + 3, q))
				return;
		} else if (word_is(p, st.end, "make_unique") ||
			   word_is(p, st.end, "make_shared")) {
			for (p += 11; p < st.end && *p != '<';)
				p++;
			for (q = p; q < st.end && *q != '[' && *q != '>';)
				q++;
			if (p < q && simple_type(s->type, p + 1, q))
				return;
		} else if (*p == '(') {
			for (q = p + 1; q < st.end && (is_word(*q) || is_blank(*q));)
				q++;
			/* A cast: one star, the bracket, then the operand. */
			if (q + 2 < st.end && q[0] == '*' &&
			    *skip(q + 1, st.end) == ')' && simple_type(s->type, p + 1, q))
				return;
		} else if (word_is(p, st.end, "sizeof")) {
			p = skip(p + 6, st.end);
			for (q = p; q < st.end && *q != ')';)
				q++;
			if (p < q && *p == '(' && simple_type(s->type, p + 1, q))
				return;
		}
	}
}

/* Does the text name the function, which may have a scope and template arguments? */
static const char *find_word(const char *text, const char *end, const char *callee)
{
	const char *name = strstr(callee, "operator new") ? "new" : callee;

	for (const char *q; (q = strstr(name, "::"));)
		name = q + 2;
	size_t n = strcspn(name, "@<.(+ ");
	for (const char *p = text; n && p + n <= end; p++)
		if (memcmp(p, name, n) == 0 && (p == text || !is_word(p[-1])) &&
		    (p + n == end || !is_word(p[n])))
			return p;
	return NULL;
}

/* The call that allocates, or NULL. callee is empty if it is the allocator. */
static const char *find_allocation(const char *text, const char *end, const char *callee)
{
	static const char *const allocators[] = { "malloc",   "calloc",         "realloc",
						  "memalign", "posix_memalign", "strdup",
						  "strndup",  "aligned_alloc",  "new",
						  "mmap",     "reallocarray" };
	const char *first = NULL;

	if (*callee)
		return find_word(text, end, callee);
	for (size_t i = 0; i < sizeof(allocators) / sizeof(*allocators); i++) {
		const char *p = find_word(text, end, allocators[i]);

		first = p && (!first || p < first) ? p : first;
	}
	return first;
}

/* Behind for (...), if (...) and else, and behind the last part of for (...; ...; ...).
 */
static const char *behind_control(struct span st)
{
	static const char *const words[] = {
		"for", "while", "if", "switch", "else", "do"
	};
	const char *p = st.at;
	int depth = 0;

	for (const char *q = p; q < st.end; q++) {
		depth += *q == '(' ? 1 : *q == ')' ? -1 : 0;
		if (depth < 0) {
			p = skip(q + 1, st.end);
			depth = 0;
		}
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!word_is(p, st.end, words[i]))
			continue;
		p = skip(p + strlen(words[i]), st.end);
		p = p < st.end && *p == '(' ? skip(closing(p, st.end), st.end) : p;
		i = SIZE_MAX; /* from the first word on again */
	}
	return p;
}

/* NAME(...) where the function that is called has another name: a macro. */
static void find_hidden(struct ml_statement *s, struct span st, const char *callee)
{
	const char *p, *end;

	st.at = p = behind_control(st);
	while (p < st.end && is_word(*p))
		p++;
	const char *open = skip(p, st.end);
	if (p == st.at || is_keyword(st.at, p) || open == st.end || *open != '(' ||
	    find_allocation(st.at, st.end, callee))
		return;
	end = closing(open, st.end) - 1;
	if (*end == ')' && (size_t)(end - open) < sizeof(s->hidden) &&
	    ml_lvalue_copy(s->macro, st.at, p)) {
		memcpy(s->hidden, open + 1, (size_t)(end - open) - 1);
		s->hidden[end - open - 1] = 0;
	}
}

static struct span statement_at(const char *text, size_t size, const char *at)
{
	struct span st = { at, at };

	while (st.at > text && !strchr(";{}", st.at[-1]))
		st.at--;
	while (st.end < text + size && *st.end != ';')
		st.end++;
	/* { 1, 2 } after a name or = or = TYPE initialises: the statement began before
	 * it. */
	if (st.at > text && st.at[-1] == '{') {
		const char *q = back(st.at - 1, text);
		const char *word = word_start(q, text), *type = back(word, text);
		const char *from = q;

		while (from > text && !strchr(";{}", from[-1]))
			from--;
		if ((q > text && (is_word(q[-1]) || strchr("=>", q[-1])) &&
		     memchr(from, '=', (size_t)(q - from))) ||
		    (word < q && type > text && (type[-1] == '>' || is_word(type[-1]))))
			for (st.at = word; st.at > text && !strchr(";{}", st.at[-1]);)
				st.at--;
	}
	st.at = skip(st.at, st.end);
	return st;
}

/* posix_memalign returns an error, not the block. */
static bool is_memalign(const char *call, const char *end)
{
	return word_is(call, end, "posix_memalign");
}

/* "w[3] = 5" behind "#pragma omp task" calls no function of C, though one runs there. */
static bool calls_nothing(struct span st, const char *from, const char *callee)
{
	return !strstr(callee, "::") && strncmp(callee, "operator", 8) != 0 &&
	       !memchr(from, '(', (size_t)(st.end - from)) &&
	       !find_word(from, st.end, "new");
}

/* The name of a method without its class, template arguments and parameters. */
static struct span method_name(const char *callee)
{
	struct span name = { callee, callee };
	int depth = 0;

	for (const char *p = callee; *p && !(depth == 0 && *p == '('); p++) {
		depth += *p == '<' ? 1 : *p == '>' ? -1 : 0;
		if (depth == 0 && p[0] == ':' && p[1] == ':')
			name.at = p + 2;
	}
	for (name.end = name.at; is_word(*name.end);)
		name.end++;
	return name;
}

/* The word in a statement, at `call` or behind it, else its first occurrence. */
static const char *find_method(struct span st, const char *call, struct span word)
{
	size_t n = (size_t)(word.end - word.at);
	const char *first = NULL;

	for (const char *p = st.at; n && p + n <= st.end; p++) {
		if (memcmp(p, word.at, n) != 0 || (p > st.at && is_word(p[-1])) ||
		    (p + n < st.end && is_word(p[n])))
			continue;
		if (p >= call)
			return p;
		first = first ? first : p;
	}
	return first;
}

static void find_object(struct ml_statement *s, struct span st, const char *call,
			const char *callee)
{
	struct ml_lvalue v = { 0 };
	const char *p = find_method(st, call, method_name(callee)), *q;

	if (strstr(callee, "::operator[]")) {
		struct ml_statement named = { 0 };

		if (indexed(&named, st, call, callee))
			memcpy(s->object, named.name, sizeof(s->object));
		return;
	}
	if (!p)
		return;
	q = back(p, st.at);
	size_t n = q > st.at && q[-1] == '.'                  ? 1
		   : q > st.at + 1 && !memcmp(q - 2, "->", 2) ? 2
							      : 0;
	if (n && ml_lvalue_before(&v, q - n, st.at) && strcmp(v.name, "this") != 0)
		memcpy(s->object, v.name, sizeof(s->object));
	s->own = !n || !strcmp(v.name, "this");
}

void ml_statement_parse(struct ml_statement *s, const char *text, size_t size, size_t at,
			const char *callee)
{
	const char *p = text + (at < size ? at : size);
	bool in_std = strncmp(callee, "std::", 5) == 0 ||
		      strncmp(callee, "__gnu", 5) == 0;

	*s = (struct ml_statement){ 0 };
	struct span st = statement_at(text, size, p);
	/* By compiler, columns point at the name or at the bracket behind it. */
	const char *call = p < st.end && *p == '(' ? word_start(back(p, st.at), st.at)
						   : p;
	const char *equals = assignment(st.at, p);
	if (equals && calls_nothing(st, equals, callee))
		equals = NULL;
	struct ml_statement out = { 0 };
	bool receives = out_argument(&out, st, call);
	bool found = (in_std && indexed(s, st, p, callee)) ||
		     (equals && lvalue_before(s, equals, st.at)) ||
		     (in_std && container(s, st, p)) || declared(s, st, p) ||
		     (in_std && declared_empty(s, st));
	if (receives && (!found || is_memalign(call, st.end)))
		*s = out;
	else if (receives)
		memcpy(s->out, out.name, sizeof(s->out));
	found |= receives;
	if (!found)
		*s = (struct ml_statement){ 0 };
	s->returned = !found && word_is(st.at, st.end, "return");
	if (!found || !strcmp(s->name, out.name))
		find_hidden(s, st, callee);
	find_type(s, st, equals ? equals : st.at);
	if (*callee)
		find_object(s, st, call, callee);
}

/* A call of a function whose name says that it allocates, or NULL. */
static const char *find_wrapper(const char *p, const char *end)
{
	for (const char *from; p < end; p++) {
		for (from = p; p < end && is_word(*p);)
			p++;
		for (const char *q = from; q + 5 <= p; q++)
			if (!strncasecmp(q, "alloc", 5) && *skip(p, end) == '(')
				return from;
	}
	return NULL;
}

bool ml_statement_parse_calls(struct ml_statement *s, const char *text, size_t size,
			      const char *callee)
{
	const char *end = text + size, *p = text;
	bool named = find_allocation(text, end, callee);
	struct ml_statement one;

	*s = (struct ml_statement){ 0 };
	while ((p = named ? find_allocation(p, end, callee) : find_wrapper(p, end))) {
		ml_statement_parse(&one, text, size, (size_t)(p - text), callee);
		if (!one.name[0] || (s->name[0] && strcmp(one.name, s->name) != 0)) {
			*s = (struct ml_statement){ 0 };
			return false;
		}
		*s = one;
		while (p < end && is_word(*p))
			p++;
	}
	return s->name[0];
}

/* Without a column: where the name of the callee stands in the line, else its end. */
static size_t find_call(const char *line, size_t size, const char *callee)
{
	const char *end = line + size, *p = find_word(line, end, callee);

	if (p)
		return (size_t)(p - line);
	p = back(end, line);
	while (p > line &&
	       (p[-1] == ';' || p[-1] == '{' || p[-1] == '}' || is_blank(p[-1])))
		p--;
	return (size_t)(p - line);
}

bool ml_statement_read(struct ml_statement *s, struct ml_sources *sources,
		       const char *path, uint32_t line, uint32_t column,
		       const char *callee)
{
	struct ml_arena a = { 0 };
	struct ml_source_code code;

	*s = (struct ml_statement){ 0 };
	uint32_t first = line > LINES_AROUND ? line - LINES_AROUND : 1;
	bool found = ml_source_code_read(&code, &a, sources, path, first,
					 line + LINES_AROUND) &&
		     line - first < code.lines;
	if (found) {
		size_t start = code.line[line - first];
		size_t size = code.line[line - first + 1] - start - 1;
		size_t at = column && column <= size
				    ? column - 1
				    : find_call(code.text + start, size, callee);

		ml_statement_parse(s, code.text, code.size, start + at, callee);
	}
	ml_arena_release(&a);
	return found;
}
