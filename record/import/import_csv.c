/*
 * Comma-separated values (RFC 4180; semicolons and tabs too). --columns names the
 * columns, by numbers from 1 or by headings; without it the headings of the first line
 * do. Other columns are ignored. Numbers are decimal or 0x hexadecimal.
 */
#include "record/import/trace_import.h"

#include <string.h>
#include <strings.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/trace/text/scan.h"
#include "lib/trace/tables.h"
#include "lib/trace/writer.h"

enum { DEFAULT_SIZE = 8, FIELDS = 256, THREADS = 1 << 16 };

enum role { ADDR, KIND, SIZE, THREAD, FUNC, FILE_, LINE, IP, ROLES };

static const struct {
	const char *name;
	enum role role;
} headings[] = {
	{ "addr", ADDR },     { "address", ADDR },  { "vaddr", ADDR },
	{ "kind", KIND },     { "op", KIND },       { "type", KIND },
	{ "rw", KIND },       { "access", KIND },   { "size", SIZE },
	{ "bytes", SIZE },    { "thread", THREAD }, { "tid", THREAD },
	{ "function", FUNC }, { "func", FUNC },     { "symbol", FUNC },
	{ "file", FILE_ },    { "line", LINE },     { "ip", IP },
	{ "pc", IP },
};

enum { MODIFY = ML_FETCH + 1 };

static const struct {
	const char *word;
	int kind;
} kinds[] = {
	{ "r", ML_READ },     { "read", ML_READ },    { "l", ML_READ },
	{ "ld", ML_READ },    { "load", ML_READ },    { "0", ML_READ },
	{ "w", ML_WRITE },    { "write", ML_WRITE },  { "s", ML_WRITE },
	{ "st", ML_WRITE },   { "store", ML_WRITE },  { "1", ML_WRITE },
	{ "f", ML_FETCH },    { "fetch", ML_FETCH },  { "i", ML_FETCH },
	{ "x", ML_FETCH },    { "ifetch", ML_FETCH }, { "2", ML_FETCH },
	{ "m", MODIFY },      { "modify", MODIFY },   { "rw", MODIFY },
	{ "update", MODIFY },
};

struct csv {
	struct ml_trace_import *im;
	struct ml_tables *tables;
	char comma;
	size_t column[ROLES]; /* number of the field, from 1; 0: there is none */
	struct ml_scan_word field[FIELDS];
	size_t fields;
	char *next;            /* behind the record */
	uint64_t newlines;     /* in the record */
	struct ml_map sites;   /* by hash of ip, function, file and line */
	struct ml_map threads; /* number in the trace by number in the file */
	uint8_t taken[THREADS / 8];
	uint32_t lowest; /* all numbers below are taken */
};

static bool is(struct ml_scan_word w, const char *text)
{
	return strlen(text) == w.size && !strncasecmp(w.at, text, w.size);
}

/*
 * Splits the record at `at` into fields and unquotes them in place. False: the window
 * ends inside quotes, and nothing is changed.
 */
static bool split(struct csv *c, char *at, char *end)
{
	bool quoted = false;
	char *stop = at;

	/* Quotes come in pairs, "" included, so a newline outside of them ends the
	 * record. */
	for (c->newlines = 0; stop < end && (quoted || *stop != '\n'); stop++) {
		quoted ^= *stop == '"';
		c->newlines += *stop == '\n';
	}
	if (stop == end)
		return false;
	c->next = stop + 1;
	c->newlines++;
	if (stop > at && stop[-1] == '\r')
		stop--;
	for (c->fields = 0;; at++) {
		char *out = at, *start = at;

		for (quoted = false; at < stop && (quoted || *at != c->comma); at++) {
			if (*at != '"')
				*out++ = *at;
			else if (quoted && at + 1 < stop && at[1] == '"')
				*out++ = *at++;
			else
				quoted = !quoted;
		}
		while (start < out && ml_scan_blank(*start))
			start++;
		while (out > start && ml_scan_blank(out[-1]))
			out--;
		if (c->fields < FIELDS)
			c->field[c->fields++] =
				(struct ml_scan_word){ start, (size_t)(out - start) };
		if (at == stop)
			return true;
	}
}

/* The next record, or false at the end (err->kind is ML_OK). */
static bool next_record(struct csv *c, struct ml_err *err)
{
	struct ml_line_window *in = &c->im->in;

	while (ml_line_window_lines(in, err)) {
		if (split(c, in->at, in->end))
			return true;
		if (in->end - in->at > 1 << 20)
			return ml_trace_import_bad(
				c->im, "a quoted field has no end:", in->at, 40, err);
		if (!ml_line_window_more(in, err))
			return err->kind == ML_OK
				       ? ml_trace_import_bad(
						 c->im,
						 "a quoted field has no end:", in->at,
						 (size_t)(in->end - in->at - 1), err)
				       : false;
	}
	return false;
}

static void done(struct csv *c)
{
	c->im->in.at = c->next;
	c->im->in.line += c->newlines;
}

static struct ml_scan_word field(const struct csv *c, enum role role)
{
	size_t i = c->column[role];

	return i && i <= c->fields ? c->field[i - 1] : (struct ml_scan_word){ "", 0 };
}

static bool bad(const struct csv *c, const char *reason, struct ml_scan_word w,
		struct ml_err *err)
{
	return ml_trace_import_bad(c->im, reason, w.at, w.size, err);
}

static int role_of(struct ml_scan_word w)
{
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		if (is(w, headings[i].name))
			return (int)headings[i].role;
	return -1;
}

/* Reads --columns addr=2,kind=op; headings are looked up in the first record. */
static bool map_columns(struct csv *c, const char *map, struct ml_err *err)
{
	for (const char *at = map;; at++) {
		const char *end = strchrnul(at, ','),
			   *equals = memchr(at, '=', (size_t)(end - at));
		struct ml_scan_word item = { at, (size_t)(end - at) }, value;
		char shown[ML_SCAN_SHOWN];
		uint64_t number = 0;
		int role = -1;

		if (equals) {
			role = role_of(
				(struct ml_scan_word){ at, (size_t)(equals - at) });
			value = (struct ml_scan_word){ equals + 1,
						       (size_t)(end - equals - 1) };
		}
		if (role < 0 || !value.size)
			return ml_fail(
				err, ML_USAGE,
				"--columns: '%s' is not COLUMN=NUMBER or COLUMN=HEADING with "
				"a column addr, kind, size, thread, function, file, line or ip",
				ml_scan_shown(item, shown));
		if (!ml_scan_whole(value, &number))
			for (size_t i = 0; i < c->fields && !number; i++)
				if (c->field[i].size == value.size &&
				    !memcmp(c->field[i].at, value.at, value.size))
					number = i + 1;
		if (!number || number > c->fields)
			return ml_fail(err, ML_USAGE, "--columns: %s has no column '%s'",
				       c->im->in.name, ml_scan_shown(value, shown));
		c->column[role] = number;
		at = end;
		if (!*at)
			break;
	}
	if (!c->column[ADDR])
		return ml_fail(err, ML_USAGE, "--columns: it names no column addr");
	return true;
}

/* Finds the columns. *data: the first record is a reference, not a line of headings. */
static bool first_record(struct csv *c, bool *data, struct ml_err *err)
{
	uint64_t v;

	if (!next_record(c, err))
		return err->kind == ML_OK ? ml_fail(err, ML_FORMAT, "%s: it is empty",
						    c->im->in.name)
					  : false;
	if (c->im->options->columns) {
		if (!map_columns(c, c->im->options->columns, err))
			return false;
		*data = ml_scan_whole(field(c, ADDR), &v);
		return true;
	}
	for (size_t i = c->fields; i-- > 0;) {
		int role = role_of(c->field[i]);

		if (role >= 0)
			c->column[role] = i + 1;
	}
	return c->column[ADDR] ||
	       ml_fail(err, ML_FORMAT,
		       "%s:1: no heading is addr or address; --columns addr=N,... names "
		       "the columns",
		       c->im->in.name);
}

/* A thread keeps its number if a trace can have it and it is free. */
static uint16_t number_thread(struct csv *c, uint64_t in_file)
{
	bool is_new;
	uint64_t *in_trace = ml_map_add(&c->threads, in_file, &is_new);

	if (!is_new)
		return (uint16_t)*in_trace;
	uint32_t n = in_file < THREADS ? (uint32_t)in_file : 0;
	if (!n || c->taken[n / 8] & 1u << n % 8) {
		while (c->lowest < THREADS - 1 &&
		       c->taken[c->lowest / 8] & 1u << c->lowest % 8)
			c->lowest++;
		n = c->lowest;
	}
	c->taken[n / 8] |= (uint8_t)(1u << n % 8);
	*in_trace = n;
	if (n != in_file) {
		struct ml_thread *t = ML_ADD(c->tables->threads);
		struct ml_scan_word text = field(c, THREAD);

		t->id = (uint16_t)n;
		t->from = ml_writer_time(c->im->writer);
		t->until = ML_FOREVER;
		t->name = ml_names_add_bytes(&c->tables->names, text.at, text.size);
	}
	return (uint16_t)n;
}

static bool find_site(struct csv *c, uint32_t *site, struct ml_err *err)
{
	struct ml_scan_word file = field(c, FILE_), func = field(c, FUNC),
			    line = field(c, LINE), ip = field(c, IP);
	uint64_t number = 0;
	struct {
		uint64_t ip;
		struct ml_frame frame;
		uint32_t pad;
	} key = { 0 };
	bool is_new;

	if (line.size && (!ml_scan_whole(line, &number) || number > UINT32_MAX))
		return bad(c, "expected a line, not", line, err);
	if (ip.size && !ml_scan_whole(ip, &key.ip))
		return bad(c, "an instruction address is decimal or 0x hexadecimal, not",
			   ip, err);
	if (!file.size && !func.size && !key.ip) {
		*site = ML_NO_SITE;
		return true;
	}
	key.frame.func = ml_names_add_bytes(&c->tables->names, func.at, func.size);
	key.frame.file = ml_names_add_bytes(&c->tables->names, file.at, file.size);
	key.frame.line = (uint32_t)number;
	uint64_t *known = ml_map_add(&c->sites, ml_hash(&key, sizeof(key)), &is_new);
	if (is_new)
		*known = ml_tables_site(c->tables, key.ip, "", true, &key.frame,
					key.frame.func || key.frame.file);
	*site = (uint32_t)*known;
	return true;
}

static bool find_kind(struct csv *c, int *kind, struct ml_err *err)
{
	struct ml_scan_word w = field(c, KIND);

	*kind = ML_READ;
	if (!c->column[KIND])
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (is(w, kinds[i].word)) {
			*kind = kinds[i].kind;
			return true;
		}
	return bad(c, "a kind is r, w, m or f (read, write, load, store...), not", w,
		   err);
}

static bool reference(struct csv *c, struct ml_err *err)
{
	struct ml_scan_word addr = field(c, ADDR), size = field(c, SIZE),
			    thread = field(c, THREAD);
	uint64_t bytes = c->im->options->size ? c->im->options->size : DEFAULT_SIZE,
		 in_file = 1;
	struct ml_ref ref = { 0 };
	int kind;

	if (!ml_scan_whole(addr, &ref.addr))
		return bad(c, "an address is decimal or 0x hexadecimal, not", addr, err);
	if (size.size &&
	    (!ml_scan_whole(size, &bytes) || bytes - 1 >= ML_IMPORT_SIZE_MAX))
		return bad(c, "a size is 1 byte to 16 MiB, not", size, err);
	if (thread.size && !ml_scan_whole(thread, &in_file))
		return bad(c, "expected a thread, not", thread, err);
	if (!find_kind(c, &kind, err) || !find_site(c, &ref.site, err))
		return false;
	if (kind == ML_FETCH && !c->im->options->fetch)
		return true;
	uint64_t start = ref.addr;
	ref.thread = number_thread(c, in_file);
	if (!ml_trace_import_ref(c->im, &ref,
				 kind == MODIFY ? ML_READ : (enum ml_kind)kind, bytes,
				 err))
		return false;
	ref.addr = start;
	return kind != MODIFY || ml_trace_import_ref(c->im, &ref, ML_WRITE, bytes, err);
}

/* The separator that occurs most often in the first line. */
static char find_comma(const char *text, size_t size, size_t *count)
{
	char best = ',';

	*count = 0;
	for (const char *comma = ",;\t"; *comma; comma++) {
		size_t n = 0;

		for (size_t i = 0; i < size && text[i] != '\n'; i++)
			n += text[i] == *comma;
		if (n > *count) {
			*count = n;
			best = *comma;
		}
	}
	return best;
}

static bool detect(const struct ml_import_probe *probe)
{
	size_t size = probe->lines, count;

	find_comma(probe->bytes, size, &count);
	return count && !memchr(probe->bytes, 0, size < 4096 ? size : 4096);
}

static bool read_csv(struct ml_trace_import *im, struct ml_err *err)
{
	struct csv *c = ml_resize(NULL, sizeof(*c));
	bool data = false;
	size_t count;

	*c = (struct csv){ .im = im,
			   .tables = ml_writer_tables(im->writer),
			   .lowest = 1 };
	bool ok = ml_line_window_lines(&im->in, err) || err->kind == ML_OK;
	if (ok) {
		c->comma = find_comma(im->in.at, (size_t)(im->in.end - im->in.at),
				      &count);
		ok = first_record(c, &data, err);
	}
	for (bool more = ok; more; more = ok && next_record(c, err)) {
		bool blank = c->fields == 1 && !c->field[0].size;

		ok = blank || !data || reference(c, err);
		data = true;
		if (ok)
			done(c);
	}
	ok = ok && err->kind == ML_OK;
	ml_map_release(&c->sites);
	ml_map_release(&c->threads);
	ml_free(c);
	return ok;
}

static bool run(struct ml_import *import, struct ml_err *err)
{
	return ml_trace_import_run(import, read_csv, err);
}

const struct ml_importer ml_importer_csv = {
	.name = "csv",
	.what = "comma-separated values, one reference a row",
	ML_TRACE_IMPORT,
	.detect = detect,
	.run = run,
};
