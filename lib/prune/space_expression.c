/* Read by recursive descent, binary operations by their strength. */
#include "lib/prune/space_expression.h"

#include <string.h>

#include "lib/prune/space_reader.h"

enum { DEPTH_MAX = 200, NODES_MAX = 4096 };

static bool apply(struct ml_space_reader *r, unsigned line, unsigned column,
		  enum ml_expr_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t *node)
{
	if (r->s->exprs.count > NODES_MAX)
		return ml_space_reader_fail(r, line, column,
					    "the expressions have too many parts");
	switch (ml_expr_add(&r->s->exprs, op, a, b, c, node)) {
	case ML_EXPR_TOO_LARGE:
		return ml_space_reader_fail(
			r, line, column,
			"values may leave 2^62 here: the ranges of the "
			"parameters allow it");
	case ML_EXPR_ZERO_DIVISOR:
		return ml_space_reader_fail(r, line, column,
					    "the divisor is always zero");
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
static bool words_argument(struct ml_space_reader *r, const char *function,
			   unsigned *param)
{
	struct ml_space_meaning *m =
		r->token == ML_TOKEN_NAME ? ml_space_reader_meaning(r, r->text, r->size)
					  : NULL;

	if (!m || m->is != ML_SPACE_PARAM || !r->s->params[m->number].permutations)
		return ML_SPACE_FAIL(r,
				     "%s wants a parameter of permutations first, not %s",
				     function, ml_space_reader_shown(r));
	*param = m->number;
	return ml_space_reader_step(r);
}

static bool word_argument(struct ml_space_reader *r, unsigned param, size_t *word)
{
	const struct ml_param_range *p = &r->s->params[param];

	if (!ml_space_reader_expect(r, ",", "before the next argument"))
		return false;
	for (*word = 0; r->token == ML_TOKEN_NAME && *word < p->word_count; ++*word)
		if (strlen(p->words[*word]) == r->size &&
		    !memcmp(p->words[*word], r->text, r->size))
			return ml_space_reader_step(r);
	return ML_SPACE_FAIL(r, "%s is no word of %s", ml_space_reader_shown(r), p->name);
}

/* Where a word stands in each permutation, from 1. */
static uint32_t positions(struct ml_space_reader *r, unsigned param, size_t word)
{
	const struct ml_param_range *p = &r->s->params[param];
	size_t count = (size_t)ml_space_orders(p->word_count);
	int64_t *values = ml_arena_alloc(&r->s->arena, count * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		int64_t block = (int64_t)count, index = (int64_t)i;
		bool used[ML_SPACE_WORDS] = { false };

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
static bool word_call(struct ml_space_reader *r, bool before, unsigned line,
		      unsigned column, uint32_t *node)
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

static bool arguments(struct ml_space_reader *r, unsigned count, uint32_t *at)
{
	for (unsigned i = 0; i < count; i++)
		if ((i && !ml_space_reader_expect(r, ",", "before the next argument")) ||
		    !ml_space_expression(r, &at[i]))
			return false;
	return true;
}

/* ceil_div(a, b) is (a + b - 1) / b. */
static bool ceiling(struct ml_space_reader *r, unsigned line, unsigned column,
		    const uint32_t *arg, uint32_t *node)
{
	uint32_t one = ml_expr_number(&r->s->exprs, 1);

	return apply(r, line, column, ML_EXPR_ADD, arg[0], arg[1], 0, node) &&
	       apply(r, line, column, ML_EXPR_SUB, *node, one, 0, node) &&
	       apply(r, line, column, ML_EXPR_DIV, *node, arg[1], 0, node);
}

static bool call(struct ml_space_reader *r, const char *name, size_t size, unsigned line,
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
		return ml_space_reader_fail(
			r, line, column,
			"there is no function '%.*s': min, max, abs, if, "
			"ceil_div, before and position are known",
			(int)size, name);
	r->nested++;
	if (!ml_space_reader_step(r))
		return false;
	bool ok = functions[i].op == ML_EXPR_LOOKUP
			  ? word_call(r, functions[i].count == 3, line, column, node)
			  : arguments(r, functions[i].count, arg);
	r->nested--;
	if (!ok || !ml_space_reader_expect(r, ")", "after the arguments"))
		return false;
	if (functions[i].op == ML_EXPR_LOOKUP)
		return true;
	if (functions[i].op == ML_EXPR_NUMBER)
		return ceiling(r, line, column, arg, node);
	return apply(r, line, column, functions[i].op, arg[0], arg[1], arg[2], node);
}

static bool named(struct ml_space_reader *r, uint32_t *node)
{
	const char *name = r->text;
	size_t size = r->size;
	unsigned line = r->token_line, column = r->token_column;

	if (!ml_space_reader_step(r))
		return false;
	if (ml_space_reader_is(r, "("))
		return call(r, name, size, line, column, node);
	struct ml_space_meaning m = *ml_space_reader_meaning(r, name, size);
	switch (m.is) {
	case ML_SPACE_PARAM: *node = r->s->params[m.number].node; return true;
	case ML_SPACE_DERIVED: *node = m.number; return true;
	case ML_SPACE_WORD:
		*node = ml_expr_number(&r->s->exprs, m.value);
		return !m.ambiguous ||
		       ml_space_reader_fail(r, line, column,
					    "'%.*s' is a word of two parameters",
					    (int)size, name);
	case ML_SPACE_CONSTRAINT:
		return ml_space_reader_fail(
			r, line, column,
			"'%.*s' is a constraint: give its expression a name with "
			"NAME = ... and use that",
			(int)size, name);
	case ML_SPACE_NOTHING: break;
	}
	return ml_space_reader_fail(
		r, line, column,
		"'%.*s' is not known here: a name is explained on a line before "
		"the lines that use it",
		(int)size, name);
}

static bool primary(struct ml_space_reader *r, uint32_t *node)
{
	if (r->token == ML_TOKEN_NUMBER) {
		*node = ml_expr_number(&r->s->exprs, r->number);
		return ml_space_reader_step(r);
	}
	if (r->token == ML_TOKEN_NAME)
		return named(r, node);
	if (!ml_space_reader_is(r, "("))
		return ML_SPACE_FAIL(r, "a value is wanted, not %s",
				     ml_space_reader_shown(r));
	r->nested++;
	bool ok = ml_space_reader_step(r) && ml_space_expression(r, node);
	r->nested--;
	return ok && ml_space_reader_expect(r, ")", "to close the parenthesis");
}

static bool unary(struct ml_space_reader *r, uint32_t *node)
{
	unsigned line = r->token_line, column = r->token_column;

	if (++r->depth > DEPTH_MAX)
		return ML_SPACE_FAIL(r, "the expression is nested too deeply");
	bool minus = ml_space_reader_is(r, "-"),
	     not = ml_space_reader_is(r, "not") || ml_space_reader_is(r, "!"), ok;
	if (minus || not )
		ok = ml_space_reader_step(r) && unary(r, node) &&
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

static const struct operation *operation(const struct ml_space_reader *r)
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
		if (ml_space_reader_is(r, operations[i].text))
			return &operations[i];
	return NULL;
}

/* Operations of at least this strength, the stronger first. */
static bool binary(struct ml_space_reader *r, unsigned strength, uint32_t *node)
{
	const struct operation *o;
	bool compared = false;

	if (!unary(r, node))
		return false;
	while ((o = operation(r)) && o->strength >= strength) {
		unsigned line = r->token_line, column = r->token_column;
		uint32_t right;

		if (o->strength == 3 && compared)
			return ML_SPACE_FAIL(
				r, "comparisons do not chain: join two with 'and'");
		compared = o->strength == 3;
		/* an operation at the end of a line goes on with the next */
		r->nested++;
		bool ok = ml_space_reader_step(r);
		r->nested--;
		if (++r->depth > DEPTH_MAX)
			return ML_SPACE_FAIL(r, "the expression is nested too deeply");
		if (!ok || !binary(r, o->strength + 1, &right) ||
		    !apply(r, line, column, o->op, *node, right, 0, node))
			return false;
		r->depth--;
	}
	if (ml_space_reader_is(r, "="))
		return ML_SPACE_FAIL(r, "'==' compares; '=' only explains a name");
	return true;
}

bool ml_space_expression(struct ml_space_reader *r, uint32_t *node)
{
	return binary(r, 1, node);
}
