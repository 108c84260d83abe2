#include "record/source/fortran_shape.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/trace/tables.h"
#include "record/source/sources.h"

enum {
	SYMBOLS_MAX = 4,
	VALUES_MAX = 4, /* numbers that a file assigns to one variable */
	WORD_MAX = 64,
	VALUE_MAX = 1 << 30,
	NESTING_MAX = 16,
};

struct symbol {
	char name[WORD_MAX];
	int64_t value[VALUES_MAX];
	size_t values;
};

/* A sum: a constant and multiples of symbols. */
struct sum {
	int64_t constant, times[SYMBOLS_MAX];
};

struct extents {
	struct symbol symbol[SYMBOLS_MAX];
	size_t symbols;
	struct sum low[ML_DIMS], extent[ML_DIMS]; /* first index first */
	bool opaque[ML_DIMS];                     /* extent is no such sum */
	uint32_t dims;
};

/* Values of the symbols, and the shape that they give. */
struct trial {
	int64_t value[SYMBOLS_MAX];
	uint64_t extent[ML_DIMS];
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_constant(const struct sum *s)
{
	for (size_t i = 0; i < SYMBOLS_MAX; i++)
		if (s->times[i])
			return false;
	return true;
}

static struct sum scaled(struct sum s, int64_t by)
{
	s.constant *= by;
	for (size_t i = 0; i < SYMBOLS_MAX; i++)
		s.times[i] *= by;
	return s;
}

static struct sum added(struct sum a, struct sum b)
{
	a.constant += b.constant;
	for (size_t i = 0; i < SYMBOLS_MAX; i++)
		a.times[i] += b.times[i];
	return a;
}

static bool is_small(const struct sum *s)
{
	bool small = s->constant <= VALUE_MAX && s->constant >= -VALUE_MAX;

	for (size_t i = 0; i < SYMBOLS_MAX; i++)
		small &= s->times[i] <= VALUE_MAX && s->times[i] >= -VALUE_MAX;
	return small;
}

static bool read_sum(struct extents *e, const char **p, struct sum *s, int depth);

static bool read_symbol(struct extents *e, const char **p, struct sum *s)
{
	size_t n = 0, i;

	while (is_word((*p)[n]) || (*p)[n] == '%')
		n++;
	if (!n || n >= WORD_MAX || (*p)[n] == '(')
		return false;
	for (i = 0; i < e->symbols; i++)
		if (strlen(e->symbol[i].name) == n && !memcmp(e->symbol[i].name, *p, n))
			break;
	if (i == SYMBOLS_MAX)
		return false;
	if (i == e->symbols) {
		e->symbols++;
		memcpy(e->symbol[i].name, *p, n);
	}
	s->times[i] = 1;
	*p += n;
	return true;
}

static bool read_factor(struct extents *e, const char **p, struct sum *s, int depth)
{
	*s = (struct sum){ 0 };
	if (**p == '(') {
		++*p;
		return depth < NESTING_MAX && read_sum(e, p, s, depth + 1) &&
		       *(*p)++ == ')';
	}
	if (!isdigit((unsigned char)**p))
		return read_symbol(e, p, s);
	while (isdigit((unsigned char)**p) && s->constant < VALUE_MAX)
		s->constant = s->constant * 10 + *(*p)++ - '0';
	if (**p == '_') /* a kind: 10_8 */
		do
			++*p;
		while (is_word(**p));
	return true;
}

static bool read_product(struct extents *e, const char **p, struct sum *s, int depth)
{
	struct sum by;

	if (!read_factor(e, p, s, depth))
		return false;
	while (**p == '*' && (*p)[1] != '*') {
		++*p;
		if (!read_factor(e, p, &by, depth) || !is_small(s) || !is_small(&by))
			return false;
		if (is_constant(&by))
			*s = scaled(*s, by.constant);
		else if (is_constant(s))
			*s = scaled(by, s->constant);
		else
			return false;
	}
	return is_small(s);
}

static bool read_sum(struct extents *e, const char **p, struct sum *s, int depth)
{
	struct sum term;
	bool minus = **p == '-';

	*p += minus || **p == '+';
	if (!read_product(e, p, s, depth))
		return false;
	if (minus)
		*s = scaled(*s, -1);
	while (**p == '+' || **p == '-') {
		minus = *(*p)++ == '-';
		if (!read_product(e, p, &term, depth))
			return false;
		*s = added(*s, minus ? scaled(term, -1) : term);
	}
	return is_small(s);
}

/* Behind the bounds of a dimension: its comma or the end of the text. */
static const char *dimension_end(const char *p)
{
	int depth = 0;

	for (; *p && (depth || *p != ','); p++)
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
	return p;
}

static bool read_bounds(struct extents *e, const char *p)
{
	static const struct sum one = { .constant = 1 };

	while (*p) {
		const char *end = dimension_end(p), *q = p;
		struct sum high;
		uint32_t d = e->dims;

		if (d == ML_DIMS)
			return false;
		e->low[d] = one;
		e->opaque[d] = !read_sum(e, &q, &high, 0);
		if (!e->opaque[d] && *q == ':') {
			e->low[d] = high;
			q++;
			e->opaque[d] = !read_sum(e, &q, &high, 0);
		}
		e->opaque[d] |= q != end;
		if (!e->opaque[d])
			e->extent[d] = added(added(high, scaled(e->low[d], -1)), one);
		e->dims++;
		p = end + (*end == ',');
	}
	return e->dims > 0;
}

/* Adds the number that stands behind "name =" in a line. */
static void read_value(struct symbol *s, const char *line, size_t size)
{
	const char *end = line + size;
	size_t n = strlen(s->name);

	for (const char *p = line; p + n < end; p++) {
		const char *q = p + n;
		int64_t v = 0;

		if (*p == '!')
			return;
		if (strncasecmp(p, s->name, n) != 0 || is_word(*q) ||
		    (p > line && (is_word(p[-1]) || p[-1] == '%')))
			continue;
		while (q < end && *q == ' ')
			q++;
		if (q == end || *q++ != '=')
			continue;
		while (q < end && *q == ' ')
			q++;
		if (q == end || !isdigit((unsigned char)*q))
			continue;
		while (q < end && isdigit((unsigned char)*q) && v < VALUE_MAX)
			v = v * 10 + *q++ - '0';
		bool whole = q == end || !strchr(".*+-/%eEdD", *q);
		for (size_t i = 0; i < s->values; i++)
			whole &= s->value[i] != v;
		if (whole && s->values < VALUES_MAX)
			s->value[s->values++] = v;
	}
}

static void read_values(struct extents *e, struct ml_sources *sources, const char *path)
{
	const char *line;
	size_t size;

	for (uint32_t i = 1; (line = ml_sources_line(sources, path, i, &size)); i++)
		for (size_t k = 0; k < e->symbols; k++)
			read_value(&e->symbol[k], line, size);
}

static int64_t value_of(const struct sum *s, const struct trial *t)
{
	int64_t v = s->constant;

	for (size_t i = 0; i < SYMBOLS_MAX; i++)
		v += s->times[i] * t->value[i];
	return v;
}

/* The elements that the values give, at most max + 1; an opaque extent counts as 1. */
static uint64_t count(const struct extents *e, struct trial *t, uint64_t max)
{
	uint64_t product = 1;

	for (uint32_t d = 0; d < e->dims; d++) {
		int64_t v = e->opaque[d] ? 1 : value_of(&e->extent[d], t);

		t->extent[d] = v > 0 ? (uint64_t)v : 0;
		if (product && t->extent[d] > (max + 1) / product)
			product = max + 1;
		else
			product *= t->extent[d];
	}
	return product > max ? max + 1 : product;
}

/* Do the values give this many elements? Fills in the extents. */
static bool fits(const struct extents *e, struct trial *t, uint64_t elements)
{
	uint32_t opaque = ML_DIMS;
	unsigned opaques = 0;
	uint64_t product = count(e, t, elements);

	for (uint32_t d = 0; d < e->dims; d++)
		if (e->opaque[d]) {
			opaque = d;
			opaques++;
		}
	if (!opaques)
		return product == elements;
	if (opaques > 1 || !product || elements % product)
		return false;
	t->extent[opaque] = elements / product;
	return true;
}

/* Finds the value of one symbol: the count grows with it. */
static bool find_value(const struct extents *e, struct trial *t, size_t symbol,
		       uint64_t elements)
{
	int64_t low = 0, high = VALUE_MAX;
	bool used = false;

	for (uint32_t d = 0; d < e->dims; d++) {
		if (e->opaque[d] || e->extent[d].times[symbol] < 0)
			return false;
		used |= e->extent[d].times[symbol] > 0;
	}
	while (used && low < high) {
		t->value[symbol] = low + (high - low) / 2;
		if (count(e, t, elements) < elements)
			low = t->value[symbol] + 1;
		else
			high = t->value[symbol];
	}
	t->value[symbol] = low;
	return used && fits(e, t, elements);
}

struct search {
	const struct extents *e;
	uint64_t elements;
	struct trial found;
	bool any, several;
};

static void keep(struct search *s, const struct trial *t)
{
	s->several |= s->any && memcmp(t, &s->found, sizeof(*t)) != 0;
	s->found = *t;
	s->any = true;
}

/* Tries all known values of the symbols from i on; `unknown` is to be found. */
static void try_values(struct search *s, struct trial *t, size_t i, size_t unknown)
{
	const struct extents *e = s->e;

	if (i == e->symbols) {
		if (unknown < e->symbols ? find_value(e, t, unknown, s->elements)
					 : fits(e, t, s->elements))
			keep(s, t);
		return;
	}
	if (i == unknown) {
		try_values(s, t, i + 1, unknown);
		return;
	}
	for (size_t k = 0; k < e->symbol[i].values; k++) {
		t->value[i] = e->symbol[i].value[k];
		try_values(s, t, i + 1, unknown);
	}
}

bool ml_fortran_shape(struct ml_region *r, const char *bounds, uint64_t elements,
		      struct ml_sources *sources, const char *path)
{
	struct extents e = { 0 };
	struct search s = { .e = &e, .elements = elements };

	if (!elements || elements > (uint64_t)1 << 60 || !read_bounds(&e, bounds))
		return false;
	read_values(&e, sources, path);
	try_values(&s, &(struct trial){ 0 }, 0, SYMBOLS_MAX);
	bool known = s.any;
	for (size_t i = 0; i < e.symbols && !known; i++)
		try_values(&s, &(struct trial){ 0 }, 0, i);
	if (!s.any || s.several)
		return false;
	r->dims = e.dims;
	r->column_major = true;
	for (uint32_t d = 0; d < e.dims; d++) {
		r->dim[e.dims - 1 - d] = s.found.extent[d];
		r->low[e.dims - 1 - d] = value_of(&e.low[d], &s.found);
	}
	return true;
}
