/* The text language of search spaces: a line a statement, read by recursive descent. */
#include "lib/prune/space.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/map.h"

enum { NAME_MAX_SIZE = 64, DEPTH_MAX = 200, NODES_MAX = 4096, WORDS_MAX = 8 };

enum token {
	END,
	NEWLINE,
	NAME,
	NUMBER,
	STRING,
	PUNCTUATION, /* one or two characters, in `text` */
};

struct reader {
	struct ml_space *s;
	const char *at, *end;
	const char *line_start;
	unsigned line;
	unsigned nested; /* open parentheses: inside, a new line is a space */
	unsigned depth;  /* of the expression, bounded for the stack's sake */
	/* the token that is being looked at */
	enum token token;
	const char *text; /* of it */
	size_t size;
	unsigned token_line, token_column;
	const char *token_end; /* of the token before: where an expression ends */
	int64_t number;
	/* names of derived values, and words, by their numbers in `names` */
	struct ml_names names;
	struct meaning {
		enum { NOTHING, PARAM, DERIVED, WORD, CONSTRAINT } is;
		uint32_t number; /* of the parameter; node of a derived value */
		int64_t value;   /* of a word */
		bool ambiguous;  /* a word that stands for two values */
	} * meanings;
	size_t meaning_cap;
	struct ml_err *err;
};

static bool fail_at(struct reader *r, unsigned line, unsigned column, const char *fmt,
		    ...) __attribute__((format(printf, 4, 5)));

static bool fail_at(struct reader *r, unsigned line, unsigned column, const char *fmt,
		    ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return ml_fail(r->err, ML_FORMAT, "%s:%u:%u: %s", r->s->path, line, column, text);
}

#define FAIL(r, ...) fail_at(r, (r)->token_line, (r)->token_column, __VA_ARGS__)

static bool name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool read_number(struct reader *r)
{
	int64_t v = 0;

	while (r->at < r->end && isdigit((unsigned char)*r->at)) {
		v = v * 10 + (*r->at++ - '0');
		if (v > ML_EXPR_LIMIT / 16)
			return FAIL(r, "the number is too large");
	}
	if (r->at < r->end && (*r->at == 'K' || *r->at == 'M' || *r->at == 'G')) {
		v <<= *r->at == 'K' ? 10 : *r->at == 'M' ? 20 : 30;
		if (v > ML_EXPR_LIMIT || v < 0)
			return FAIL(r, "the number is too large");
		r->at++;
	}
	if (r->at < r->end && name_part(*r->at))
		return FAIL(r, "a number ends with a digit, K, M or G, not with '%c'",
			    *r->at);
	if (r->at + 1 < r->end && *r->at == '.' && isdigit((unsigned char)r->at[1]))
		return FAIL(r, "values are whole numbers: there are no fractions");
	r->number = v;
	return true;
}

static void skip_space(struct reader *r)
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
static bool step(struct reader *r)
{
	static const char *const twos[] = { "==", "!=", "<=", ">=", "..", "&&", "||" };

	r->token_end = r->at;
	skip_space(r);
	r->token_line = r->line;
	r->token_column = (unsigned)(r->at - r->line_start) + 1;
	r->text = r->at;
	if (r->at == r->end) {
		r->token = END;
	} else if (*r->at == '\n') {
		r->token = NEWLINE;
		r->line++;
		r->line_start = ++r->at;
	} else if (name_start(*r->at)) {
		r->token = NAME;
		while (r->at < r->end && name_part(*r->at))
			r->at++;
		if (r->at - r->text >= NAME_MAX_SIZE)
			return FAIL(r, "a name has at most %d characters",
				    NAME_MAX_SIZE - 1);
	} else if (isdigit((unsigned char)*r->at)) {
		r->token = NUMBER;
		if (!read_number(r))
			return false;
	} else if (*r->at == '"') {
		r->token = STRING;
		for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
			if (*r->at == '\n')
				return FAIL(r, "the text has no closing \"");
		if (r->at == r->end)
			return FAIL(r, "the text has no closing \"");
		r->at++;
	} else {
		r->token = PUNCTUATION;
		r->at++;
		for (size_t i = 0; i < sizeof(twos) / sizeof(*twos); i++)
			if (r->end - r->text >= 2 && !memcmp(r->text, twos[i], 2))
				r->at = r->text + 2;
		if (!strchr("=!<>.+-*/%(),:&|", *r->text) || !*r->text)
			return FAIL(r,
				    isprint((unsigned char)*r->text)
					    ? "'%c' means nothing here"
					    : "the byte 0x%02x means nothing here",
				    (unsigned char)*r->text);
	}
	r->size = (size_t)(r->at - r->text);
	return true;
}

static bool is(const struct reader *r, const char *text)
{
	return (r->token == NAME || r->token == PUNCTUATION) && strlen(text) == r->size &&
	       !memcmp(text, r->text, r->size);
}

static const char *shown(const struct reader *r)
{
	return r->token == END ? "the end of the file"
	       : r->token == NEWLINE
		       ? "the end of the line"
		       : ml_arena_printf(&r->s->arena, "'%.*s'", (int)r->size, r->text);
}

static bool expect(struct reader *r, const char *text, const char *where)
{
	if (!is(r, text))
		return FAIL(r, "'%s' is wanted %s, not %s", text, where, shown(r));
	return step(r);
}

static struct meaning *meaning(struct reader *r, const char *text, size_t size)
{
	uint32_t n = ml_names_add_bytes(&r->names, text, size);

	r->meanings = ml_grow(r->meanings, &r->meaning_cap, n + 1, sizeof(*r->meanings));
	return &r->meanings[n];
}

static bool expression(struct reader *r, uint32_t *node);

static bool apply(struct reader *r, unsigned line, unsigned column, enum ml_expr_op op,
		  uint32_t a, uint32_t b, uint32_t c, uint32_t *node)
{
	if (r->s->exprs.count > NODES_MAX)
		return fail_at(r, line, column, "the expressions have too many parts");
	switch (ml_expr_add(&r->s->exprs, op, a, b, c, node)) {
	case ML_EXPR_TOO_LARGE:
		return fail_at(r, line, column,
			       "values may leave 2^62 here: the ranges of the "
			       "parameters allow it");
	case ML_EXPR_ZERO_DIVISOR:
		return fail_at(r, line, column, "the divisor is always zero");
	case ML_EXPR_FINE: break;
	}
	struct ml_expr *e = &r->s->exprs.at[*node];
	if (!e->line) {
		e->line = line;
		e->column = column;
	}
	return true;
}

/* PARAMETER of words, as the first argument of before() and position(). */
static bool words_argument(struct reader *r, const char *function, unsigned *param)
{
	struct meaning *m = r->token == NAME ? meaning(r, r->text, r->size) : NULL;

	if (!m || m->is != PARAM || !r->s->params[m->number].permutations)
		return FAIL(r, "%s wants a parameter of permutations first, not %s",
			    function, shown(r));
	*param = m->number;
	return step(r);
}

static bool word_argument(struct reader *r, unsigned param, size_t *word)
{
	const struct ml_param_range *p = &r->s->params[param];

	if (!expect(r, ",", "before the next argument"))
		return false;
	for (*word = 0; r->token == NAME && *word < p->word_count; ++*word)
		if (strlen(p->words[*word]) == r->size &&
		    !memcmp(p->words[*word], r->text, r->size))
			return step(r);
	return FAIL(r, "%s is no word of %s", shown(r), p->name);
}

static int64_t factorial(size_t n)
{
	return n < 2 ? 1 : (int64_t)n * factorial(n - 1);
}

/* Where a word stands in each permutation, from 1. */
static uint32_t positions(struct reader *r, unsigned param, size_t word)
{
	const struct ml_param_range *p = &r->s->params[param];
	size_t count = (size_t)factorial(p->word_count);
	int64_t *values = ml_arena_alloc(&r->s->arena, count * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		int64_t block = (int64_t)count, index = (int64_t)i;
		bool used[WORDS_MAX] = { false };

		for (size_t left = p->word_count; left; left--) {
			block /= (int64_t)left;
			int64_t skip = index / block;
			size_t w = 0;

			index %= block;
			for (;; w++)
				if (!used[w] && !skip--)
					break;
			used[w] = true;
			if (w == word)
				values[i] = (int64_t)(p->word_count - left + 1);
		}
	}
	uint32_t table = ml_expr_table(&r->s->exprs, values, count);
	return ml_expr_lookup(&r->s->exprs, p->node, table);
}

/* before(order, a, b) and position(order, a). */
static bool word_call(struct reader *r, bool before, unsigned line, unsigned column,
		      uint32_t *node)
{
	unsigned param = 0;
	size_t first, second;

	if (!words_argument(r, before ? "before()" : "position()", &param) ||
	    !word_argument(r, param, &first) ||
	    (before && !word_argument(r, param, &second)))
		return false;
	*node = positions(r, param, first);
	return !before || apply(r, line, column, ML_EXPR_LT, *node,
				positions(r, param, second), 0, node);
}

static bool arguments(struct reader *r, unsigned count, uint32_t *at)
{
	for (unsigned i = 0; i < count; i++)
		if ((i && !expect(r, ",", "before the next argument")) ||
		    !expression(r, &at[i]))
			return false;
	return true;
}

/* ceil_div(a, b) is (a + b - 1) / b. */
static bool ceiling(struct reader *r, unsigned line, unsigned column, const uint32_t *arg,
		    uint32_t *node)
{
	uint32_t one = ml_expr_number(&r->s->exprs, 1);

	return apply(r, line, column, ML_EXPR_ADD, arg[0], arg[1], 0, node) &&
	       apply(r, line, column, ML_EXPR_SUB, *node, one, 0, node) &&
	       apply(r, line, column, ML_EXPR_DIV, *node, arg[1], 0, node);
}

static bool call(struct reader *r, const char *name, size_t size, unsigned line,
		 unsigned column, uint32_t *node)
{
	static const struct {
		const char *name;
		enum ml_expr_op op;
		unsigned count;
	} functions[] = {
		{ "min", ML_EXPR_MIN, 2 },         { "max", ML_EXPR_MAX, 2 },
		{ "abs", ML_EXPR_ABS, 1 },         { "if", ML_EXPR_IF, 3 },
		{ "ceil_div", ML_EXPR_NUMBER, 2 }, { "before", ML_EXPR_LOOKUP, 3 },
		{ "position", ML_EXPR_LOOKUP, 2 },
	};
	size_t i = 0, count = sizeof(functions) / sizeof(*functions);
	uint32_t arg[3] = { 0 };

	while (i < count && (strlen(functions[i].name) != size ||
			     memcmp(functions[i].name, name, size) != 0))
		i++;
	if (i == count)
		return fail_at(r, line, column,
			       "there is no function '%.*s': min, max, abs, if, "
			       "ceil_div, before and position are known",
			       (int)size, name);
	r->nested++;
	if (!step(r))
		return false;
	bool ok = functions[i].op == ML_EXPR_LOOKUP
			  ? word_call(r, functions[i].count == 3, line, column, node)
			  : arguments(r, functions[i].count, arg);
	r->nested--;
	if (!ok || !expect(r, ")", "after the arguments"))
		return false;
	if (functions[i].op == ML_EXPR_LOOKUP)
		return true;
	if (functions[i].op == ML_EXPR_NUMBER)
		return ceiling(r, line, column, arg, node);
	return apply(r, line, column, functions[i].op, arg[0], arg[1], arg[2], node);
}

static bool named(struct reader *r, uint32_t *node)
{
	const char *name = r->text;
	size_t size = r->size;
	unsigned line = r->token_line, column = r->token_column;

	if (!step(r))
		return false;
	if (is(r, "("))
		return call(r, name, size, line, column, node);
	struct meaning m = *meaning(r, name, size);
	switch (m.is) {
	case PARAM: *node = r->s->params[m.number].node; return true;
	case DERIVED: *node = m.number; return true;
	case WORD:
		*node = ml_expr_number(&r->s->exprs, m.value);
		return !m.ambiguous ||
		       fail_at(r, line, column, "'%.*s' is a word of two parameters",
			       (int)size, name);
	case CONSTRAINT:
		return fail_at(r, line, column,
			       "'%.*s' is a constraint: give its expression a name with "
			       "NAME = ... and use that",
			       (int)size, name);
	case NOTHING: break;
	}
	return fail_at(r, line, column,
		       "'%.*s' is not known here: a name is explained on a line before "
		       "the lines that use it",
		       (int)size, name);
}

static bool primary(struct reader *r, uint32_t *node)
{
	if (r->token == NUMBER) {
		*node = ml_expr_number(&r->s->exprs, r->number);
		return step(r);
	}
	if (r->token == NAME)
		return named(r, node);
	if (!is(r, "("))
		return FAIL(r, "a value is wanted, not %s", shown(r));
	r->nested++;
	bool ok = step(r) && expression(r, node);
	r->nested--;
	return ok && expect(r, ")", "to close the parenthesis");
}

static bool unary(struct reader *r, uint32_t *node)
{
	unsigned line = r->token_line, column = r->token_column;

	if (++r->depth > DEPTH_MAX)
		return FAIL(r, "the expression is nested too deeply");
	bool minus = is(r, "-"), not = is(r, "not") || is(r, "!"), ok;
	if (minus || not )
		ok = step(r) && unary(r, node) &&
		     apply(r, line, column, minus ? ML_EXPR_NEG : ML_EXPR_NOT, *node, 0,
			   0, node);
	else
		ok = primary(r, node);
	r->depth--;
	return ok;
}

struct operation {
	const char *text;
	enum ml_expr_op op;
	unsigned strength;
};

static const struct operation *operation(const struct reader *r)
{
	static const struct operation operations[] = {
		{ "or", ML_EXPR_OR, 1 },   { "||", ML_EXPR_OR, 1 },
		{ "and", ML_EXPR_AND, 2 }, { "&&", ML_EXPR_AND, 2 },
		{ "==", ML_EXPR_EQ, 3 },   { "!=", ML_EXPR_NE, 3 },
		{ "<", ML_EXPR_LT, 3 },    { "<=", ML_EXPR_LE, 3 },
		{ ">", ML_EXPR_GT, 3 },    { ">=", ML_EXPR_GE, 3 },
		{ "+", ML_EXPR_ADD, 4 },   { "-", ML_EXPR_SUB, 4 },
		{ "*", ML_EXPR_MUL, 5 },   { "/", ML_EXPR_DIV, 5 },
		{ "mod", ML_EXPR_MOD, 5 }, { "%", ML_EXPR_MOD, 5 },
	};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (is(r, operations[i].text))
			return &operations[i];
	return NULL;
}

/* Operations of at least this strength, the stronger first. */
static bool binary(struct reader *r, unsigned strength, uint32_t *node)
{
	const struct operation *o;
	bool compared = false;

	if (!unary(r, node))
		return false;
	while ((o = operation(r)) && o->strength >= strength) {
		unsigned line = r->token_line, column = r->token_column;
		uint32_t right;

		if (o->strength == 3 && compared)
			return FAIL(r, "comparisons do not chain: join two with 'and'");
		compared = o->strength == 3;
		/* an operation at the end of a line goes on with the next */
		r->nested++;
		bool ok = step(r);
		r->nested--;
		if (++r->depth > DEPTH_MAX)
			return FAIL(r, "the expression is nested too deeply");
		if (!ok || !binary(r, o->strength + 1, &right) ||
		    !apply(r, line, column, o->op, *node, right, 0, node))
			return false;
		r->depth--;
	}
	if (is(r, "="))
		return FAIL(r, "'==' compares; '=' only explains a name");
	return true;
}

static bool expression(struct reader *r, uint32_t *node)
{
	return binary(r, 1, node);
}

/* Gives a new name its meaning. */
static bool explain(struct reader *r, const char *name, unsigned line, unsigned column,
		    struct meaning what)
{
	struct meaning *m = meaning(r, name, strlen(name));

	if (m->is != NOTHING)
		return fail_at(r, line, column, "'%s' has a meaning already", name);
	*m = what;
	return true;
}

static bool add_word(struct reader *r, struct ml_param_range *p, bool constant)
{
	const char **words = ml_arena_alloc(&r->s->arena,
					    (p->word_count + 1) * sizeof(*words));

	for (size_t i = 0; i < p->word_count; i++) {
		words[i] = p->words[i];
		if (strlen(words[i]) == r->size && !memcmp(words[i], r->text, r->size))
			return FAIL(r, "%s stands twice", shown(r));
	}
	words[p->word_count] = ml_arena_copy(&r->s->arena, r->text, r->size);
	p->words = words;
	if (constant) {
		struct meaning *m = meaning(r, r->text, r->size);

		if (m->is == NOTHING)
			*m = (struct meaning){ .is = WORD,
					       .value = (int64_t)p->word_count };
		else if (m->is != WORD)
			return FAIL(r, "%s has a meaning already", shown(r));
		else if (m->value != (int64_t)p->word_count)
			m->ambiguous = true;
	}
	p->word_count++;
	return step(r);
}

/* "words a, b, c" and "permutations of a b c". */
static bool word_range(struct reader *r, struct ml_param_range *p)
{
	size_t count, max = p->permutations ? WORDS_MAX : 1024;

	do {
		if (is(r, ",") && !step(r))
			return false;
		if (r->token != NAME)
			return FAIL(r, "a word is wanted, not %s", shown(r));
		if (p->word_count == max)
			return FAIL(r, "there are more than %zu words", max);
		if (!add_word(r, p, !p->permutations))
			return false;
	} while (is(r, ",") || r->token == NAME);
	count = p->permutations ? (size_t)factorial(p->word_count) : p->word_count;
	p->kind = ML_RANGE_STEPS;
	p->first = ml_expr_number(&r->s->exprs, 0);
	p->step = ml_expr_number(&r->s->exprs, 1);
	p->last = ml_expr_number(&r->s->exprs, (int64_t)count - 1);
	return true;
}

static bool list_range(struct reader *r, struct ml_param_range *p, uint32_t first)
{
	size_t cap = 0;
	int64_t *values = NULL;
	uint32_t node = first;
	bool ok = true;

	for (;;) {
		unsigned line = r->token_line, column = r->token_column;

		if (r->s->exprs.at[node].level >= 0)
			ok = fail_at(r, line, column,
				     "the values of a list are constant");
		for (size_t i = 0; ok && i < p->value_count; i++)
			if (values[i] == r->s->exprs.at[node].value)
				ok = fail_at(r, line, column, "%lld stands twice",
					     (long long)values[i]);
		if (!ok)
			break;
		values = ml_grow(values, &cap, p->value_count + 1, sizeof(*values));
		values[p->value_count++] = r->s->exprs.at[node].value;
		if (!is(r, ","))
			break;
		ok = step(r) && expression(r, &node);
		if (!ok)
			break;
	}
	if (ok)
		p->values = (int64_t *)(void *)ml_arena_copy(
			&r->s->arena, values, p->value_count * sizeof(*values));
	ml_free(values);
	p->kind = ML_RANGE_LIST;
	return ok;
}

static bool range(struct reader *r, struct ml_param_range *p)
{
	struct ml_exprs *x = &r->s->exprs;
	uint32_t one = ml_expr_number(x, 1);

	if (is(r, "words"))
		return step(r) && word_range(r, p);
	if (is(r, "permutations")) {
		p->permutations = true;
		return step(r) && expect(r, "of", "after 'permutations'") &&
		       word_range(r, p);
	}
	if (is(r, "multiples")) {
		p->kind = ML_RANGE_STEPS;
		if (!step(r) || !expect(r, "of", "after 'multiples'") ||
		    !expression(r, &p->step))
			return false;
		p->first = p->step;
		return expect(r, "up", "after the multiples") &&
		       expect(r, "to", "after 'up'") && expression(r, &p->last);
	}
	if (is(r, "divisors")) {
		p->kind = ML_RANGE_DIVISORS;
		p->first = p->step = one;
		return step(r) && expect(r, "of", "after 'divisors'") &&
		       expression(r, &p->last);
	}
	if (is(r, "powers")) {
		p->kind = ML_RANGE_POWERS;
		p->first = one;
		return step(r) && expect(r, "of", "after 'powers'") &&
		       expression(r, &p->step) &&
		       (!is(r, "from") || (step(r) && expression(r, &p->first))) &&
		       expect(r, "up", "after the powers") &&
		       expect(r, "to", "after 'up'") && expression(r, &p->last);
	}
	if (!expression(r, &p->first))
		return false;
	if (!is(r, ".."))
		return list_range(r, p, p->first);
	p->kind = ML_RANGE_STEPS;
	p->step = one;
	return step(r) && expression(r, &p->last) &&
	       (!is(r, "step") || (step(r) && expression(r, &p->step)));
}

/* Bounds of the values and of their number. */
static bool bound_range(struct reader *r, struct ml_param_range *p, unsigned line,
			unsigned column)
{
	const struct ml_expr *x = r->s->exprs.at;

	if (p->kind == ML_RANGE_LIST) {
		p->lo = INT64_MAX;
		p->hi = INT64_MIN;
		for (size_t i = 0; i < p->value_count; i++) {
			p->lo = p->values[i] < p->lo ? p->values[i] : p->lo;
			p->hi = p->values[i] > p->hi ? p->values[i] : p->hi;
		}
		p->trips = p->value_count;
		return true;
	}
	const struct ml_expr *first = &x[p->first], *by = &x[p->step],
			     *last = &x[p->last];
	p->deps = first->deps | by->deps | last->deps;
	p->lo = first->lo;
	p->hi = last->hi > p->lo ? last->hi : p->lo;
	if (p->kind == ML_RANGE_DIVISORS && (last->lo < 1 || last->hi > INT32_MAX))
		return fail_at(r, line, column,
			       "divisors are those of a number in 1..%d; here it may lie "
			       "in %lld..%lld",
			       INT32_MAX, (long long)last->lo, (long long)last->hi);
	if (p->kind == ML_RANGE_POWERS && (by->lo < 2 || first->lo < 1))
		return fail_at(r, line, column,
			       "powers begin at 1 or more and have a base of 2 or more");
	if (p->kind == ML_RANGE_STEPS && by->lo < 1)
		return fail_at(r, line, column,
			       "the step may be %lld: it must be 1 or more",
			       (long long)by->lo);
	if (p->kind == ML_RANGE_STEPS)
		p->trips = last->hi < p->lo ? 0
					    : (uint64_t)((last->hi - p->lo) / by->lo) + 1;
	else
		p->trips = p->kind == ML_RANGE_POWERS ? 63 : ML_SPACE_FEW;
	return p->trips <= ML_SPACE_TRIPS ||
	       fail_at(r, line, column, "the range may have %llu values; %d are allowed",
		       (unsigned long long)p->trips, ML_SPACE_TRIPS);
}

static bool parameter(struct reader *r, const char *name, unsigned line, unsigned column)
{
	struct ml_space *s = r->s;

	if (s->param_count == ML_SPACE_PARAMS)
		return fail_at(r, line, column, "a space has at most %d parameters",
			       ML_SPACE_PARAMS);
	struct ml_param_range p = { .name = name };
	unsigned range_line = r->token_line, range_column = r->token_column;
	if (!range(r, &p) || !bound_range(r, &p, range_line, range_column))
		return false;
	if (!explain(r, name, line, column,
		     (struct meaning){ .is = PARAM, .number = (uint32_t)s->param_count }))
		return false;
	p.node = ml_expr_param(&s->exprs, (unsigned)s->param_count, p.lo, p.hi);
	s->params[s->param_count++] = p;
	return true;
}

static bool derived(struct reader *r, const char *name, unsigned line, unsigned column)
{
	struct ml_space *s = r->s;
	uint32_t node;

	if (!expression(r, &node) ||
	    !explain(r, name, line, column,
		     (struct meaning){ .is = DERIVED, .number = node }))
		return false;
	s->derived = ml_grow(s->derived, &s->derived_cap, s->derived_count + 1,
			     sizeof(*s->derived));
	s->derived[s->derived_count++] = (struct ml_derived){ name, node };
	return true;
}

/* Whether the line ends and the next one begins with a text, which belongs to it. */
static bool text_follows(const struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return r->token == NEWLINE && at < r->end && *at == '"';
}

/* hard NAME: EXPRESSION ["TEXT"] */
static bool constraint(struct reader *r, bool soft)
{
	struct ml_space *s = r->s;
	struct ml_constraint c = { .soft = soft };
	unsigned line, column;

	if (!step(r))
		return false;
	if (r->token != NAME)
		return FAIL(r, "the name of the constraint is wanted, not %s", shown(r));
	if (s->constraint_count == ML_SPACE_CONSTRAINTS)
		return FAIL(r, "a space has at most %d constraints",
			    ML_SPACE_CONSTRAINTS);
	c.name = ml_arena_copy(&s->arena, r->text, r->size);
	line = r->token_line;
	column = r->token_column;
	if (!explain(r, c.name, line, column, (struct meaning){ .is = CONSTRAINT }) ||
	    !step(r) || !expect(r, ":", "after the name of the constraint"))
		return false;
	const char *start = r->text;
	unsigned expr_line = r->token_line, expr_column = r->token_column;
	if (!expression(r, &c.node))
		return false;
	c.text = ml_arena_copy(&s->arena, start, (size_t)(r->token_end - start));
	const struct ml_expr *e = &s->exprs.at[c.node];
	if (!ml_expr_is_truth(e->op) && (e->lo < 0 || e->hi > 1))
		return fail_at(r, expr_line, expr_column,
			       "a constraint is true or false: compare with something");
	if (text_follows(r) && !step(r))
		return false;
	if (r->token == STRING) {
		c.about = ml_arena_copy(&s->arena, r->text + 1, r->size - 2);
		if (!step(r))
			return false;
	}
	s->constraints[s->constraint_count++] = c;
	return true;
}

static bool statement(struct reader *r)
{
	unsigned line = r->token_line, column = r->token_column;

	if (r->token != NAME)
		return FAIL(r, "a line begins with a name, not with %s", shown(r));
	if (is(r, "hard") || is(r, "soft"))
		return constraint(r, is(r, "soft"));
	const char *name = ml_arena_copy(&r->s->arena, r->text, r->size);
	if (!step(r))
		return false;
	if (is(r, "in"))
		return step(r) && parameter(r, name, line, column);
	if (is(r, "="))
		return step(r) && derived(r, name, line, column);
	return FAIL(r,
		    "after '%s' comes 'in' (a parameter) or '=' (a derived value), not "
		    "%s; a constraint begins with 'hard' or 'soft'",
		    name, shown(r));
}

static bool header(struct reader *r)
{
	while (r->token == NEWLINE)
		if (!step(r))
			return false;
	if (!is(r, "space"))
		return FAIL(r, "a description begins with 'space NAME', not with %s",
			    shown(r));
	if (!step(r))
		return false;
	if (r->token != NAME)
		return FAIL(r, "the name of the space is wanted, not %s", shown(r));
	r->s->name = ml_arena_copy(&r->s->arena, r->text, r->size);
	return step(r);
}

static bool all(struct reader *r)
{
	if (!step(r) || !header(r))
		return false;
	for (;;) {
		if (r->token != NEWLINE && r->token != END)
			return FAIL(r, "the line should end here, before %s", shown(r));
		while (r->token == NEWLINE)
			if (!step(r))
				return false;
		if (r->token == END)
			break;
		if (!statement(r))
			return false;
	}
	if (!r->s->param_count)
		return FAIL(r, "the space has no parameter: NAME in FROM..TO");
	return r->s->constraint_count > 0 ||
	       FAIL(r, "the space has no constraint: hard NAME: EXPRESSION");
}

static void mark_used(struct ml_space *s)
{
	for (size_t c = 0; c < s->constraint_count; c++)
		ml_expr_use(&s->exprs, s->constraints[c].node);
	for (size_t p = 0; p < s->param_count; p++) {
		ml_expr_use(&s->exprs, s->params[p].node);
		if (s->params[p].kind == ML_RANGE_LIST)
			continue;
		ml_expr_use(&s->exprs, s->params[p].first);
		ml_expr_use(&s->exprs, s->params[p].step);
		ml_expr_use(&s->exprs, s->params[p].last);
	}
}

bool ml_space_parse(struct ml_space *s, const char *path, const char *text, size_t size,
		    struct ml_err *err)
{
	struct reader r = { .s = s,
			    .at = text,
			    .end = text + size,
			    .line_start = text,
			    .line = 1,
			    .err = err };

	*s = (struct ml_space){ 0 };
	s->path = ml_arena_strdup(&s->arena, path);
	bool ok = all(&r);
	ml_names_release(&r.names);
	ml_free(r.meanings);
	if (ok)
		mark_used(s);
	else
		ml_space_release(s);
	return ok;
}
