#include "lib/flow/read/py_expr.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100, NAME = 200, ARGS = ML_FLOW_DIMS };

static const struct ml_sym *expression(struct ml_py *p);

static const struct ml_sym *unknown(struct ml_py *p)
{
	return ml_sym_unknown(p->arena);
}

static void blanks(struct ml_py *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static bool take(struct ml_py *p, const char *text)
{
	size_t n = strlen(text);

	blanks(p);
	if (strncmp(p->at, text, n) != 0)
		return false;
	/* a word ends where it ends */
	if (isalpha((unsigned char)*text) &&
	    (isalnum((unsigned char)p->at[n]) || p->at[n] == '_'))
		return false;
	p->at += n;
	return true;
}

static const struct ml_sym *make(struct ml_py *p, enum ml_sym_op op,
				 const struct ml_sym *x, const struct ml_sym *y)
{
	return ml_sym_make(p->arena, op, x, y);
}

/*
 * sympy writes floor((J + 11) / 8) as floor(J/8 + 11/8), so quotients stay exact until
 * something rounds them: a division node with value 1 is a quotient by a constant.
 */
static bool is_quotient(const struct ml_sym *x)
{
	return x->op == ML_SYM_FLOOR && x->value;
}

static const struct ml_sym *quotient(struct ml_py *p, const struct ml_sym *x, int64_t by)
{
	struct ml_sym *e;

	if (x->size + 2 > ML_SYM_SIZE || x->depth >= ML_SYM_DEPTH)
		return unknown(p);
	e = ml_arena_alloc(p->arena, sizeof(*e));
	e->op = ML_SYM_FLOOR;
	e->value = 1;
	e->a = x;
	e->b = ml_sym_const(p->arena, by);
	e->depth = x->depth + 1;
	e->size = x->size + 2;
	return e;
}

static const struct ml_sym *rounded(struct ml_py *p, const struct ml_sym *x)
{
	return is_quotient(x) ? make(p, ML_SYM_FLOOR, x->a, x->b) : x;
}

/* The numerator over a common denominator. */
static const struct ml_sym *over(struct ml_py *p, const struct ml_sym *x, int64_t by)
{
	int64_t own = is_quotient(x) ? x->b->value : 1;

	return make(p, ML_SYM_MUL, is_quotient(x) ? x->a : x,
		    ml_sym_const(p->arena, by / own));
}

static const struct ml_sym *added(struct ml_py *p, const struct ml_sym *x,
				  const struct ml_sym *y, bool minus)
{
	int64_t d = is_quotient(x) ? x->b->value : 1,
		e = is_quotient(y) ? y->b->value : 1;
	int64_t common;

	if (d == e)
		common = d;
	else if (__builtin_mul_overflow(d, e, &common))
		return unknown(p);
	const struct ml_sym *n = over(p, x, common), *m = over(p, y, common);
	n = minus ? ml_sym_sub(p->arena, n, m) : make(p, ML_SYM_ADD, n, m);
	return common == 1 ? n : quotient(p, n, common);
}

static const struct ml_sym *multiplied(struct ml_py *p, const struct ml_sym *x,
				       const struct ml_sym *y)
{
	int64_t d = is_quotient(x) ? x->b->value : 1,
		e = is_quotient(y) ? y->b->value : 1;
	int64_t common;

	if (__builtin_mul_overflow(d, e, &common))
		return unknown(p);
	const struct ml_sym *n = make(p, ML_SYM_MUL, is_quotient(x) ? x->a : x,
				      is_quotient(y) ? y->a : y);
	return common == 1 ? n : quotient(p, n, common);
}

static const struct ml_sym *divided(struct ml_py *p, const struct ml_sym *x,
				    const struct ml_sym *y)
{
	int64_t d = is_quotient(x) ? x->b->value : 1, by;

	if (y->op != ML_SYM_CONST || y->value <= 0 ||
	    __builtin_mul_overflow(d, y->value, &by))
		return make(p, ML_SYM_FLOOR, rounded(p, x), rounded(p, y));
	return by == 1 ? x : quotient(p, is_quotient(x) ? x->a : x, by);
}

static const struct ml_sym *number(struct ml_py *p)
{
	char *end, *real;

	errno = 0;
	long long v = strtoll(p->at, &end, 10);
	bool fits = !errno;
	strtod(p->at, &real);
	if (real > end) {
		p->at = real;
		return unknown(p); /* no integer */
	}
	p->at = end > p->at ? end : p->at + 1;
	return fits ? ml_sym_const(p->arena, v) : unknown(p);
}

/* Arguments up to the closing bracket; those with a keyword are skipped. */
static size_t arguments(struct ml_py *p, char close, const struct ml_sym **args)
{
	size_t n = 0;

	for (;;) {
		blanks(p);
		if (!*p->at || *p->at == '\n' || p->bad) {
			p->bad = true;
			return n;
		}
		if (*p->at == close) {
			p->at++;
			return n;
		}
		const char *at = p->at;
		while (isalnum((unsigned char)*at) || *at == '_')
			at++;
		if (at > p->at && *at == '=' && at[1] != '=') {
			p->at = at + 1;
			expression(p);
		} else {
			const struct ml_sym *v = expression(p);

			if (take(p, ":")) { /* a slice */
				blanks(p);
				if (*p->at != ',' && *p->at != close)
					expression(p);
				v = unknown(p);
			}
			if (n < ARGS)
				args[n++] = v;
		}
		blanks(p);
		if (*p->at == ',')
			p->at++;
		else if (*p->at != close)
			p->bad = true;
	}
}

static const struct ml_sym *ceiling(struct ml_py *p, const struct ml_sym *x,
				    const struct ml_sym *y)
{
	return make(p, ML_SYM_FLOOR,
		    make(p, ML_SYM_ADD, x, ml_sym_add_const(p->arena, y, -1)), y);
}

static bool is_any(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static const struct ml_sym *call(struct ml_py *p, const char *name)
{
	static const char *const casts[] = {
		"int",    "float",  "bool",   "float16",   "float32",    "float64",
		"int8",   "int16",  "int32",  "int64",     "uint8",      "uint16",
		"uint32", "uint64", "symbol", "complex64", "complex128", NULL
	};
	static const char *const compares[] = { "abs", "fabs", "Abs", "sign", NULL };
	const struct ml_sym *args[ARGS];
	size_t n = arguments(p, ')', args);
	const char *dot = strrchr(name, '.');

	name = dot ? dot + 1 : name;
	if (is_any(name, casts))
		return n ? args[0] : unknown(p);
	if (!strcmp(name, "ceiling") && n == 1) {
		p->ops[ML_FLOW_SPECIAL]++;
		return is_quotient(args[0]) ? ceiling(p, args[0]->a, args[0]->b)
					    : args[0];
	}
	for (size_t i = 0; i < n; i++)
		args[i] = rounded(p, args[i]);
	bool min = !strcmp(name, "min") || !strcmp(name, "Min");
	if ((min || !strcmp(name, "max") || !strcmp(name, "Max")) && n) {
		const struct ml_sym *v = args[0];

		for (size_t i = 1; i < n; i++)
			v = make(p, min ? ML_SYM_MIN : ML_SYM_MAX, v, args[i]);
		p->ops[ML_FLOW_COMPARE] += n - 1;
		return v;
	}
	if (!strcmp(name, "int_floor") && n == 2)
		return make(p, ML_SYM_FLOOR, args[0], args[1]);
	if (!strcmp(name, "int_ceil") && n == 2)
		return ceiling(p, args[0], args[1]);
	if (!strcmp(name, "floor") && n == 1) {
		p->ops[ML_FLOW_SPECIAL]++;
		return args[0];
	}
	p->ops[is_any(name, compares) ? ML_FLOW_COMPARE : ML_FLOW_SPECIAL]++;
	return unknown(p);
}

static const struct ml_sym *named(struct ml_py *p)
{
	char name[NAME];
	size_t n = 0;

	p->at += *p->at == '$';
	while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.') {
		if (n < NAME - 1)
			name[n++] = *p->at;
		p->at++;
	}
	name[n] = 0;
	if (!n) {
		p->bad = true;
		return unknown(p);
	}
	if (*p->at == '(') {
		p->at++;
		return call(p, name);
	}
	if (*p->at == '[') {
		const struct ml_sym *index[ARGS];
		size_t count;

		p->at++;
		count = arguments(p, ']', index);
		for (size_t i = 0; i < count; i++)
			index[i] = rounded(p, index[i]);
		if (p->element)
			p->element(p->arg, name, index, count);
		return unknown(p);
	}
	if (!strcmp(name, "True"))
		return ml_sym_const(p->arena, 1);
	if (!strcmp(name, "False"))
		return ml_sym_const(p->arena, 0);
	const struct ml_sym *v = p->name(p->arg, name);
	return v ? v : unknown(p);
}

static const struct ml_sym *atom(struct ml_py *p)
{
	const struct ml_sym *v;

	blanks(p);
	if (p->depth >= DEPTH || p->bad) {
		p->bad = true;
		return unknown(p);
	}
	if (isdigit((unsigned char)*p->at) ||
	    (*p->at == '.' && isdigit((unsigned char)p->at[1])))
		return number(p);
	if (*p->at != '(')
		return named(p);
	p->at++;
	p->depth++;
	v = expression(p);
	p->depth--;
	if (!take(p, ")"))
		p->bad = true;
	return v;
}

static const struct ml_sym *unary(struct ml_py *p);

static const struct ml_sym *power(struct ml_py *p)
{
	const struct ml_sym *x = atom(p);

	if (!take(p, "**"))
		return x;
	p->depth++;
	const struct ml_sym *y = unary(p), *v = ml_sym_const(p->arena, 1);
	p->depth--;
	p->ops[ML_FLOW_SPECIAL]++;
	if (y->op != ML_SYM_CONST || y->value < 0 || y->value > 16)
		return unknown(p);
	for (int64_t i = 0; i < y->value; i++)
		v = multiplied(p, v, x);
	return v;
}

static const struct ml_sym *unary(struct ml_py *p)
{
	const struct ml_sym *x;

	blanks(p);
	if (p->depth >= DEPTH) {
		p->bad = true;
		return unknown(p);
	}
	if (*p->at != '-' && *p->at != '+' && *p->at != '~')
		return power(p);
	char op = *p->at++;
	p->depth++;
	x = unary(p);
	p->depth--;
	if (op == '+')
		return x;
	bool literal = x->op == ML_SYM_CONST;
	p->ops[op == '~' ? ML_FLOW_LOGIC : ML_FLOW_ADD] += !literal;
	return op == '~' ? unknown(p) : multiplied(p, ml_sym_const(p->arena, -1), x);
}

static const struct ml_sym *product(struct ml_py *p)
{
	const struct ml_sym *x = unary(p);

	for (;;) {
		blanks(p);
		if (p->at[0] == '*' && p->at[1] != '*' && p->at[1] != '=') {
			p->at++;
			x = multiplied(p, x, unary(p));
			p->ops[ML_FLOW_MUL]++;
		} else if ((*p->at == '/' || *p->at == '%') && p->at[1] != '=') {
			bool mod = *p->at == '%';

			bool exact = !mod && p->at[1] != '/';

			p->at += mod || exact ? 1 : 2;
			const struct ml_sym *y = unary(p);
			x = exact ? divided(p, x, y)
				  : make(p, mod ? ML_SYM_MOD : ML_SYM_FLOOR,
					 rounded(p, x), rounded(p, y));
			p->ops[ML_FLOW_DIV]++;
		} else
			return x;
	}
}

static const struct ml_sym *sum(struct ml_py *p)
{
	const struct ml_sym *x = product(p);

	for (;;) {
		blanks(p);
		if ((*p->at != '+' && *p->at != '-') || p->at[1] == '=')
			return x;
		bool minus = *p->at++ == '-';
		const struct ml_sym *y = product(p);
		x = added(p, x, y, minus);
		p->ops[ML_FLOW_ADD]++;
	}
}

/* Bits: their values are not followed. */
static const struct ml_sym *bits(struct ml_py *p)
{
	const struct ml_sym *x = sum(p);

	for (;;) {
		blanks(p);
		size_t n = 0;
		if ((*p->at == '<' || *p->at == '>') && p->at[1] == *p->at)
			n = 2;
		else if (*p->at == '^')
			n = 1;
		else if ((*p->at == '&' || *p->at == '|') && p->at[1] != *p->at)
			n = 1;
		if (!n)
			return x;
		p->at += n;
		sum(p);
		p->ops[ML_FLOW_LOGIC]++;
		x = unknown(p);
	}
}

static const struct ml_sym *negated(struct ml_py *p, const struct ml_sym *x)
{
	return make(p, ML_SYM_NOT, x, NULL);
}

static const struct ml_sym *comparison(struct ml_py *p)
{
	if (take(p, "not") || (*p->at == '!' && p->at[1] != '=' && take(p, "!"))) {
		if (++p->depth >= DEPTH) {
			p->bad = true;
			return unknown(p);
		}
		const struct ml_sym *x = comparison(p);
		p->depth--;
		p->ops[ML_FLOW_LOGIC]++;
		return negated(p, x);
	}
	const struct ml_sym *whole = bits(p), *x = rounded(p, whole), *y;
	static const char *const ops[] = { "<=", ">=", "==", "!=", "<", ">" };

	for (size_t i = 0; i < 6; i++) {
		if (!take(p, ops[i]))
			continue;
		y = rounded(p, bits(p));
		p->ops[ML_FLOW_COMPARE]++;
		switch (i) {
		case 0: return make(p, ML_SYM_GE, y, x);
		case 1: return make(p, ML_SYM_GE, x, y);
		case 2: return make(p, ML_SYM_EQ, x, y);
		case 3: return negated(p, make(p, ML_SYM_EQ, x, y));
		case 4: return negated(p, make(p, ML_SYM_GE, x, y));
		default: return negated(p, make(p, ML_SYM_GE, y, x));
		}
	}
	return whole;
}

static const struct ml_sym *logic(struct ml_py *p)
{
	const struct ml_sym *x = comparison(p);

	for (;;) {
		bool both = take(p, "and") || take(p, "&&");

		if (!both && !take(p, "or") && !take(p, "||"))
			return x;
		/* `and` binds tighter in Python; equal here only where values are
		 * combined without brackets, which DaCe never writes */
		x = make(p, both ? ML_SYM_AND : ML_SYM_OR, x, comparison(p));
		p->ops[ML_FLOW_LOGIC]++;
	}
}

static const struct ml_sym *expression(struct ml_py *p)
{
	if (p->depth >= DEPTH) {
		p->bad = true;
		return unknown(p);
	}
	p->depth++;
	const struct ml_sym *x = logic(p);
	if (take(p, "if")) {
		const struct ml_sym *c = logic(p), *y = unknown(p);

		if (take(p, "else"))
			y = expression(p);
		else
			p->bad = true;
		x = c->op == ML_SYM_CONST ? (c->value ? x : y) : unknown(p);
		p->ops[ML_FLOW_COMPARE]++;
	}
	p->depth--;
	return x;
}

const struct ml_sym *ml_py_value(struct ml_py *p, const char *text)
{
	p->at = text;
	p->bad = false;
	p->depth = 0;
	const struct ml_sym *v = expression(p);
	blanks(p);
	p->bad |= *p->at && *p->at != '\n' && *p->at != ';';
	return p->bad ? unknown(p) : rounded(p, v);
}

void ml_py_code(struct ml_py *p, const char *text)
{
	bool bad = false;

	while (*text) {
		const char *end = text + strcspn(text, "\n;");
		const char *at = text + strspn(text, " \t");

		if (at < end && *at != '#') {
			/* NAME = value, NAME[...] = value; also += and the like */
			const char *equals = at;
			int inside = 0;

			for (; equals < end; equals++) {
				inside += (*equals == '[') + (*equals == '(');
				inside -= (*equals == ']') + (*equals == ')');
				if (*equals == '=' && !inside && equals[1] != '=' &&
				    equals > at && !strchr("=<>!", equals[-1]))
					break;
			}
			if (equals < end && equals > at && strchr("+-", equals[-1]))
				p->ops[ML_FLOW_ADD]++;
			else if (equals < end && equals > at && equals[-1] == '*')
				p->ops[ML_FLOW_MUL]++;
			else if (equals < end && equals > at && equals[-1] == '/')
				p->ops[ML_FLOW_DIV]++;
			ml_py_value(p, equals < end ? equals + 1 : at);
			bad |= p->bad;
		}
		text = end + (*end != 0);
	}
	p->bad = bad;
}
