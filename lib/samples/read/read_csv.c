/* Separated values (RFC 4180, and tabs and semicolons), blanks around fields ignored. */
#include "lib/samples/read/readers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/base/pool.h"
#include "lib/base/work.h"
#include "lib/samples/read/csv_cells.h"
#include "lib/samples/sample_parts.h"
#include "lib/samples/samples_make.h"

struct progress;

enum { PART_BYTES = 1 << 20, PARTS_MAX = 64 };

struct csv {
	struct ml_samples *s;
	struct ml_read_text t;
	const char *start; /* what progress has counted ends here */
	char comma;
	struct ml_scan_word *field;
	size_t fields, cap;
	struct ml_buf plain; /* quoted fields without their quotes */
	uint64_t line;       /* of the record, from 1 */
	uint64_t next_line;
	const char *bad; /* what is wrong with the record, or NULL */
	struct ml_csv_seen *seen;
	enum ml_csv_type *type;
	size_t width;   /* number of columns */
	uint64_t *bits; /* of the record: its numbers, and whether they are missing */
	bool *hole;
	struct progress *progress; /* of all parts */
};

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
		if (!ml_read_trim(at, end).size)
			continue;
		if (!quotes) {
			for (;;) {
				const char *comma = find_char(at, end, c->comma);

				add_field(c, ml_read_trim(at, comma ? comma : end));
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
				at = ml_read_trim(at, end).at;
				if (at < end && *at != c->comma) {
					c->bad = "text follows a quoted field";
					break;
				}
				if (at == end)
					break;
				at++;
			} else {
				const char *comma = find_char(at, end, c->comma);

				add_field(c, ml_read_trim(at, comma ? comma : end));
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
		return ml_fail(err, ML_FORMAT,
			       "%s: the file is empty; a table begins with a line of "
			       "headings",
			       c->t.name);
	if (c->bad)
		return ml_fail(err, ML_FORMAT, "%s:%llu: %s", c->t.name,
			       (unsigned long long)c->line, c->bad);
	if (c->fields > ML_SAMPLES_FOREIGN_MAX)
		return ml_fail(err, ML_FORMAT,
			       "%s:%llu: there are %zu columns; %d can be read",
			       c->t.name, (unsigned long long)c->line, c->fields,
			       ML_SAMPLES_FOREIGN_MAX);
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

static bool read_types(struct csv *c, const char *text, struct ml_err *err)
{
	static const char *const types[] = { "decimal", "hex", "signed", "real",
					     "names" };
	struct ml_scan_word key = { "", 0 }, value = key;
	char shown[ML_SCAN_SHOWN];
	size_t column, type;

	while (text && *text) {
		if (!ml_read_pair(&text, &key, &value, err) ||
		    !ml_read_column(c->s, key, &column, err))
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
		c->type[column] = (enum ml_csv_type)type;
	}
	return true;
}

/* How far all parts are, together. */
struct progress {
	const struct ml_work *work;
	const char *what;
	pthread_mutex_t lock;
	uint64_t done, total;
};

/* Called by each part now and then. False: the work is cancelled. */
static bool step(struct csv *c, struct ml_err *err)
{
	if (c->line % 65536)
		return true;
	struct progress *p = c->progress;
	pthread_mutex_lock(&p->lock);
	p->done += (uint64_t)(c->t.at - c->start);
	ml_work_progress(p->work, p->what, p->done, p->total);
	pthread_mutex_unlock(&p->lock);
	c->start = c->t.at;
	return ml_work_goes_on(p->work, err);
}

/* The first pass over a part: what its columns look like, and how many lines it has. */
static bool look_at(struct csv *c, struct ml_err *err)
{
	while (next_record(c)) {
		if (!step(c, err))
			return false;
		if (!fits(c))
			continue;
		for (size_t i = 0; i < c->width; i++)
			ml_csv_look(&c->seen[i], c->field[i]);
	}
	return true;
}

/* Reads the numbers of a record; false, having counted it, if one is none. */
static bool read_cells(struct csv *c)
{
	char shown[ML_SCAN_SHOWN];

	for (size_t i = 0; i < c->width; i++) {
		if (c->type[i] == ML_CSV_NAMES)
			continue;
		c->hole[i] = ml_csv_missing(c->field[i]);
		if (c->hole[i] || ml_csv_value(c->type[i], c->field[i], &c->bits[i]))
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
		if (!step(c, err))
			return false;
		if (!fits(c)) {
			ml_samples_add_bad(s, c->line, c->bad);
			continue;
		}
		if (!read_cells(c))
			continue;
		for (size_t i = 0; i < c->width; i++) {
			struct ml_scan_word w = c->field[i];

			if (c->type[i] == ML_CSV_NAMES)
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

/* A part of the text, read by a thread of its own into a table of its own. */
struct part {
	struct csv c;
	struct ml_samples table;
	bool (*pass)(struct csv *c, struct ml_err *err);
	const char *from;
	bool ok;
	struct ml_err err;
};

static void run_part(void *arg)
{
	struct part *p = arg;

	p->c.t.at = p->c.start = p->from;
	p->ok = p->pass(&p->c, &p->err);
}

/* Runs a pass over all parts; fails with the first part that does. */
static bool run_parts(struct part *parts, size_t n,
		      bool (*pass)(struct csv *c, struct ml_err *err), const char *what,
		      struct ml_err *err)
{
	struct progress *progress = parts[0].c.progress;
	struct ml_pool pool;

	progress->what = what;
	progress->done = 0;
	for (size_t i = 0; i < n; i++)
		parts[i].pass = pass;
	if (n == 1)
		run_part(&parts[0]);
	else {
		ml_pool_init(&pool, 0);
		for (size_t i = 0; i < n; i++)
			ml_pool_submit(&pool, run_part, &parts[i]);
		ml_pool_release(&pool);
	}
	for (size_t i = 0; i < n; i++)
		if (!parts[i].ok) {
			*err = parts[i].err;
			return false;
		}
	return true;
}

/*
 * Cuts the text at ends of lines. A text with quotes stays whole: a line may end inside
 * of them.
 */
static size_t cut(struct part *parts, const struct csv *c, struct progress *progress)
{
	size_t size = (size_t)(c->t.end - c->t.at), n = size / PART_BYTES + 1, made = 0;
	const char *at = c->t.at;

	n = n < PARTS_MAX ? n : PARTS_MAX;
	if (memchr(at, '"', size))
		n = 1;
	for (size_t i = 0; i < n && (at < c->t.end || !made); i++) {
		const char *end = i + 1 == n ? c->t.end : c->t.at + size * (i + 1) / n;
		struct part *p = &parts[made];

		if (end < at)
			continue;
		end = end < c->t.end ? memchr(end, '\n', (size_t)(c->t.end - end)) : NULL;
		end = end ? end + 1 : c->t.end;
		*p = (struct part){ .c = *c, .from = at };
		p->c.t.end = end;
		p->c.field = NULL;
		p->c.cap = 0;
		p->c.plain = (struct ml_buf){ 0 };
		p->c.s = &p->table;
		p->c.progress = progress;
		p->c.next_line = 1;
		p->c.seen = ml_arena_alloc(&c->s->arena, c->width * sizeof(*p->c.seen));
		p->c.bits = ml_arena_alloc(&c->s->arena, c->width * sizeof(*p->c.bits));
		p->c.hole = ml_arena_alloc(&c->s->arena, c->width * sizeof(*p->c.hole));
		ml_samples_init(&p->table);
		at = end;
		made++;
	}
	return made;
}

static void release_part(struct part *p)
{
	ml_samples_close(&p->table);
	ml_free(p->c.field);
	ml_buf_release(&p->c.plain);
}

/* Types of all columns; lines of parts count from the first of the text. */
static void settle(struct csv *c, struct part *parts, size_t n)
{
	uint64_t line = c->next_line;

	for (size_t i = 0; i < c->width; i++) {
		struct ml_csv_seen seen = { 0 };

		for (size_t k = 0; k < n; k++)
			ml_csv_seen_add(&seen, &parts[k].c.seen[i]);
		c->type[i] = ml_csv_choose(&seen, c->s->columns[i].role);
	}
	for (size_t k = 0; k < n; k++) {
		uint64_t lines = parts[k].c.next_line - 1;

		parts[k].c.next_line = line;
		line += lines;
	}
}

/* Gives the columns their kinds, those of the parts too. */
static void set_kinds(struct csv *c, struct part *parts, size_t n)
{
	static const enum ml_samples_kind kinds[] = {
		[ML_CSV_DECIMAL] = ML_SAMPLES_UNSIGNED,
		[ML_CSV_HEX] = ML_SAMPLES_UNSIGNED,
		[ML_CSV_NEGATIVE] = ML_SAMPLES_SIGNED,
		[ML_CSV_REAL] = ML_SAMPLES_REAL,
		[ML_CSV_NAMES] = ML_SAMPLES_NAMES,
	};

	for (size_t i = 0; i < c->width; i++) {
		struct ml_samples_column *column = &c->s->columns[i];

		column->kind = kinds[c->type[i]];
		column->hex = c->type[i] == ML_CSV_HEX;
		for (size_t k = 0; k < n; k++)
			ml_samples_add_column(&parts[k].table, column->name,
					      column->kind);
	}
}

bool ml_read_csv(struct ml_samples *s, struct ml_read_text t,
		 const struct ml_read_options *o, const struct ml_work *work,
		 struct ml_err *err)
{
	struct csv c = { .s = s, .t = t, .next_line = 1 };
	struct progress progress = { .work = work };
	struct ml_samples *tables[PARTS_MAX];
	struct part *parts = NULL;
	size_t n = 0;

	bool ok = read_headings(&c, err) && ml_read_roles(c.s, o->columns, err);
	if (ok) {
		c.type = ml_arena_alloc(&s->arena, c.width * sizeof(*c.type));
		parts = ml_arena_alloc(&s->arena, PARTS_MAX * sizeof(*parts));
		progress.total = (uint64_t)(c.t.end - c.t.at);
		pthread_mutex_init(&progress.lock, NULL);
		n = cut(parts, &c, &progress);
		ok = run_parts(parts, n, look_at, "looking at columns", err);
	}
	if (ok) {
		settle(&c, parts, n);
		ok = read_types(&c, o->types, err);
	}
	if (ok) {
		set_kinds(&c, parts, n);
		ok = run_parts(parts, n, read_rows, "reading samples", err);
	}
	for (size_t i = 0; i < n; i++)
		tables[i] = &parts[i].table;
	if (ok)
		ml_samples_join(s, tables, n);
	for (size_t i = 0; i < n; i++)
		release_part(&parts[i]);
	if (parts)
		pthread_mutex_destroy(&progress.lock);
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
