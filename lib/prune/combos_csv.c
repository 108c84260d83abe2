/* Reads the paper's file of combinations. */
#include "lib/prune/combos.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/map.h"

enum { TEXT_MAX = 1 << 28, NAME_SIZE_MAX = 63 };

struct reader {
	struct ml_combos *t;
	const char *path, *at, *end;
	unsigned line, field; /* both from 1 */
	size_t count_field;   /* from 0 */
	size_t fields;
	int constraint[ML_COMBOS_CONSTRAINTS + 1]; /* of a field; -1: the count */
	struct ml_map index;                       /* place of a mask, plus 1 */
	size_t cap;
	struct ml_err *err;
};

static bool fail(struct reader *r, const char *what)
{
	return ml_fail(r->err, ML_FORMAT, "%s:%u: column %u: %s", r->path, r->line,
		       r->field, what);
}

/* The next field of the line, without quotes and spaces around it; steps over it. */
static void field(struct reader *r, const char **text, size_t *size)
{
	const char *start, *stop;

	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
	if (r->at < r->end && *r->at == '"') {
		start = ++r->at;
		while (r->at < r->end && *r->at != '"' && *r->at != '\n')
			r->at++;
		stop = r->at;
		while (r->at < r->end && *r->at != ',' && *r->at != '\n')
			r->at++;
	} else {
		start = r->at;
		while (r->at < r->end && *r->at != ',' && *r->at != '\n')
			r->at++;
		stop = r->at;
	}
	while (stop > start && isspace((unsigned char)stop[-1]))
		stop--;
	*text = start;
	*size = (size_t)(stop - start);
}

static bool at_line_end(const struct reader *r)
{
	return r->at == r->end || *r->at == '\n';
}

static bool heading(struct reader *r, const char *text, size_t size, bool *counted)
{
	struct ml_combos *t = r->t;
	bool hard = size > 5 && !memcmp(text, "hard:", 5),
	     soft = size > 5 && !memcmp(text, "soft:", 5);
	size_t same;

	if (!hard && !soft) {
		if (*counted)
			return fail(r, "there are two columns that are neither "
				       "hard:NAME nor soft:NAME; one is the count");
		*counted = true;
		r->constraint[r->fields++] = -1;
		return true;
	}
	if (t->constraint_count == ML_COMBOS_CONSTRAINTS)
		return fail(r, "there are more than 24 constraints");
	const char *name = ml_arena_copy(&t->arena, text + 5, size - 5);
	for (const char *c = name; *c; c++)
		if (!isgraph((unsigned char)*c) || *c == ',' || *c == '"')
			return fail(r, "the name of a constraint has no spaces, commas "
				       "or quotes");
	if (size - 5 > NAME_SIZE_MAX || strlen(name) != size - 5)
		return fail(r, "the name of the constraint is too long");
	if (ml_combos_find(t, name, &same))
		return fail(r, "two constraints have this name");
	r->constraint[r->fields++] = (int)t->constraint_count;
	t->constraints[t->constraint_count++] =
		(struct ml_combo_constraint){ .name = name, .soft = soft };
	return true;
}

static bool headings(struct reader *r)
{
	const char *text;
	size_t size;
	bool counted = false;

	for (r->field = 1;; r->field++, r->at++) {
		field(r, &text, &size);
		if (!heading(r, text, size, &counted))
			return false;
		if (at_line_end(r))
			break;
	}
	if (!r->t->constraint_count)
		return fail(r, "no column is called hard:NAME or soft:NAME");
	return counted || fail(r, "no column holds the number of variants");
}

static bool read_count(struct reader *r, const char *text, size_t size, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < size; i++) {
		if (!isdigit((unsigned char)text[i]))
			return fail(r, "the number of variants is a whole number");
		if (*v > UINT64_MAX / 10000)
			return fail(r, "the number of variants is too large");
		*v = *v * 10 + (uint64_t)(text[i] - '0');
	}
	return size > 0 || fail(r, "the number of variants is missing");
}

static bool row(struct reader *r)
{
	struct ml_combos *t = r->t;
	uint64_t count = 0;
	uint32_t mask = 0;
	const char *text;
	size_t size;
	bool is_new;

	for (size_t i = 0; i < r->fields; i++, r->at++) {
		r->field = (unsigned)i + 1;
		field(r, &text, &size);
		if (r->constraint[i] < 0) {
			if (!read_count(r, text, size, &count))
				return false;
		} else if (size == 1 && (*text == '0' || *text == '1'))
			mask |= (uint32_t)(*text == '1') << r->constraint[i];
		else
			return fail(r, "0 (passes) or 1 (fails) is wanted");
		if (at_line_end(r) != (i + 1 == r->fields))
			return fail(r, at_line_end(r) ? "the line ends too early"
						      : "the line has too many columns");
		if (i + 1 == r->fields)
			break;
	}
	if (!count)
		return true;
	uint64_t *place = ml_map_add(&r->index, mask, &is_new);
	if (is_new) {
		t->at = ml_grow(t->at, &r->cap, t->count + 1, sizeof(*t->at));
		t->at[t->count] = (struct ml_combo){ .mask = mask };
		*place = t->count++;
	}
	t->at[*place].count += count;
	if (t->total + count < t->total)
		return fail(r, "the numbers of variants add up to more than 2^64");
	t->total += count;
	return true;
}

static int by_mask(const void *a, const void *b)
{
	uint32_t p = ((const struct ml_combo *)a)->mask,
		 q = ((const struct ml_combo *)b)->mask;

	return (p > q) - (p < q);
}

static bool blank_line(struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && *at != '\n' && isspace((unsigned char)*at))
		at++;
	if (at < r->end && *at != '\n')
		return false;
	r->at = at;
	return true;
}

bool ml_combos_parse(struct ml_combos *t, const char *path, const char *text, size_t size,
		     struct ml_err *err)
{
	struct reader r = { .t = t,
			    .path = path,
			    .at = text,
			    .end = text + size,
			    .line = 1,
			    .err = err };

	*t = (struct ml_combos){ 0 };
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		r.at += 3; /* the mark that spreadsheets put in front of UTF-8 */
	bool ok = headings(&r);
	while (ok && r.at < r.end) {
		r.at++;
		r.line++;
		ok = blank_line(&r) || row(&r);
	}
	ml_map_release(&r.index);
	if (ok && t->count)
		qsort(t->at, t->count, sizeof(*t->at), by_mask);
	if (!ok)
		ml_combos_release(t);
	return ok;
}

bool ml_combos_open(struct ml_combos *t, const char *path, struct ml_err *err)
{
	struct ml_arena a = { 0 };
	char *text;
	size_t size;

	*t = (struct ml_combos){ 0 };
	bool ok = ml_file_read(path, TEXT_MAX, &a, &text, &size, err) &&
		  ml_combos_parse(t, path, text, size, err);
	ml_arena_release(&a);
	return ok;
}

bool ml_combos_is(const char *path)
{
	char text[16384];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	for (char *at = text; *at;) {
		at += strspn(at, " \t\"\xef\xbb\xbf");
		if (!strncmp(at, "hard:", 5) || !strncmp(at, "soft:", 5))
			return true;
		at += strcspn(at, ",");
		at += *at == ',';
	}
	return false;
}
