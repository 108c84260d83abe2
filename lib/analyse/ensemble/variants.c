#include "lib/analyse/ensemble/variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/buf.h"
#include "lib/base/map.h"
#include "lib/cache/machine/policy.h"

#define EXACT 9007199254740992.0 /* 2^53: up to here doubles hold all whole numbers */

enum { TEXT_MAX = 1 << 28 }; /* bytes of all variants together */

/* Some bytes of the text. */
struct span {
	const char *at;
	size_t size;
};

/* A parameter: a name and its values. */
struct choice {
	const char *name; /* NULL: not known yet */
	struct span body; /* as written, to compare */
	struct ml_parameter *values;
	size_t count, cap;
};

/* The text is a sequence of plain bytes, each followed by a choice. */
struct piece {
	struct span plain;
	size_t choice; /* the choice behind it; SIZE_MAX: none */
};

struct parser {
	const char *text;
	enum ml_variants_of of;
	const char *const *keep;
	struct piece *pieces;
	size_t piece_count, piece_cap;
	struct choice *choices;
	size_t choice_count, choice_cap;
	struct ml_arena *a;
	struct ml_err *err;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct span trim(struct span s)
{
	for (; s.size && blank(*s.at); s.at++)
		s.size--;
	while (s.size && blank(s.at[s.size - 1]))
		s.size--;
	return s;
}

static bool same(struct span s, const char *text)
{
	return strlen(text) == s.size && !memcmp(s.at, text, s.size);
}

/* Fails, quoting the text at fault; a long text is cut. */
static bool wrong(struct parser *p, struct span s, const char *why)
{
	int max = s.size > 60 ? 60 : (int)s.size;

	return ml_fail(p->err, ML_USAGE, "'%.*s%s' %s", max, s.at,
		       s.size > 60 ? "..." : "", why);
}

/* ---- numbers ---- */

struct number {
	double value;
	int decimals;
	bool unit; /* K, M or G follows it */
};

/* Parses all of s as a number: -3, 1.5, 32K. */
static bool number(struct span s, struct number *n)
{
	size_t i = 0, digits = 0;
	double sign = 1;

	*n = (struct number){ 0 };
	if (i < s.size && s.at[i] == '-') {
		sign = -1;
		i++;
	}
	for (; i < s.size && s.at[i] >= '0' && s.at[i] <= '9'; i++, digits++)
		n->value = n->value * 10 + (s.at[i] - '0');
	if (i < s.size && s.at[i] == '.') {
		double scale = 1;

		for (i++; i < s.size && s.at[i] >= '0' && s.at[i] <= '9'; i++, digits++) {
			n->value = n->value * 10 + (s.at[i] - '0');
			scale *= 10;
			if (++n->decimals > 9)
				return false;
		}
		n->value /= scale;
	}
	if (!digits)
		return false;
	if (i < s.size) {
		const char *units = "KkMmGg", *u = strchr(units, s.at[i]);

		if (!s.at[i] || !u)
			return false;
		n->value *= (double)((uint64_t)1024 << 10 * ((u - units) / 2));
		n->unit = true;
		i++;
	}
	n->value *= sign;
	return i == s.size && fabs(n->value) <= EXACT;
}

/* The number that a value stands for: 32768 for 32K, 8 for 8w in a machine. */
static double number_of(enum ml_variants_of of, struct span s)
{
	struct number n;

	if (number(s, &n))
		return n.value;
	if (of == ML_VARIANTS_MACHINE && s.size > 1 &&
	    strchr("wWbBcCeE", s.at[s.size - 1])) {
		s.size--;
		if (number(s, &n) && !n.unit)
			return n.value;
	}
	return NAN;
}

static const char *print_number(struct ml_arena *a, double v, int decimals, bool unit)
{
	static const char *const units[] = { "", "K", "M", "G" };
	unsigned u = 0;

	if (!unit)
		return ml_arena_printf(a, "%.*f", decimals, v);
	for (v = round(v); u < 3 && v != 0 && fmod(v, 1024) == 0; u++)
		v /= 1024;
	return ml_arena_printf(a, "%.0f%s", v, units[u]);
}

/* ---- values ---- */

static bool add_value(struct parser *p, struct choice *c, struct ml_names *seen,
		      const char *text)
{
	size_t before = seen->count;

	ml_names_add(seen, text);
	if (seen->count == before) /* {1..4,2}: a repeated value counts once */
		return true;
	if (c->count == ML_VARIANTS_MAX)
		return ml_fail(p->err, ML_USAGE, "'{%.*s}' has more than %d values",
			       c->body.size > 60 ? 60 : (int)c->body.size, c->body.at,
			       ML_VARIANTS_MAX);
	c->values = ml_grow(c->values, &c->cap, c->count + 1, sizeof(*c->values));
	c->values[c->count++] = (struct ml_parameter){
		.value = text,
		.number = number_of(p->of, (struct span){ text, strlen(text) }),
	};
	return true;
}

/* The place of ".." in s, or SIZE_MAX. */
static size_t dots(struct span s)
{
	for (size_t i = 0; i + 1 < s.size; i++)
		if (s.at[i] == '.' && s.at[i + 1] == '.')
			return i;
	return SIZE_MAX;
}

/* Adds the values of "4K..256K x2", given as the parts before and behind the dots. */
static bool add_range(struct parser *p, struct choice *c, struct ml_names *seen,
		      struct span all, size_t at)
{
	struct span first = trim((struct span){ all.at, at });
	struct span last = trim((struct span){ all.at + at + 2, all.size - at - 2 });
	struct number from, to, step = { .value = 1 };
	bool times = false;

	for (size_t i = 0; i < last.size; i++)
		if (blank(last.at[i])) {
			struct span how =
				trim((struct span){ last.at + i, last.size - i });

			times = *how.at == 'x' || *how.at == '*';
			if ((!times && *how.at != '+') ||
			    !number((struct span){ how.at + 1, how.size - 1 }, &step))
				return wrong(p, how,
					     "is no step: write +2 to add or x2 to "
					     "multiply");
			last.size = i;
			break;
		}
	if (!number(first, &from))
		return wrong(p, first, "does not begin a range: it is no number");
	if (!number(last, &to))
		return wrong(p, last, "does not end a range: it is no number");
	if (from.value > to.value)
		return wrong(p, all, "ends before it begins");
	if (times ? step.value <= 1 || from.value <= 0 : step.value <= 0)
		return wrong(p, all, "never ends: its step does not grow");
	bool unit = from.unit || to.unit || (!times && step.unit);
	int decimals = from.decimals > step.decimals ? from.decimals : step.decimals;
	double v = from.value;
	for (unsigned i = 0; v <= to.value * (1 + 1e-12) + 1e-12; i++) {
		if (!add_value(p, c, seen, print_number(p->a, v, decimals, unit)))
			return false;
		v = times ? v * step.value : from.value + (i + 1) * step.value;
	}
	return true;
}

static bool add_values(struct parser *p, struct choice *c, struct span body)
{
	struct ml_names seen = { 0 };
	bool ok = true, list = memchr(body.at, ',', body.size);

	for (size_t i = 0, from = 0; ok && i <= body.size; i++) {
		if (i < body.size && body.at[i] != ',')
			continue;
		struct span item = trim((struct span){ body.at + from, i - from });
		size_t range = dots(item);
		struct number n;

		from = i + 1;
		/* {../a,../b} is a list of words */
		if (range != SIZE_MAX &&
		    (!list || number(trim((struct span){ item.at, range }), &n)))
			ok = add_range(p, c, &seen, item, range);
		else if (!list && !number(item, &n))
			ok = wrong(p, item,
				   "in braces is neither a range (1..8) nor a list "
				   "(a,b), and nothing else is named so");
		else
			ok = add_value(p, c, &seen,
				       ml_arena_copy(p->a, item.at, item.size));
	}
	ml_names_release(&seen);
	return ok;
}

/* ---- names ---- */

static bool named(const struct parser *p, const char *name, size_t except)
{
	for (size_t i = 0; i < p->choice_count; i++)
		if (i != except && p->choices[i].name &&
		    !strcmp(p->choices[i].name, name))
			return true;
	return false;
}

static void set_name(struct parser *p, size_t choice, const char *name)
{
	const char *first = name;

	for (unsigned k = 2; named(p, name, choice); k++)
		name = ml_arena_printf(p->a, "%s %u", first, k);
	p->choices[choice].name = name;
}

/* The word that ends at `end`, within the text from `start` on. */
static struct span word_before(const char *start, const char *end)
{
	const char *at = end;

	while (at > start && !blank(at[-1]) && at[-1] != '|')
		at--;
	return (struct span){ at, (size_t)(end - at) };
}

static bool is_policy(const char *value)
{
	for (const struct ml_policy *y = ml_policies; y->name; y++)
		if (!strcasecmp(y->name, value))
			return true;
	return false;
}

/* The property of a level that a value sets, from the text around it. */
static const char *machine_kind(struct span before, const char *behind,
				const struct choice *c)
{
	static const struct {
		const char *word, *kind;
	} words[] = {
		{ "wb", "write" },
		{ "wt", "write" },
		{ "wa", "allocate" },
		{ "nwa", "allocate" },
		{ "neither", "inclusion" },
		{ "inclusive", "inclusion" },
		{ "exclusive", "inclusion" },
		{ "private", "share" },
		{ "shared", "share" },
		{ "full", "ways" },
	};
	const char *value = c->values[0].value, *unit = behind;

	if (!*value && c->count > 1)
		value = c->values[1].value;
	if (before.size >= 6 && !strncasecmp(before.at, "share=", 6))
		return "share";
	if (before.size >= 9 && !strncasecmp(before.at, "prefetch=", 9))
		return "prefetch";
	if (is_policy(value))
		return "policy";
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(value, words[i].word))
			return words[i].kind;
	if (!strncasecmp(value, "share=", 6))
		return "share";
	if (!strncasecmp(value, "prefetch=", 9))
		return "prefetch";
	if (isnan(c->values[0].number))
		return NULL;
	if (!*unit || blank(*unit) || *unit == '|' || *unit == '{')
		unit = value + strlen(value) - 1;
	switch (*unit) {
	case 'w':
	case 'W': return "ways";
	case 'b':
	case 'B': return "line";
	case 'c':
	case 'C': return "cycles";
	case 'e':
	case 'E': return "entries";
	default: return "size";
	}
}

static void name_in_machine(struct parser *p, size_t choice, const char *from,
			    const char *open, const char *behind)
{
	const char *part = open;

	while (part > from && part[-1] != '|')
		part--;
	while (blank(*part))
		part++;
	size_t size = 0;
	while (part + size < open && !blank(part[size]) && part[size] != '{')
		size++;
	struct span level = { part, size }, before = word_before(part, open);
	const char *kind = machine_kind(before, behind, &p->choices[choice]);
	if (!size || part + size == open) {
		set_name(p, choice, "machine");
	} else if (same(level, "cores") || same(level, "seed")) {
		set_name(p, choice, ml_arena_copy(p->a, part, size));
	} else {
		set_name(p, choice,
			 ml_arena_printf(p->a, "%.*s %s", (int)size, part,
					 kind ? kind : "word"));
	}
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* PAD of -DPAD=, n of "-n ", size of --size=. */
static struct span name_at_end(struct span word)
{
	while (word.size && !in_name(word.at[word.size - 1]))
		word.size--;
	size_t n = 0;
	while (n < word.size && in_name(word.at[word.size - 1 - n]))
		n++;
	struct span name = { word.at + word.size - n, n };
	if (n > 1 && word.size - n == 1 && word.at[0] == '-' && *name.at == 'D')
		name = (struct span){ name.at + 1, n - 1 };
	return name;
}

static void name_in_command(struct parser *p, size_t choice, const char *open)
{
	struct span word = word_before(p->text, open), name = name_at_end(word);

	if (!name.size) {
		const char *end = word.at;

		while (end > p->text && blank(end[-1]))
			end--;
		name = name_at_end(word_before(p->text, end));
	}
	set_name(p, choice,
		 name.size ? ml_arena_copy(p->a, name.at, name.size) : "value");
}

/* ---- the text ---- */

static void add_piece(struct parser *p, struct span plain, size_t choice)
{
	p->pieces = ml_grow(p->pieces, &p->piece_cap, p->piece_count + 1,
			    sizeof(*p->pieces));
	p->pieces[p->piece_count++] = (struct piece){ plain, choice };
}

static bool kept(const struct parser *p, struct span body)
{
	for (const char *const *k = p->keep; k && *k; k++)
		if (same(body, *k))
			return true;
	return false;
}

/* The name before a colon, if there is one: letters, digits, blanks, dashes. */
static struct span name_of(struct span body)
{
	size_t i = 0;

	while (i < body.size &&
	       (in_name(body.at[i]) || body.at[i] == ' ' || body.at[i] == '-'))
		i++;
	struct span name = trim((struct span){ body.at, i });
	return i < body.size && body.at[i] == ':' ? name : (struct span){ 0 };
}

/* The choice of a brace, which is a new one unless its name is known. */
static bool find_choice(struct parser *p, struct span body, size_t *choice)
{
	struct span name = name_of(body), values = body;

	if (name.size) {
		const char *colon = memchr(body.at, ':', body.size);

		values = trim((struct span){ colon + 1,
					     body.size - (size_t)(colon + 1 - body.at) });
	}
	for (size_t i = 0; i < p->choice_count; i++) {
		const struct choice *c = &p->choices[i];

		if (!c->name || !same(name.size ? name : body, c->name))
			continue;
		*choice = i;
		if (name.size && (values.size != c->body.size ||
				  memcmp(values.at, c->body.at, values.size)))
			return wrong(p, body, "gives a name other values than before");
		return true;
	}
	*choice = p->choice_count;
	p->choices = ml_grow(p->choices, &p->choice_cap, p->choice_count + 1,
			     sizeof(*p->choices));
	struct choice *c = &p->choices[p->choice_count++];
	c->body = values;
	if (name.size)
		c->name = ml_arena_copy(p->a, name.at, name.size);
	if (!values.size)
		return wrong(p, (struct span){ body.at - 1, body.size + 2 },
			     "has nothing to choose from");
	return add_values(p, c, values);
}

/* Parses one brace, from its { on; *end is behind its }. */
static bool brace(struct parser *p, const char *open, struct span plain, const char **end)
{
	size_t size = strcspn(open + 1, "{}");
	struct span body = trim((struct span){ open + 1, size });
	size_t known = p->choice_count, choice;

	*end = open + size + 2;
	if (open[1 + size] != '}')
		return wrong(p, (struct span){ open, strlen(open) },
			     open[1 + size] ? "has a brace within a brace"
					    : "has a brace that is not closed");
	if (kept(p, body)) {
		plain.size = (size_t)(*end - plain.at);
		add_piece(p, plain, SIZE_MAX);
		return true;
	}
	if (!find_choice(p, body, &choice))
		return false;
	add_piece(p, plain, choice);
	if (choice < known || p->choices[choice].name)
		return true;
	if (p->of == ML_VARIANTS_MACHINE)
		name_in_machine(p, choice, p->text, open, *end);
	else
		name_in_command(p, choice, open);
	return true;
}

static bool parse(struct parser *p)
{
	const char *from = p->text, *at = from;

	while (*at) {
		if (*at != '{' && *at != '}') {
			at++;
			continue;
		}
		struct span plain = { from, (size_t)(at - from) };

		if (at[1] == *at) { /* an escaped brace */
			plain.size++;
			add_piece(p, plain, SIZE_MAX);
			at += 2;
		} else if (*at == '}') {
			return wrong(p, (struct span){ p->text, strlen(p->text) },
				     "has a } without a {");
		} else if (!brace(p, at, plain, &at)) {
			return false;
		}
		from = at;
	}
	add_piece(p, (struct span){ from, (size_t)(at - from) }, SIZE_MAX);
	return true;
}

/* Makes variant number `which`; the first choice varies slowest. */
static void make(struct parser *p, struct ml_variant *v, size_t which,
		 struct ml_buf *text)
{
	v->param_count = p->choice_count;
	v->params = ml_arena_alloc(p->a, p->choice_count * sizeof(*v->params) + 1);
	for (size_t i = p->choice_count; i-- > 0;) {
		const struct choice *c = &p->choices[i];

		v->params[i] = c->values[which % c->count];
		v->params[i].name = c->name;
		which /= c->count;
	}
	text->size = 0;
	bool full = false; /* {2,4,full}w: in a machine it is "full", without the w */
	for (size_t i = 0; i < p->piece_count; i++) {
		const struct piece *piece = &p->pieces[i];
		struct span plain = piece->plain;

		if (full && plain.size && *plain.at == 'w') {
			plain.at++;
			plain.size--;
		}
		ml_buf_put(text, plain.at, plain.size);
		full = false;
		if (piece->choice != SIZE_MAX) {
			const char *value = v->params[piece->choice].value;

			ml_buf_text(text, value);
			full = p->of == ML_VARIANTS_MACHINE && !strcmp(value, "full");
		}
	}
	v->text = ml_arena_copy(p->a, text->data, text->size);
}

static bool make_all(struct parser *p, struct ml_variants *v)
{
	struct ml_buf text = { 0 };
	size_t count = 1;

	for (size_t i = 0; i < p->choice_count; i++) {
		count *= p->choices[i].count;
		if (count > ML_VARIANTS_MAX)
			return wrong(p, (struct span){ p->text, strlen(p->text) },
				     "stands for more than 100000 variants");
	}
	/* each variant costs its text and its parameters */
	if ((strlen(p->text) + p->choice_count * sizeof(struct ml_parameter)) >
	    TEXT_MAX / count)
		return wrong(p, (struct span){ p->text, strlen(p->text) },
			     "is too long for so many variants");
	v->at = ml_arena_alloc(p->a, count * sizeof(*v->at));
	v->count = v->cap = count;
	ml_buf_reserve(&text, 1);
	for (size_t i = 0; i < count; i++)
		make(p, &v->at[i], i, &text);
	ml_buf_release(&text);
	return true;
}

bool ml_variants_expand(struct ml_variants *v, const char *text, enum ml_variants_of of,
			const char *const *keep, struct ml_arena *a, struct ml_err *err)
{
	struct parser p = { .text = text, .of = of, .keep = keep, .a = a, .err = err };

	*v = (struct ml_variants){ 0 };
	bool ok = parse(&p) && make_all(&p, v);
	for (size_t i = 0; i < p.choice_count; i++)
		ml_free(p.choices[i].values);
	ml_free(p.choices);
	ml_free(p.pieces);
	return ok;
}
