/* The text language of search spaces: a line a statement. */
#include <limits.h>
#include <string.h>

#include "lib/prune/space.h"
#include "lib/prune/space_expression.h"
#include "lib/prune/space_reader.h"

/* Gives a new name its meaning. */
static bool explain(struct ml_space_reader *r, const char *name, unsigned line,
		    unsigned column, struct ml_space_meaning what)
{
	struct ml_space_meaning *m = ml_space_reader_meaning(r, name, strlen(name));

	if (m->is != ML_SPACE_NOTHING)
		return ml_space_reader_fail(r, line, column, "'%s' has a meaning already",
					    name);
	*m = what;
	return true;
}

static bool add_word(struct ml_space_reader *r, struct ml_param_range *p, bool constant)
{
	const char **words = ml_arena_alloc(&r->s->arena,
					    (p->word_count + 1) * sizeof(*words));

	for (size_t i = 0; i < p->word_count; i++) {
		words[i] = p->words[i];
		if (strlen(words[i]) == r->size && !memcmp(words[i], r->text, r->size))
			return ML_SPACE_FAIL(r, "%s stands twice",
					     ml_space_reader_shown(r));
	}
	words[p->word_count] = ml_arena_copy(&r->s->arena, r->text, r->size);
	p->words = words;
	if (constant) {
		struct ml_space_meaning *m = ml_space_reader_meaning(r, r->text, r->size);

		if (m->is == ML_SPACE_NOTHING)
			*m = (struct ml_space_meaning){ .is = ML_SPACE_WORD,
							.value = (int64_t)p->word_count };
		else if (m->is != ML_SPACE_WORD)
			return ML_SPACE_FAIL(r, "%s has a meaning already",
					     ml_space_reader_shown(r));
		else if (m->value != (int64_t)p->word_count)
			m->ambiguous = true;
	}
	p->word_count++;
	return ml_space_reader_step(r);
}

/* "words a, b, c" and "permutations of a b c". */
static bool word_range(struct ml_space_reader *r, struct ml_param_range *p)
{
	size_t count, max = p->permutations ? ML_SPACE_WORDS : 1024;

	do {
		if (ml_space_reader_is(r, ",") && !ml_space_reader_step(r))
			return false;
		if (r->token != ML_TOKEN_NAME)
			return ML_SPACE_FAIL(r, "a word is wanted, not %s",
					     ml_space_reader_shown(r));
		if (p->word_count == max)
			return ML_SPACE_FAIL(r, "there are more than %zu words", max);
		if (!add_word(r, p, !p->permutations))
			return false;
	} while (ml_space_reader_is(r, ",") || r->token == ML_TOKEN_NAME);
	count = p->permutations ? (size_t)ml_space_orders(p->word_count) : p->word_count;
	p->kind = ML_RANGE_STEPS;
	p->first = ml_expr_number(&r->s->exprs, 0);
	p->step = ml_expr_number(&r->s->exprs, 1);
	p->last = ml_expr_number(&r->s->exprs, (int64_t)count - 1);
	return true;
}

static bool list_range(struct ml_space_reader *r, struct ml_param_range *p,
		       uint32_t first)
{
	size_t cap = 0;
	int64_t *values = NULL;
	uint32_t node = first;
	bool ok = true;

	for (;;) {
		unsigned line = r->token_line, column = r->token_column;

		if (r->s->exprs.at[node].level >= 0)
			ok = ml_space_reader_fail(r, line, column,
						  "the values of a list are constant");
		for (size_t i = 0; ok && i < p->value_count; i++)
			if (values[i] == r->s->exprs.at[node].value)
				ok = ml_space_reader_fail(r, line, column,
							  "%lld stands twice",
							  (long long)values[i]);
		if (!ok)
			break;
		values = ml_grow(values, &cap, p->value_count + 1, sizeof(*values));
		values[p->value_count++] = r->s->exprs.at[node].value;
		if (!ml_space_reader_is(r, ","))
			break;
		ok = ml_space_reader_step(r) && ml_space_expression(r, &node);
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

static bool range(struct ml_space_reader *r, struct ml_param_range *p)
{
	struct ml_exprs *x = &r->s->exprs;
	uint32_t one = ml_expr_number(x, 1);

	if (ml_space_reader_is(r, "words"))
		return ml_space_reader_step(r) && word_range(r, p);
	if (ml_space_reader_is(r, "permutations")) {
		p->permutations = true;
		return ml_space_reader_step(r) &&
		       ml_space_reader_expect(r, "of", "after 'permutations'") &&
		       word_range(r, p);
	}
	if (ml_space_reader_is(r, "multiples")) {
		p->kind = ML_RANGE_STEPS;
		if (!ml_space_reader_step(r) ||
		    !ml_space_reader_expect(r, "of", "after 'multiples'") ||
		    !ml_space_expression(r, &p->step))
			return false;
		p->first = p->step;
		return ml_space_reader_expect(r, "up", "after the multiples") &&
		       ml_space_reader_expect(r, "to", "after 'up'") &&
		       ml_space_expression(r, &p->last);
	}
	if (ml_space_reader_is(r, "divisors")) {
		p->kind = ML_RANGE_DIVISORS;
		p->first = p->step = one;
		return ml_space_reader_step(r) &&
		       ml_space_reader_expect(r, "of", "after 'divisors'") &&
		       ml_space_expression(r, &p->last);
	}
	if (ml_space_reader_is(r, "powers")) {
		p->kind = ML_RANGE_POWERS;
		p->first = one;
		return ml_space_reader_step(r) &&
		       ml_space_reader_expect(r, "of", "after 'powers'") &&
		       ml_space_expression(r, &p->step) &&
		       (!ml_space_reader_is(r, "from") ||
			(ml_space_reader_step(r) && ml_space_expression(r, &p->first))) &&
		       ml_space_reader_expect(r, "up", "after the powers") &&
		       ml_space_reader_expect(r, "to", "after 'up'") &&
		       ml_space_expression(r, &p->last);
	}
	if (!ml_space_expression(r, &p->first))
		return false;
	if (!ml_space_reader_is(r, ".."))
		return list_range(r, p, p->first);
	p->kind = ML_RANGE_STEPS;
	p->step = one;
	return ml_space_reader_step(r) && ml_space_expression(r, &p->last) &&
	       (!ml_space_reader_is(r, "step") ||
		(ml_space_reader_step(r) && ml_space_expression(r, &p->step)));
}

/* Bounds of the values and of their number. */
static bool bound_range(struct ml_space_reader *r, struct ml_param_range *p,
			unsigned line, unsigned column)
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
		return ml_space_reader_fail(
			r, line, column,
			"divisors are those of a number in 1..%d; here it may lie "
			"in %lld..%lld",
			INT32_MAX, (long long)last->lo, (long long)last->hi);
	if (p->kind == ML_RANGE_POWERS && (by->lo < 2 || first->lo < 1))
		return ml_space_reader_fail(
			r, line, column,
			"powers begin at 1 or more and have a base of 2 or more");
	if (p->kind == ML_RANGE_STEPS && by->lo < 1)
		return ml_space_reader_fail(r, line, column,
					    "the step may be %lld: it must be 1 or more",
					    (long long)by->lo);
	if (p->kind == ML_RANGE_STEPS)
		p->trips = last->hi < p->lo ? 0
					    : (uint64_t)((last->hi - p->lo) / by->lo) + 1;
	else
		p->trips = p->kind == ML_RANGE_POWERS ? 63 : ML_SPACE_FEW;
	return p->trips <= ML_SPACE_TRIPS ||
	       ml_space_reader_fail(r, line, column,
				    "the range may have %llu values; %d are allowed",
				    (unsigned long long)p->trips, ML_SPACE_TRIPS);
}

static bool parameter(struct ml_space_reader *r, const char *name, unsigned line,
		      unsigned column)
{
	struct ml_space *s = r->s;

	if (s->param_count == ML_SPACE_PARAMS)
		return ml_space_reader_fail(r, line, column,
					    "a space has at most %d parameters",
					    ML_SPACE_PARAMS);
	struct ml_param_range p = { .name = name };
	unsigned range_line = r->token_line, range_column = r->token_column;
	if (!range(r, &p) || !bound_range(r, &p, range_line, range_column))
		return false;
	if (!explain(r, name, line, column,
		     (struct ml_space_meaning){ .is = ML_SPACE_PARAM,
						.number = (uint32_t)s->param_count }))
		return false;
	p.node = ml_expr_param(&s->exprs, (unsigned)s->param_count, p.lo, p.hi);
	s->params[s->param_count++] = p;
	return true;
}

static bool derived(struct ml_space_reader *r, const char *name, unsigned line,
		    unsigned column)
{
	struct ml_space *s = r->s;
	uint32_t node;

	if (!ml_space_expression(r, &node) ||
	    !explain(r, name, line, column,
		     (struct ml_space_meaning){ .is = ML_SPACE_DERIVED, .number = node }))
		return false;
	s->derived = ml_grow(s->derived, &s->derived_cap, s->derived_count + 1,
			     sizeof(*s->derived));
	s->derived[s->derived_count++] = (struct ml_derived){ name, node };
	return true;
}

/* Whether the line ends and the next one begins with a text, which belongs to it. */
static bool text_follows(const struct ml_space_reader *r)
{
	const char *at = r->at;

	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return r->token == ML_TOKEN_NEWLINE && at < r->end && *at == '"';
}

/* hard NAME: EXPRESSION ["TEXT"] */
static bool constraint(struct ml_space_reader *r, bool soft)
{
	struct ml_space *s = r->s;
	struct ml_constraint c = { .soft = soft };
	unsigned line, column;

	if (!ml_space_reader_step(r))
		return false;
	if (r->token != ML_TOKEN_NAME)
		return ML_SPACE_FAIL(r, "the name of the constraint is wanted, not %s",
				     ml_space_reader_shown(r));
	if (s->constraint_count == ML_SPACE_CONSTRAINTS)
		return ML_SPACE_FAIL(r, "a space has at most %d constraints",
				     ML_SPACE_CONSTRAINTS);
	c.name = ml_arena_copy(&s->arena, r->text, r->size);
	line = r->token_line;
	column = r->token_column;
	if (!explain(r, c.name, line, column,
		     (struct ml_space_meaning){ .is = ML_SPACE_CONSTRAINT }) ||
	    !ml_space_reader_step(r) ||
	    !ml_space_reader_expect(r, ":", "after the name of the constraint"))
		return false;
	const char *start = r->text;
	unsigned expr_line = r->token_line, expr_column = r->token_column;
	if (!ml_space_expression(r, &c.node))
		return false;
	c.text = ml_arena_copy(&s->arena, start, (size_t)(r->token_end - start));
	const struct ml_expr *e = &s->exprs.at[c.node];
	if (!ml_expr_is_truth(e->op) && (e->lo < 0 || e->hi > 1))
		return ml_space_reader_fail(
			r, expr_line, expr_column,
			"a constraint is true or false: compare with something");
	if (text_follows(r) && !ml_space_reader_step(r))
		return false;
	if (r->token == ML_TOKEN_STRING) {
		c.about = ml_arena_copy(&s->arena, r->text + 1, r->size - 2);
		if (!ml_space_reader_step(r))
			return false;
	}
	s->constraints[s->constraint_count++] = c;
	return true;
}

/* A text in quotes, without them. */
static bool quoted(struct ml_space_reader *r, const char *what, const char **out)
{
	if (r->token != ML_TOKEN_STRING)
		return ML_SPACE_FAIL(r, "after '%s' comes a text in quotes, not %s", what,
				     ml_space_reader_shown(r));
	if (*out)
		return ML_SPACE_FAIL(r, "'%s' stands twice", what);
	*out = ml_arena_copy(&r->s->arena, r->text + 1, r->size - 2);
	return ml_space_reader_step(r);
}

/* function NAME */
static bool function(struct ml_space_reader *r)
{
	struct ml_space_flow *x = &r->s->flow;

	if (!ml_space_reader_step(r))
		return false;
	if (r->token != ML_TOKEN_NAME || x->function)
		return ML_SPACE_FAIL(r, "after 'function' comes one name, not %s",
				     ml_space_reader_shown(r));
	x->function = ml_arena_copy(&r->s->arena, r->text, r->size);
	return ml_space_reader_step(r);
}

/* flow "FILE" function NAME; set "n=64"; tile "i={blk}"; order "{order}"; layout "B={l}":
 * a line each, or several on a line. */
static bool flow(struct ml_space_reader *r, const char *word)
{
	struct ml_space_flow *x = &r->s->flow;
	const struct {
		const char *word, **to;
	} words[] = { { "flow", &x->file },
		      { "set", &x->set },
		      { "tile", &x->tile },
		      { "order", &x->order },
		      { "layout", &x->layout } };

	for (;;) {
		size_t i = 0;

		while (i < 5 && strcmp(words[i].word, word) != 0)
			i++;
		if (i == 5)
			return ML_SPACE_FAIL(r,
					     "flow, set, tile, order and layout have a "
					     "text in quotes, not '%s'",
					     word);
		if (!quoted(r, word, words[i].to))
			return false;
		if (ml_space_reader_is(r, "function") && !function(r))
			return false;
		if (r->token != ML_TOKEN_NAME)
			return true;
		word = ml_arena_copy(&r->s->arena, r->text, r->size);
		if (!ml_space_reader_step(r))
			return false;
	}
}

static bool statement(struct ml_space_reader *r)
{
	unsigned line = r->token_line, column = r->token_column;

	if (r->token != ML_TOKEN_NAME)
		return ML_SPACE_FAIL(r, "a line begins with a name, not with %s",
				     ml_space_reader_shown(r));
	if (ml_space_reader_is(r, "hard") || ml_space_reader_is(r, "soft"))
		return constraint(r, ml_space_reader_is(r, "soft"));
	const char *name = ml_arena_copy(&r->s->arena, r->text, r->size);
	if (!ml_space_reader_step(r))
		return false;
	if (r->token == ML_TOKEN_STRING)
		return flow(r, name);
	if (ml_space_reader_is(r, "in"))
		return ml_space_reader_step(r) && parameter(r, name, line, column);
	if (ml_space_reader_is(r, "="))
		return ml_space_reader_step(r) && derived(r, name, line, column);
	return ML_SPACE_FAIL(
		r,
		"after '%s' comes 'in' (a parameter) or '=' (a derived value), not "
		"%s; a constraint begins with 'hard' or 'soft'",
		name, ml_space_reader_shown(r));
}

static bool header(struct ml_space_reader *r)
{
	while (r->token == ML_TOKEN_NEWLINE)
		if (!ml_space_reader_step(r))
			return false;
	if (!ml_space_reader_is(r, "space"))
		return ML_SPACE_FAIL(
			r, "a description begins with 'space NAME', not with %s",
			ml_space_reader_shown(r));
	if (!ml_space_reader_step(r))
		return false;
	if (r->token != ML_TOKEN_NAME)
		return ML_SPACE_FAIL(r, "the name of the space is wanted, not %s",
				     ml_space_reader_shown(r));
	r->s->name = ml_arena_copy(&r->s->arena, r->text, r->size);
	return ml_space_reader_step(r);
}

static bool all(struct ml_space_reader *r)
{
	if (!ml_space_reader_step(r) || !header(r))
		return false;
	for (;;) {
		if (r->token != ML_TOKEN_NEWLINE && r->token != ML_TOKEN_END)
			return ML_SPACE_FAIL(r, "the line should end here, before %s",
					     ml_space_reader_shown(r));
		while (r->token == ML_TOKEN_NEWLINE)
			if (!ml_space_reader_step(r))
				return false;
		if (r->token == ML_TOKEN_END)
			break;
		if (!statement(r))
			return false;
	}
	const struct ml_space_flow *x = &r->s->flow;
	if (!x->file && (x->set || x->tile || x->order || x->layout))
		return ML_SPACE_FAIL(r, "set, tile, order and layout are of a program: "
					"flow \"FILE\" names it");
	if (!r->s->param_count)
		return ML_SPACE_FAIL(r, "the space has no parameter: NAME in FROM..TO");
	return r->s->constraint_count > 0 ||
	       ML_SPACE_FAIL(r, "the space has no constraint: hard NAME: EXPRESSION");
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
	struct ml_space_reader r = { .s = s,
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
