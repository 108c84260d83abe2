#include "lib/samples/selection.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/samples/samples.h"
#include "lib/trace/text/scan.h"

struct ml_selection ml_selection_none(uint64_t rows, struct ml_arena *a)
{
	return (struct ml_selection){
		ml_arena_alloc(a, (ml_selection_words(rows) + 1) * sizeof(uint64_t)), rows
	};
}

struct ml_selection ml_selection_all(uint64_t rows, struct ml_arena *a)
{
	struct ml_selection s = ml_selection_none(rows, a);

	ml_selection_invert(&s);
	return s;
}

void ml_selection_combine(struct ml_selection *a, const struct ml_selection *b,
			  enum ml_selection_op op)
{
	for (uint64_t i = 0; i < ml_selection_words(a->rows); i++)
		switch (op) {
		case ML_SELECTION_NEW: a->words[i] = b->words[i]; break;
		case ML_SELECTION_ADD: a->words[i] |= b->words[i]; break;
		case ML_SELECTION_FILTER: a->words[i] &= b->words[i]; break;
		case ML_SELECTION_TOGGLE: a->words[i] ^= b->words[i]; break;
		case ML_SELECTION_REMOVE: a->words[i] &= ~b->words[i]; break;
		}
}

void ml_selection_invert(struct ml_selection *a)
{
	uint64_t n = ml_selection_words(a->rows);

	for (uint64_t i = 0; i < n; i++)
		a->words[i] = ~a->words[i];
	if (a->rows % 64)
		a->words[n - 1] &= (1ull << a->rows % 64) - 1;
}

uint64_t ml_selection_count(const struct ml_selection *a)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < ml_selection_words(a->rows); i++)
		count += (uint64_t)__builtin_popcountll(a->words[i]);
	return count;
}

struct parser {
	const struct ml_samples *s;
	const char *text, *at;
	struct ml_scan_word token;
	bool quoted;
	unsigned depth;
	struct ml_arena *a;
	struct ml_err *err;
};

static bool is_op(char c)
{
	return c && strchr("=!<>~", c);
}

static void next_token(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	p->token = (struct ml_scan_word){ p->at, 0 };
	p->quoted = *p->at == '"' || *p->at == '\'';
	if (p->quoted) {
		const char *end = strchr(p->at + 1, *p->at);

		end = end ? end : p->at + strlen(p->at);
		p->token = (struct ml_scan_word){ p->at + 1, (size_t)(end - p->at - 1) };
		p->at = *end ? end + 1 : end;
		return;
	}
	if (*p->at == '(' || *p->at == ')')
		p->at++;
	else if (is_op(*p->at))
		while (is_op(*p->at))
			p->at++;
	else
		while (*p->at && !strchr(" \t()\"'", *p->at) && !is_op(*p->at))
			p->at++;
	p->token.size = (size_t)(p->at - p->token.at);
}

static bool token_is(const struct parser *p, const char *word)
{
	return !p->quoted && p->token.size == strlen(word) &&
	       !strncasecmp(p->token.at, word, p->token.size);
}

static bool wrong(struct parser *p, const char *what)
{
	char shown[ML_SCAN_SHOWN];

	if (!p->token.size && !p->quoted)
		return ml_fail(p->err, ML_USAGE, "selection: %s is missing at the end",
			       what);
	return ml_fail(p->err, ML_USAGE, "selection: expected %s, not '%s'", what,
		       ml_scan_shown(p->token, shown));
}

static int find_column(const struct parser *p)
{
	const char *name = ml_arena_copy(p->a, p->token.at, p->token.size);
	int column = ml_samples_find(p->s, name);

	if (column < 0) {
		enum ml_samples_role role = ml_samples_role_of(name, p->token.size);

		if (role != ML_SAMPLES_ROLES)
			column = p->s->role[role];
	}
	return column;
}

/* The bits of a number as the column has them. */
static bool read_number(const struct ml_samples_column *c, struct ml_scan_word w,
			uint64_t *bits)
{
	bool minus = w.size && *w.at == '-';
	char text[64], *end;
	uint64_t v;

	if (c->kind == ML_SAMPLES_REAL) {
		if (!w.size || w.size >= sizeof(text))
			return false;
		memcpy(text, w.at, w.size);
		text[w.size] = 0;
		double real = strtod(text, &end);
		memcpy(bits, &real, sizeof(*bits));
		return !*end && real == real;
	}
	if (minus)
		w = (struct ml_scan_word){ w.at + 1, w.size - 1 };
	if (!ml_scan_whole(w, &v) || (minus && c->kind != ML_SAMPLES_SIGNED) ||
	    (c->kind == ML_SAMPLES_SIGNED && v > INT64_MAX))
		return false;
	*bits = minus ? 0 - v : v;
	return true;
}

/* Rows whose name passes a test. */
static void select_names(struct ml_selection *sel, const struct ml_samples_column *c,
			 struct ml_scan_word w, bool contains, struct ml_arena *a)
{
	bool *chosen = ml_arena_alloc(a, c->name_count + 1);

	for (size_t i = 0; i < c->name_count; i++) {
		size_t size = strlen(c->names[i]);

		chosen[i] = contains ? memmem(c->names[i], size, w.at, w.size) != NULL
				     : size == w.size && !memcmp(c->names[i], w.at, size);
	}
	ml_selection_names(sel, c, chosen);
}

/* #3..#9: names by their numbers, as an axis of names is brushed. */
static bool read_numbered(const struct ml_samples_column *c, struct ml_scan_word w,
			  uint64_t *bits)
{
	if (c->kind != ML_SAMPLES_NAMES)
		return read_number(c, w, bits);
	return w.size > 1 && *w.at == '#' &&
	       ml_scan_whole((struct ml_scan_word){ w.at + 1, w.size - 1 }, bits);
}

/* LOW..HIGH */
static bool select_between(struct parser *p, struct ml_selection *sel,
			   const struct ml_samples_column *c)
{
	const char *dots = memmem(p->token.at, p->token.size, "..", 2);
	uint64_t low, high;

	if (!dots || p->quoted)
		return wrong(p, "= != < <= > >= ~ or LOW..HIGH");
	struct ml_scan_word a = { p->token.at, (size_t)(dots - p->token.at) },
			    b = { dots + 2,
				  (size_t)(p->token.at + p->token.size - dots - 2) };
	if (!read_numbered(c, a, &low) || !read_numbered(c, b, &high))
		return wrong(p, c->kind == ML_SAMPLES_NAMES ? "two names #LOW..#HIGH"
							    : "two numbers LOW..HIGH");
	ml_selection_keys(sel, c, ml_samples_key(c, low), ml_samples_key(c, high));
	return true;
}

static bool select_compared(struct parser *p, struct ml_selection *sel,
			    const struct ml_samples_column *c, struct ml_scan_word op)
{
	uint64_t bits, low = 0, high = UINT64_MAX;
	bool equal = op.size == 2 && op.at[1] == '=';

	if (!read_number(c, p->token, &bits))
		return wrong(p, "a number");
	uint64_t key = ml_samples_key(c, bits);
	switch (*op.at) {
	case '=': low = high = key; break;
	case '<':
		if (!equal && !key)
			return true; /* nothing is below */
		high = equal ? key : key - 1;
		break;
	case '>':
		if (!equal && key == UINT64_MAX)
			return true;
		low = equal ? key : key + 1;
		break;
	default: { /* != is two ranges */
		struct ml_selection other = ml_selection_none(sel->rows, p->a);

		ml_selection_keys(&other, c, key, key);
		ml_selection_keys(sel, c, 0, UINT64_MAX);
		ml_selection_combine(sel, &other, ML_SELECTION_REMOVE);
		return true;
	}
	}
	ml_selection_keys(sel, c, low, high);
	return true;
}

static bool known_op(struct ml_scan_word op)
{
	static const char *const ops[] = { "=", "==", "!=", "<", "<=", ">", ">=", "~" };

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (strlen(ops[i]) == op.size && !memcmp(ops[i], op.at, op.size))
			return true;
	return false;
}

static bool parse_condition(struct parser *p, struct ml_selection *sel)
{
	int column = find_column(p);

	if (column < 0)
		return wrong(p, "the name of a column");
	const struct ml_samples_column *c = &p->s->columns[column];
	*sel = ml_selection_none(p->s->rows, p->a);
	next_token(p);
	struct ml_scan_word op = p->token;
	if (p->quoted || !known_op(op)) {
		if (!select_between(p, sel, c))
			return false;
		next_token(p);
		return true;
	}
	next_token(p);
	if (!p->token.size && !p->quoted)
		return wrong(p, "a value");
	if (c->kind != ML_SAMPLES_NAMES) {
		if (*op.at == '~')
			return ml_fail(
				p->err, ML_USAGE,
				"selection: ~ needs a column of names, and %s holds "
				"numbers",
				c->name);
		if (!select_compared(p, sel, c, op))
			return false;
	} else {
		if (*op.at == '<' || *op.at == '>')
			return ml_fail(
				p->err, ML_USAGE,
				"selection: %.*s needs a column of numbers, and %s holds "
				"names",
				(int)op.size, op.at, c->name);
		select_names(sel, c, p->token, *op.at == '~', p->a);
		if (*op.at == '!')
			ml_selection_invert(sel);
		for (uint64_t w = 0; c->missing && w < ml_selection_words(sel->rows); w++)
			sel->words[w] &= ~c->missing[w];
	}
	next_token(p);
	return true;
}

enum { NESTED_MAX = 64 };

static bool parse_any(struct parser *p, struct ml_selection *sel);

static bool parse_one(struct parser *p, struct ml_selection *sel)
{
	bool ok;

	if (p->depth == NESTED_MAX)
		return ml_fail(p->err, ML_USAGE, "selection: it is nested too deeply");
	p->depth++;
	if (token_is(p, "not")) {
		next_token(p);
		ok = parse_one(p, sel);
		if (ok)
			ml_selection_invert(sel);
	} else if (token_is(p, "(")) {
		next_token(p);
		ok = parse_any(p, sel);
		if (ok && !token_is(p, ")"))
			ok = wrong(p, "')'");
		if (ok)
			next_token(p);
	} else
		ok = parse_condition(p, sel);
	p->depth--;
	return ok;
}

static bool parse_all(struct parser *p, struct ml_selection *sel)
{
	struct ml_selection other;

	if (!parse_one(p, sel))
		return false;
	while (token_is(p, "and")) {
		next_token(p);
		if (!parse_one(p, &other))
			return false;
		ml_selection_combine(sel, &other, ML_SELECTION_FILTER);
	}
	return true;
}

static bool parse_any(struct parser *p, struct ml_selection *sel)
{
	struct ml_selection other;

	if (!parse_all(p, sel))
		return false;
	while (token_is(p, "or") || token_is(p, "xor")) {
		bool toggle = token_is(p, "xor");

		next_token(p);
		if (!parse_all(p, &other))
			return false;
		ml_selection_combine(sel, &other,
				     toggle ? ML_SELECTION_TOGGLE : ML_SELECTION_ADD);
	}
	return true;
}

bool ml_selection_parse(struct ml_selection *sel, const struct ml_samples *s,
			const char *text, struct ml_arena *a, struct ml_err *err)
{
	struct parser p = { .s = s, .text = text, .at = text, .a = a, .err = err };

	if (!text || !*text) {
		*sel = ml_selection_all(s->rows, a);
		return true;
	}
	next_token(&p);
	if (!parse_any(&p, sel))
		return false;
	return !p.token.size && !p.quoted ? true : wrong(&p, "and, or or xor");
}
