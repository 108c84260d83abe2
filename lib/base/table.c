#include "lib/base/table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/plain.h"

enum { GAP = 2 }; /* spaces between columns */

struct ml_table_cell {
	enum { NONE, TEXT, COUNT, REAL } is;
	union {
		const char *text;
		uint64_t count;
		double real;
	};
};

static void pad(struct ml_buf *out, size_t spaces)
{
	for (; spaces; spaces--)
		ml_buf_u8(out, ' ');
}

static const struct ml_column *next_column(const struct ml_table *t)
{
	return &t->columns[t->count % t->width];
}

static void add(struct ml_table *t, struct ml_table_cell cell)
{
	t->cells = ml_grow(t->cells, &t->cap, t->count + 1, sizeof(*t->cells));
	t->cells[t->count++] = cell;
}

void ml_table_no_value(struct ml_table *t)
{
	add(t, (struct ml_table_cell){ .is = NONE });
}

void ml_table_text(struct ml_table *t, const char *text)
{
	assert(next_column(t)->kind == ML_COLUMN_TEXT);
	if (text)
		add(t, (struct ml_table_cell){
			       .is = TEXT, .text = ml_arena_strdup(&t->arena, text) });
	else
		ml_table_no_value(t);
}

void ml_table_count(struct ml_table *t, uint64_t v)
{
	enum ml_column_kind kind = next_column(t)->kind;

	assert(kind == ML_COLUMN_COUNT || kind == ML_COLUMN_BYTES ||
	       kind == ML_COLUMN_ADDRESS);
	(void)kind;
	add(t, (struct ml_table_cell){ .is = COUNT, .count = v });
}

void ml_table_real(struct ml_table *t, double v)
{
	enum ml_column_kind kind = next_column(t)->kind;

	assert(kind == ML_COLUMN_REAL || kind == ML_COLUMN_PERCENT);
	(void)kind;
	add(t, (struct ml_table_cell){ .is = REAL, .real = v });
}

size_t ml_table_rows(const struct ml_table *t)
{
	return t->count / t->width;
}

void ml_table_release(struct ml_table *t)
{
	ml_free(t->cells);
	ml_arena_release(&t->arena);
	*t = (struct ml_table){ 0 };
}

const char *ml_format_count(char text[ML_NUMBER_ROOM], uint64_t v)
{
	char digits[24];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, v);
	char *to = text;

	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return text;
}

const char *ml_format_bytes(char text[ML_NUMBER_ROOM], uint64_t v)
{
	static const char *const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"
	};
	double scaled = (double)v;
	size_t unit = 0;

	/* 1023.95 would be printed as 1024.0: it is 1.0 of the next unit */
	while (scaled >= (unit ? 1023.95 : 1024) && unit < 6) {
		scaled /= 1024;
		unit++;
	}
	snprintf(text, ML_NUMBER_ROOM, "%.*f %s", unit ? 1 : 0, scaled, units[unit]);
	return text;
}

static const char *heading(const struct ml_column *c)
{
	return c->heading ? c->heading : c->key;
}

/* The text of a cell; numbers are formatted into room. */
static const char *shown(const struct ml_column *c, const struct ml_table_cell *cell,
			 char room[ML_NUMBER_ROOM])
{
	if (cell->is == NONE)
		return "-";
	switch (c->kind) {
	case ML_COLUMN_TEXT: return cell->text;
	case ML_COLUMN_COUNT: return ml_format_count(room, cell->count);
	case ML_COLUMN_BYTES: return ml_format_bytes(room, cell->count);
	case ML_COLUMN_ADDRESS:
		snprintf(room, ML_NUMBER_ROOM, "0x%" PRIx64, cell->count);
		return room;
	case ML_COLUMN_REAL:
		snprintf(room, ML_NUMBER_ROOM, "%.*f", c->decimals, cell->real);
		return room;
	case ML_COLUMN_PERCENT:
		snprintf(room, ML_NUMBER_ROOM, "%.*f %%", c->decimals, cell->real * 100);
		return room;
	}
	return "";
}

static void escape(struct ml_buf *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<': ml_buf_text(out, "&lt;"); break;
		case '>': ml_buf_text(out, "&gt;"); break;
		case '&': ml_buf_text(out, "&amp;"); break;
		case '"': ml_buf_text(out, "&quot;"); break;
		default: ml_buf_u8(out, (uint8_t)*text);
		}
}

static void put_cell(struct ml_buf *out, const char *tag, const struct ml_column *c,
		     const char *text)
{
	ml_buf_text(out, "<");
	ml_buf_text(out, tag);
	ml_buf_text(out, c->kind == ML_COLUMN_TEXT ? " class=\"t\">" : " class=\"n\">");
	escape(out, text);
	ml_buf_text(out, "</");
	ml_buf_text(out, tag);
	ml_buf_text(out, ">");
}

void ml_table_html(const struct ml_table *t, struct ml_buf *out)
{
	char room[ML_NUMBER_ROOM];

	ml_buf_text(out, "<table>\n<tr>");
	for (size_t i = 0; i < t->width; i++)
		put_cell(out, "th", &t->columns[i], heading(&t->columns[i]));
	ml_buf_text(out, "</tr>\n");
	for (size_t i = 0; i < t->count; i++) {
		const struct ml_column *c = &t->columns[i % t->width];

		if (i % t->width == 0)
			ml_buf_text(out, "<tr>");
		put_cell(out, "td", c, shown(c, &t->cells[i], room));
		if ((i + 1) % t->width == 0)
			ml_buf_text(out, "</tr>\n");
	}
	ml_buf_text(out, "</table>\n");
}

/*
 * Columns of a terminal that a text takes: one for each character. East Asian wide
 * characters take two, which is not considered.
 */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* Control characters would break lines and columns. */
static void put_clean(struct ml_buf *out, const char *text, size_t size)
{
	size_t from = out->size;

	ml_buf_put(out, text, size);
	if (size)
		ml_plain((char *)out->data + from, size, false);
}

/* Writes at most width columns of text. */
static void put_cut(struct ml_buf *out, const char *text, size_t width)
{
	size_t size = 0, columns = 0;

	if (width_of(text) <= width) {
		put_clean(out, text, strlen(text));
		return;
	}
	for (; text[size]; size++) {
		if ((text[size] & 0xc0) != 0x80 && ++columns == width)
			break;
	}
	put_clean(out, text, size);
	ml_buf_text(out, "\u2026");
}

static void put_line(const struct ml_table *t, const size_t *widths,
		     const struct ml_table_cell *row, struct ml_buf *out)
{
	for (size_t i = 0; i < t->width; i++) {
		const struct ml_column *c = &t->columns[i];
		char room[ML_NUMBER_ROOM];
		const char *text = row ? shown(c, &row[i], room) : heading(c);
		size_t wide = width_of(text);
		size_t spaces = wide < widths[i] ? widths[i] - wide : 0;

		if (c->kind != ML_COLUMN_TEXT)
			pad(out, spaces);
		put_cut(out, text, widths[i]);
		if (c->kind == ML_COLUMN_TEXT && i + 1 < t->width)
			pad(out, spaces);
		if (i + 1 < t->width)
			pad(out, GAP);
	}
	ml_buf_u8(out, '\n');
}

/* Narrows the last text column until lines fit, but not below 12 columns. */
static void fit(const struct ml_table *t, size_t *widths, size_t columns)
{
	size_t total = (t->width - 1) * GAP, last = t->width;

	for (size_t i = 0; i < t->width; i++) {
		total += widths[i];
		if (t->columns[i].kind == ML_COLUMN_TEXT)
			last = i;
	}
	if (total <= columns || last == t->width)
		return;
	size_t min = width_of(heading(&t->columns[last]));
	if (min < 12)
		min = 12;
	size_t excess = total - columns;
	if (widths[last] > min)
		widths[last] = widths[last] - min > excess ? widths[last] - excess : min;
}

void ml_table_print(const struct ml_table *t, int columns, struct ml_buf *out)
{
	struct ml_arena a = { 0 };
	size_t *widths = ml_arena_alloc(&a, t->width * sizeof(*widths));
	size_t rows = ml_table_rows(t);

	assert(t->count % t->width == 0);
	for (size_t i = 0; i < t->width; i++) {
		widths[i] = width_of(heading(&t->columns[i]));
		for (size_t row = 0; row < rows; row++) {
			char room[ML_NUMBER_ROOM];
			size_t w = width_of(shown(&t->columns[i],
						  &t->cells[row * t->width + i], room));

			if (w > widths[i])
				widths[i] = w;
		}
	}
	if (columns > 0)
		fit(t, widths, (size_t)columns);
	put_line(t, widths, NULL, out);
	for (size_t row = 0; row < rows; row++)
		put_line(t, widths, &t->cells[row * t->width], out);
	ml_arena_release(&a);
}

void ml_table_json(const struct ml_table *t, struct ml_json *w)
{
	assert(t->count % t->width == 0);
	ml_json_array(w);
	for (size_t i = 0; i < t->count; i++) {
		const struct ml_column *c = &t->columns[i % t->width];
		const struct ml_table_cell *cell = &t->cells[i];

		if (i % t->width == 0)
			ml_json_object(w);
		ml_json_key(w, c->key);
		if (cell->is == NONE)
			ml_json_null(w);
		else if (cell->is == TEXT)
			ml_json_string(w, cell->text);
		else if (cell->is == REAL)
			ml_json_real(w, cell->real);
		else if (c->kind == ML_COLUMN_ADDRESS)
			ml_json_address(w, cell->count);
		else
			ml_json_u64(w, cell->count);
		if (i % t->width == t->width - 1)
			ml_json_end(w);
	}
	ml_json_end(w);
}

void ml_table_csv_text(struct ml_buf *out, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		ml_buf_text(out, text);
		return;
	}
	ml_buf_u8(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			ml_buf_u8(out, '"');
		ml_buf_u8(out, (uint8_t)*text);
	}
	ml_buf_u8(out, '"');
}

void ml_table_csv(const struct ml_table *t, struct ml_buf *out)
{
	assert(t->count % t->width == 0);
	for (size_t i = 0; i < t->width; i++) {
		ml_table_csv_text(out, t->columns[i].key);
		ml_buf_text(out, i + 1 < t->width ? "," : "\r\n");
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct ml_table_cell *cell = &t->cells[i];
		char room[ML_NUMBER_ROOM] = "";

		if (cell->is == COUNT)
			snprintf(room, sizeof(room),
				 t->columns[i % t->width].kind == ML_COLUMN_ADDRESS
					 ? "0x%" PRIx64
					 : "%" PRIu64,
				 cell->count);
		else if (cell->is == REAL)
			snprintf(room, sizeof(room), "%.17g", cell->real);
		ml_table_csv_text(out, cell->is == TEXT ? cell->text : room);
		ml_buf_text(out, i % t->width < t->width - 1 ? "," : "\r\n");
	}
}
