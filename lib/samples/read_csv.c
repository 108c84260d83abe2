/* Separated values (RFC 4180, and tabs and semicolons), blanks around fields ignored. */
#include "lib/samples/readers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/work.h"
#include "lib/trace/scan.h"

enum type { DECIMAL, HEX, NEGATIVE, REAL, NAMES };

/* What the cells of a column look like. */
struct seen {
	uint64_t decimal; /* digits only */
	uint64_t hex;     /* hexadecimal digits with a letter, without 0x */
	uint64_t digit;   /* of those, with a decimal digit */
	uint64_t either;  /* hexadecimal or real: 1e5 */
	uint64_t prefixed, negative, real, missing, other;
};

struct csv {
	struct ml_samples *s;
	struct ml_read_text t;
	const char *start;
	char comma;
	struct ml_scan_word *field;
	size_t fields, cap;
	struct ml_buf plain; /* quoted fields without their quotes */
	uint64_t line;       /* of the record, from 1 */
	uint64_t next_line;
	const char *bad; /* what is wrong with the record, or NULL */
	struct seen *seen;
	enum type *type;
	size_t width;   /* number of columns */
	uint64_t *bits; /* of the record: its numbers, and whether they are missing */
	bool *hole;
	const struct ml_work *work;
};

static struct ml_scan_word trim(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (struct ml_scan_word){ at, (size_t)(end - at) };
}

static const char *find_char(const char *at, const char *end, char c)
{
	return at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
}

static void add_field(struct csv *c, struct ml_scan_word w)
{
	c->field = ml_grow(c->field, &c->cap, c->fields + 1, sizeof(*c->field));
	c->field[c->fields++] = w;
}

/* A field in quotes; returns the byte behind the closing quote, NULL if there is none. */
static const char *quoted(struct csv *c, const char *at)
{
	/* The buffer was reserved for the whole record and does not move. */
	char *to = (char *)c->plain.data + c->plain.size, *from = to;

	for (at++; at < c->t.end; at++) {
		if (*at == '\n')
			c->next_line++;
		if (*at == '"') {
			if (at + 1 == c->t.end || at[1] != '"')
				break;
			at++;
		}
		*to++ = *at;
	}
	c->plain.size = (size_t)(to - (char *)c->plain.data);
	add_field(c, (struct ml_scan_word){ from, (size_t)(to - from) });
	return at < c->t.end ? at + 1 : NULL;
}

/* The end of a record that begins at `at`: a newline outside quotes, or the end. */
static const char *record_end(const struct csv *c, const char *at, bool *quotes)
{
	const char *end = memchr(at, '\n', (size_t)(c->t.end - at));

	end = end ? end : c->t.end;
	*quotes = memchr(at, '"', (size_t)(end - at));
	if (*quotes) {
		bool inside = false;

		for (end = at; end < c->t.end && (inside || *end != '\n'); end++)
			inside ^= *end == '"';
		/* A quote that never closes must not swallow the rest of the file. */
		if (inside) {
			end = memchr(at, '\n', (size_t)(c->t.end - at));
			end = end ? end : c->t.end;
		}
	}
	return end;
}

/* Reads the next record that is not blank. False at the end. */
static bool next_record(struct csv *c)
{
	bool quotes;

	for (;;) {
		const char *at = c->t.at, *end;

		if (at >= c->t.end)
			return false;
		c->line = c->next_line;
		end = record_end(c, at, &quotes);
		c->t.at = end < c->t.end ? end + 1 : end;
		c->next_line++;
		c->fields = 0;
		c->bad = NULL;
		if (!trim(at, end).size)
			continue;
		if (!quotes) {
			for (;;) {
				const char *comma = find_char(at, end, c->comma);

				add_field(c, trim(at, comma ? comma : end));
				if (!comma)
					return true;
				at = comma + 1;
			}
		}
		c->plain.size = 0;
		ml_buf_reserve(&c->plain, (size_t)(end - at) + 1);
		const char *whole = c->t.end;
		c->t.end = end;
		for (;;) {
			while (at < end && *at != c->comma && (*at == ' ' || *at == '\t'))
				at++;
			if (at < end && *at == '"') {
				at = quoted(c, at);
				if (!at) {
					c->bad = "a quoted field does not end";
					break;
				}
				at = trim(at, end).at;
				if (at < end && *at != c->comma) {
					c->bad = "text follows a quoted field";
					break;
				}
				if (at == end)
					break;
				at++;
			} else {
				const char *comma = find_char(at, end, c->comma);

				add_field(c, trim(at, comma ? comma : end));
				if (!comma)
					break;
				at = comma + 1;
			}
		}
		c->t.end = whole;
		return true;
	}
}

/* Whether the record has a value a column; empty fields may follow. */
static bool fits(struct csv *c)
{
	if (c->bad)
		return false;
	while (c->fields > c->width && !c->field[c->fields - 1].size)
		c->fields--;
	if (c->fields != c->width)
		c->bad = "the number of fields is not that of the headings";
	return !c->bad;
}

static bool is_missing(struct ml_scan_word w)
{
	static const char *const words[] = { "??", "?", "-", "NA", "N/A", "nan", "null" };

	if (w.size && *w.at >= '0' && *w.at <= '9')
		return false;
	for (size_t i = 0; w.size && i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == w.size && !strncasecmp(words[i], w.at, w.size))
			return true;
	return !w.size;
}

static bool read_real(struct ml_scan_word w, double *v)
{
	char text[64], *end;

	if (w.size >= sizeof(text) || !w.size || !strchr("0123456789.-+", *w.at))
		return false;
	memcpy(text, w.at, w.size);
	text[w.size] = 0;
	if (strpbrk(text, "xXnN"))
		return false;
	*v = strtod(text, &end);
	return end == text + w.size && *v - *v == 0;
}

static bool prefixed(struct ml_scan_word w)
{
	return w.size > 2 && w.at[0] == '0' && (w.at[1] | 0x20) == 'x';
}

static bool read_hex(struct ml_scan_word w, uint64_t *v)
{
	if (prefixed(w))
		w = (struct ml_scan_word){ w.at + 2, w.size - 2 };
	return ml_scan_hex(w.at, w.at + w.size, v) == w.at + w.size;
}

static void look(struct seen *n, struct ml_scan_word w)
{
	uint64_t v;
	double real;
	const char *end = w.at + w.size;

	if (is_missing(w))
		n->missing++;
	else if (ml_scan_decimal(w.at, end, &v) == end)
		n->decimal++;
	else if (prefixed(w) && read_hex(w, &v))
		n->prefixed++;
	else if (*w.at == '-' && ml_scan_decimal(w.at + 1, end, &v) == end &&
		 v <= 1ull << 63)
		n->negative++;
	else if (ml_scan_hex(w.at, end, &v) == end) {
		if (read_real(w, &real)) {
			n->either++;
			return;
		}
		n->hex++;
		for (const char *p = w.at; p < end; p++)
			if (*p >= '0' && *p <= '9') {
				n->digit++;
				break;
			}
	} else if (read_real(w, &real))
		n->real++;
	else
		n->other++;
}

/*
 * The type of a column. A few cells that do not fit a column of numbers are bad lines,
 * up to one in a hundred, or one in two if the role of the column asks for numbers.
 */
static enum type choose(const struct seen *n, enum ml_samples_role role)
{
	bool number = role == ML_SAMPLES_TIME || role == ML_SAMPLES_ADDRESS ||
		      role == ML_SAMPLES_IP || role == ML_SAMPLES_LATENCY ||
		      role == ML_SAMPLES_CPU || role == ML_SAMPLES_SOURCE_WORD;
	bool address = role == ML_SAMPLES_TIME || role == ML_SAMPLES_ADDRESS ||
		       role == ML_SAMPLES_IP;
	uint64_t plain = n->decimal + n->negative + n->prefixed,
		 all = plain + n->hex + n->either + n->real + n->other,
		 share = number ? 2 : 100, whole = n->negative + n->real;

	if (n->other * share > all || all == n->other)
		return NAMES;
	if (n->prefixed && !whole && !n->decimal)
		return (n->hex + n->either + n->other) * share > all ? NAMES : HEX;
	/* Letters in some cells of a column whose cells are all hexadecimal digits. */
	if (n->hex && !whole && !n->prefixed &&
	    (address || (n->digit == n->hex && n->hex * share > all)))
		return HEX;
	if ((n->hex + n->other) * share > all)
		return NAMES;
	return n->real || n->either ? REAL : n->negative ? NEGATIVE : DECIMAL;
}

static bool read_cell(const struct csv *c, size_t i, struct ml_scan_word w,
		      uint64_t *bits)
{
	const char *end = w.at + w.size;
	uint64_t v = 0;
	double real;

	switch (c->type[i]) {
	case DECIMAL:
		if (prefixed(w))
			return read_hex(w, bits);
		return ml_scan_decimal(w.at, end, bits) == end;
	case HEX: return read_hex(w, bits);
	case NEGATIVE:
		if (*w.at != '-')
			return ml_scan_decimal(w.at, end, bits) == end && !(*bits >> 63);
		if (ml_scan_decimal(w.at + 1, end, &v) != end || v > 1ull << 63)
			return false;
		*bits = 0 - v;
		return true;
	default:
		if (!read_real(w, &real))
			return false;
		memcpy(bits, &real, sizeof(*bits));
		return true;
	}
}

static char find_comma(const char *at, const char *end)
{
	static const char commas[] = ",\t;";
	size_t counts[3] = { 0 }, best = 0;
	bool inside = false;

	for (; at < end && *at != '\n'; at++) {
		inside ^= *at == '"';
		for (size_t i = 0; i < 3 && !inside; i++)
			counts[i] += *at == commas[i];
	}
	for (size_t i = 1; i < 3; i++)
		if (counts[i] > counts[best])
			best = i;
	return commas[best];
}

static bool read_headings(struct csv *c, struct ml_err *err)
{
	if (c->t.end - c->t.at >= 3 && !memcmp(c->t.at, "\xef\xbb\xbf", 3))
		c->t.at += 3;
	c->comma = find_comma(c->t.at, c->t.end);
	if (!next_record(c))
		return ml_fail(err, ML_FORMAT, "%s: there is no line of headings",
			       c->t.name);
	if (c->bad)
		return ml_fail(err, ML_FORMAT, "%s:%llu: %s", c->t.name,
			       (unsigned long long)c->line, c->bad);
	if (c->fields > ML_SAMPLES_COLUMNS_MAX - 8)
		return ml_fail(err, ML_FORMAT,
			       "%s:%llu: there are %zu columns; %d can be read",
			       c->t.name, (unsigned long long)c->line, c->fields,
			       ML_SAMPLES_COLUMNS_MAX - 8);
	c->width = c->fields;
	for (size_t i = 0; i < c->width; i++) {
		struct ml_scan_word w = c->field[i];
		const char *name = w.size ? ml_arena_copy(&c->s->arena, w.at, w.size)
					  : ml_arena_printf(&c->s->arena, "column %zu",
							    i + 1);

		if (ml_samples_find(c->s, name) >= 0)
			name = ml_arena_printf(&c->s->arena, "%s (%zu)", name, i + 1);
		ml_samples_add_column(c->s, name, ML_SAMPLES_NAMES);
		enum ml_samples_role role = ml_samples_role_by_heading(name);
		if (role && c->s->role[role] < 0)
			ml_samples_set_role(c->s, i, role);
	}
	return true;
}

/* The column that a heading or a number from 1 names. */
static bool column_of(struct csv *c, struct ml_scan_word w, size_t *column,
		      struct ml_err *err)
{
	char shown[ML_SCAN_SHOWN], *name = ml_arena_copy(&c->s->arena, w.at, w.size);
	int found = ml_samples_find(c->s, name);
	uint64_t number;

	if (found < 0 && ml_scan_whole(w, &number) && number >= 1 && number <= c->width)
		found = (int)number - 1;
	if (found < 0)
		return ml_fail(err, ML_USAGE, "%s: there is no column '%s'", c->t.name,
			       ml_scan_shown(w, shown));
	*column = (size_t)found;
	return true;
}

/* Steps through "key=value,key=value". */
static bool next_pair(const char **text, struct ml_scan_word *key,
		      struct ml_scan_word *value, struct ml_err *err)
{
	const char *end = strchrnul(*text, ','),
		   *equals = memchr(*text, '=', (size_t)(end - *text));

	if (!equals)
		return ml_fail(err, ML_USAGE, "'%.*s' is not of the form NAME=VALUE",
			       (int)(end - *text), *text);
	*key = trim(*text, equals);
	*value = trim(equals + 1, end);
	*text = *end ? end + 1 : end;
	return true;
}

static bool read_roles(struct csv *c, const char *text, struct ml_err *err)
{
	struct ml_scan_word key = { "", 0 }, value = key;
	char shown[ML_SCAN_SHOWN];
	size_t column;

	while (text && *text) {
		if (!next_pair(&text, &key, &value, err))
			return false;
		enum ml_samples_role role = ml_samples_role_of(key.at, key.size);
		if (role == ML_SAMPLES_ROLES)
			return ml_fail(
				err, ML_USAGE,
				"no column is used as '%s'; there are time, latency, cpu, "
				"thread, ip, file, line, function, datasource, level, "
				"address, variable and index",
				ml_scan_shown(key, shown));
		if (!column_of(c, value, &column, err))
			return false;
		ml_samples_set_role(c->s, column, role);
	}
	return true;
}

static bool read_types(struct csv *c, const char *text, struct ml_err *err)
{
	static const char *const types[] = { "decimal", "hex", "signed", "real",
					     "names" };
	struct ml_scan_word key = { "", 0 }, value = key;
	char shown[ML_SCAN_SHOWN];
	size_t column, type;

	while (text && *text) {
		if (!next_pair(&text, &key, &value, err) ||
		    !column_of(c, key, &column, err))
			return false;
		for (type = 0; type < 5; type++)
			if (strlen(types[type]) == value.size &&
			    !memcmp(types[type], value.at, value.size))
				break;
		if (type == 5)
			return ml_fail(
				err, ML_USAGE,
				"a type is decimal, hex, signed, real or names, not '%s'",
				ml_scan_shown(value, shown));
		c->type[column] = (enum type)type;
	}
	return true;
}

static bool step(const struct csv *c, const char *what, struct ml_err *err)
{
	if (c->line % 65536)
		return true;
	ml_work_progress(c->work, what, (uint64_t)(c->t.at - c->start),
			 (uint64_t)(c->t.end - c->start));
	return ml_work_goes_on(c->work, err);
}

static bool find_types(struct csv *c, struct ml_err *err)
{
	const char *at = c->t.at;
	uint64_t line = c->next_line;

	while (next_record(c)) {
		if (!step(c, "looking at columns", err))
			return false;
		if (!fits(c))
			continue;
		for (size_t i = 0; i < c->width; i++)
			look(&c->seen[i], c->field[i]);
	}
	for (size_t i = 0; i < c->width; i++)
		c->type[i] = choose(&c->seen[i], c->s->columns[i].role);
	c->t.at = at;
	c->next_line = line;
	return true;
}

/* Reads the numbers of a record; false, having counted it, if one is none. */
static bool read_cells(struct csv *c)
{
	char shown[ML_SCAN_SHOWN];

	for (size_t i = 0; i < c->width; i++) {
		if (c->type[i] == NAMES)
			continue;
		c->hole[i] = is_missing(c->field[i]);
		if (c->hole[i] || read_cell(c, i, c->field[i], &c->bits[i]))
			continue;
		ml_samples_add_bad(c->s, c->line,
				   ml_arena_printf(&c->s->arena, "%s is no number: '%s'",
						   c->s->columns[i].name,
						   ml_scan_shown(c->field[i], shown)));
		return false;
	}
	return true;
}

static bool read_rows(struct csv *c, struct ml_err *err)
{
	struct ml_samples *s = c->s;

	while (next_record(c)) {
		if (!step(c, "reading samples", err))
			return false;
		if (!fits(c)) {
			ml_samples_add_bad(s, c->line, c->bad);
			continue;
		}
		if (!read_cells(c))
			continue;
		for (size_t i = 0; i < c->width; i++) {
			struct ml_scan_word w = c->field[i];

			if (c->type[i] == NAMES)
				ml_samples_put_name(s, i, s->rows, w.at, w.size);
			else if (c->hole[i])
				ml_samples_put_missing(s, i, s->rows);
			else
				ml_samples_put(s, i, s->rows, c->bits[i]);
		}
		s->rows++;
	}
	return true;
}

bool ml_read_csv(struct ml_samples *s, struct ml_read_text t,
		 const struct ml_read_options *o, const struct ml_work *work,
		 struct ml_err *err)
{
	static const enum ml_samples_kind kinds[] = {
		[DECIMAL] = ML_SAMPLES_UNSIGNED, [HEX] = ML_SAMPLES_UNSIGNED,
		[NEGATIVE] = ML_SAMPLES_SIGNED,  [REAL] = ML_SAMPLES_REAL,
		[NAMES] = ML_SAMPLES_NAMES,
	};
	struct csv c = { .s = s, .t = t, .start = t.at, .next_line = 1, .work = work };

	bool ok = read_headings(&c, err) && read_roles(&c, o->columns, err);
	if (ok) {
		c.seen = ml_arena_alloc(&s->arena, c.width * sizeof(*c.seen));
		c.type = ml_arena_alloc(&s->arena, c.width * sizeof(*c.type));
		c.bits = ml_arena_alloc(&s->arena, c.width * sizeof(*c.bits));
		c.hole = ml_arena_alloc(&s->arena, c.width * sizeof(*c.hole));
	}
	ok = ok && find_types(&c, err) && read_types(&c, o->types, err);
	for (size_t i = 0; ok && i < c.width; i++) {
		s->columns[i].kind = kinds[c.type[i]];
		s->columns[i].hex = c.type[i] == HEX;
	}
	ok = ok && read_rows(&c, err);
	ml_free(c.field);
	ml_buf_release(&c.plain);
	return ok;
}

/* Headings that only samples have: a latency, a data source, or columns of AMD IBS. */
bool ml_read_csv_is(const char *text, size_t size)
{
	struct ml_samples s;
	struct csv c = { .s = &s, .t = { "", text, text + size }, .next_line = 1 };
	struct ml_err err;
	const char *end = memchr(text, '\n', size);

	if (!end || memchr(text, 0, (size_t)(end - text)))
		return false;
	c.t.end = end;
	ml_samples_init(&s);
	bool mine = read_headings(&c, &err) && s.count > 1 &&
		    (s.role[ML_SAMPLES_LATENCY] >= 0 ||
		     s.role[ML_SAMPLES_SOURCE_WORD] >= 0 ||
		     ml_samples_find(&s, "ibs_dc_miss") >= 0);
	ml_samples_close(&s);
	ml_free(c.field);
	ml_buf_release(&c.plain);
	return mine;
}
