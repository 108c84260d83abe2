#include "lib/query/trace/text/threshold.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"

/* A value of a subexpression: a number, or the truth of a comparison. */
struct value {
	bool truth; /* holds is valid; otherwise number is */
	bool holds;
	double number;
};

enum { NESTED = 50 };

struct parser {
	const char *text, *at;
	ml_threshold_value *value;
	void *arg;
	struct ml_buf *why;
	unsigned depth;
	struct ml_err *err;
};

static bool parse_or(struct parser *p, struct value *v);

static void skip(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool bad(struct parser *p, const char *reason)
{
	if (!*p->at)
		return ml_fail(p->err, ML_USAGE, "'%s': %s, not the end", p->text,
			       reason);
	return ml_fail(p->err, ML_USAGE, "'%s': %s, not '%s'", p->text, reason, p->at);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Takes a sign or a word if it comes next. */
static bool take(struct parser *p, const char *what)
{
	size_t n = strlen(what);

	skip(p);
	if (strncmp(p->at, what, n) != 0 || (is_word(*what) && is_word(p->at[n])))
		return false;
	p->at += n;
	return true;
}

static bool want_number(struct parser *p, const struct value *v, const char *start)
{
	if (!v->truth)
		return true;
	p->at = start;
	return bad(p, "expected a number");
}

static bool want_truth(struct parser *p, const struct value *v, const char *start)
{
	if (v->truth)
		return true;
	p->at = start;
	return bad(p, "expected a comparison such as L1.miss_ratio > 0.05");
}

static bool parse_number(struct parser *p, struct value *v)
{
	static const char suffixes[] = "kMG";
	char *end;

	v->number = strtod(p->at, &end);
	if (end == p->at)
		return bad(p, "expected a number or a name");
	p->at = end;
	const char *suffix = *end ? strchr(suffixes, *end == 'K' ? 'k' : *end) : NULL;
	if (*end == '%') {
		v->number /= 100;
		p->at++;
	} else if (suffix && !is_word(end[1])) {
		for (const char *s = suffixes; s <= suffix; s++)
			v->number *= 1000;
		p->at++;
	} else if (is_word(*end))
		return bad(p, "expected k, M, G or % behind a number");
	return true;
}

/* Takes "text", with \" and \\ inside, or all up to the parenthesis. */
static bool parse_arg(struct parser *p, struct ml_threshold_part *part)
{
	size_t n = 0;

	skip(p);
	bool quoted = *p->at == '"';
	p->at += quoted;
	while (*p->at && *p->at != (quoted ? '"' : ')')) {
		if (quoted && *p->at == '\\' && p->at[1])
			p->at++;
		if (n + 1 == sizeof(part->arg))
			return bad(p, "expected a shorter name");
		part->arg[n++] = *p->at++;
	}
	part->arg[n] = 0;
	if (quoted && !take(p, "\""))
		return bad(p, "expected the \" that ends a name");
	part->has_arg = true;
	return take(p, ")") || bad(p, "expected )");
}

static bool parse_path(struct parser *p, struct value *v)
{
	struct ml_threshold_path path = { .count = 0 };

	do {
		size_t n = 0;

		if (path.count == ML_THRESHOLD_PARTS)
			return bad(p, "expected a shorter path");
		struct ml_threshold_part *part = &path.part[path.count++];
		while (is_word(*p->at)) {
			if (n + 1 == sizeof(part->word))
				return bad(p, "expected a shorter word");
			part->word[n++] = *p->at++;
		}
		part->word[n] = 0;
		part->has_arg = false;
		if (!n)
			return bad(p, "expected a name behind the dot");
		if (*p->at == '(') {
			p->at++;
			if (!parse_arg(p, part))
				return false;
		}
	} while (*p->at == '.' && p->at++);
	struct ml_err why;
	if (p->value(p->arg, &path, &v->number, &why))
		return true;
	return ml_fail(p->err, why.kind, "'%s': %s", p->text, why.text);
}

static bool parse_atom(struct parser *p, struct value *v)
{
	*v = (struct value){ .truth = false };
	skip(p);
	if (take(p, "(")) {
		if (p->depth == NESTED)
			return bad(p, "expected fewer parentheses");
		p->depth++;
		bool ok = parse_or(p, v) && (take(p, ")") || bad(p, "expected )"));
		p->depth--;
		return ok;
	}
	/* a change is written with its sign: +5% */
	p->at += *p->at == '+' && (p->at[1] == '.' || isdigit((unsigned char)p->at[1]));
	if (*p->at == '-' || *p->at == '.' || isdigit((unsigned char)*p->at))
		return parse_number(p, v);
	if (is_word(*p->at))
		return parse_path(p, v);
	return bad(p, "expected a number or a name");
}

static bool parse_product(struct parser *p, struct value *v)
{
	skip(p);
	const char *start = p->at;

	if (!parse_atom(p, v))
		return false;
	for (;;) {
		bool times = take(p, "*");
		struct value w;

		if (!times && !take(p, "/"))
			return true;
		skip(p);
		const char *right = p->at;
		if (!parse_atom(p, &w) || !want_number(p, v, start) ||
		    !want_number(p, &w, right))
			return false;
		/* 0 / 0 is 0 */
		v->number = times                          ? v->number * w.number
			    : w.number < 0 || w.number > 0 ? v->number / w.number
							   : 0;
	}
}

static bool parse_sum(struct parser *p, struct value *v)
{
	skip(p);
	const char *start = p->at;

	if (!parse_product(p, v))
		return false;
	for (;;) {
		bool plus = take(p, "+");
		struct value w;

		if (!plus && !take(p, "-"))
			return true;
		skip(p);
		const char *right = p->at;
		if (!parse_product(p, &w) || !want_number(p, v, start) ||
		    !want_number(p, &w, right))
			return false;
		v->number += plus ? w.number : -w.number;
	}
}

static bool compare(const char *op, double a, double b)
{
	bool less = a<b, more = a> b;

	if (!strcmp(op, "<="))
		return !more;
	if (!strcmp(op, ">="))
		return !less;
	if (!strcmp(op, "=="))
		return !less && !more;
	if (!strcmp(op, "!="))
		return less || more;
	return *op == '<' ? less : more;
}

static void note(struct parser *p, const char *start, double is)
{
	const char *end = p->at;

	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	/* counts in full, shares with six digits */
	bool count = is < 1e15 && is > -1e15 && (double)(int64_t)is >= is &&
		     (double)(int64_t)is <= is;
	bool large = is >= 1000 || is <= -1000;
	char text[40];
	if (count || large)
		snprintf(text, sizeof(text), "%.*f", count ? 0 : 2, is);
	else
		snprintf(text, sizeof(text), "%.6g", is);
	ml_buf_printf(p->why, "%.*s: it is %s\n", (int)(end - start), start, text);
}

static bool parse_comparison(struct parser *p, struct value *v)
{
	static const char *const ops[] = { "<=", ">=", "==", "!=", "<", ">" };

	skip(p);
	const char *start = p->at;
	if (!parse_sum(p, v))
		return false;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (take(p, ops[i])) {
			struct value w;

			skip(p);
			const char *right = p->at;
			if (!parse_sum(p, &w) || !want_number(p, v, start) ||
			    !want_number(p, &w, right))
				return false;
			v->truth = true;
			v->holds = compare(ops[i], v->number, w.number);
			if (v->holds)
				note(p, start, v->number);
			return true;
		}
	return true;
}

static bool parse_not(struct parser *p, struct value *v)
{
	bool invert = false;

	while (take(p, "not"))
		invert = !invert;
	skip(p);
	const char *start = p->at;
	if (!parse_comparison(p, v) || (invert && !want_truth(p, v, start)))
		return false;
	v->holds ^= invert;
	return true;
}

static bool parse_and(struct parser *p, struct value *v)
{
	skip(p);
	const char *start = p->at;

	if (!parse_not(p, v))
		return false;
	while (take(p, "and")) {
		struct value w;

		skip(p);
		const char *right = p->at;
		if (!parse_not(p, &w) || !want_truth(p, v, start) ||
		    !want_truth(p, &w, right))
			return false;
		v->holds = v->holds && w.holds;
	}
	return true;
}

static bool parse_or(struct parser *p, struct value *v)
{
	skip(p);
	const char *start = p->at;

	if (!parse_and(p, v))
		return false;
	while (take(p, "or")) {
		struct value w;

		skip(p);
		const char *right = p->at;
		if (!parse_and(p, &w) || !want_truth(p, v, start) ||
		    !want_truth(p, &w, right))
			return false;
		v->holds = v->holds || w.holds;
	}
	return true;
}

bool ml_threshold_test(const char *text, ml_threshold_value *value, void *arg,
		       bool *crossed, struct ml_buf *why, struct ml_err *err)
{
	size_t before = why->size;
	struct parser p = { text, text, value, arg, why, 0, err };
	struct value v;

	if (!parse_or(&p, &v) || !want_truth(&p, &v, text))
		return false;
	skip(&p);
	if (*p.at)
		return bad(&p, "expected and, or, or the end");
	*crossed = v.holds;
	if (!v.holds)
		why->size = before;
	return true;
}

bool ml_thresholds_test(const char *const *texts, size_t count, const char *command,
			ml_threshold_value *value, void *arg, struct ml_buf *crossed,
			struct ml_err *err)
{
	struct ml_buf why = { 0 };
	bool ok = true, holds = false;

	for (size_t i = 0; ok && i < count; i++) {
		why.size = 0;
		ok = ml_threshold_test(texts[i], value, arg, &holds, &why, err);
		if (ok && holds) {
			ml_buf_printf(crossed, "memlamp %s: --fail-if '%s' holds\n",
				      command, texts[i]);
			ml_buf_put(crossed, why.data, why.size);
		}
	}
	ml_buf_release(&why);
	return ok;
}

bool ml_thresholds_check(const char *const *texts, size_t count,
			 ml_threshold_value *value, void *arg, struct ml_err *err)
{
	struct ml_buf ignored = { 0 };
	bool ok = ml_thresholds_test(texts, count, "", value, arg, &ignored, err);

	ml_buf_release(&ignored);
	return ok;
}
