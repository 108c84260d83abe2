#include "lib/samples/samples.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "lib/base/pool.h"

static const char *const role_names[ML_SAMPLES_ROLES] = {
	[ML_SAMPLES_NO_ROLE] = "",          [ML_SAMPLES_TIME] = "time",
	[ML_SAMPLES_LATENCY] = "latency",   [ML_SAMPLES_CPU] = "cpu",
	[ML_SAMPLES_THREAD] = "thread",     [ML_SAMPLES_IP] = "ip",
	[ML_SAMPLES_FILE] = "file",         [ML_SAMPLES_LINE] = "line",
	[ML_SAMPLES_FUNCTION] = "function", [ML_SAMPLES_SOURCE_WORD] = "datasource",
	[ML_SAMPLES_LEVEL] = "level",       [ML_SAMPLES_ADDRESS] = "address",
	[ML_SAMPLES_VARIABLE] = "variable", [ML_SAMPLES_INDEX] = "index",
};

/* Headings of Mitos, perf and others besides the names of roles; the case and the
 * underscores do not count. */
static const struct {
	const char *heading;
	enum ml_samples_role role;
} headings[] = {
	{ "timestamp", ML_SAMPLES_TIME },        { "tsc", ML_SAMPLES_TIME },
	{ "weight", ML_SAMPLES_LATENCY },        { "localweight", ML_SAMPLES_LATENCY },
	{ "cycles", ML_SAMPLES_LATENCY },        { "cpuid", ML_SAMPLES_CPU },
	{ "processor", ML_SAMPLES_CPU },         { "tid", ML_SAMPLES_THREAD },
	{ "threadid", ML_SAMPLES_THREAD },       { "pc", ML_SAMPLES_IP },
	{ "instructionpointer", ML_SAMPLES_IP }, { "source", ML_SAMPLES_FILE },
	{ "sourcefile", ML_SAMPLES_FILE },       { "srcfile", ML_SAMPLES_FILE },
	{ "lineno", ML_SAMPLES_LINE },           { "sourceline", ML_SAMPLES_LINE },
	{ "func", ML_SAMPLES_FUNCTION },         { "symbol", ML_SAMPLES_FUNCTION },
	{ "sym", ML_SAMPLES_FUNCTION },          { "datasrc", ML_SAMPLES_SOURCE_WORD },
	{ "dsrc", ML_SAMPLES_SOURCE_WORD },      { "addr", ML_SAMPLES_ADDRESS },
	{ "dataaddress", ML_SAMPLES_ADDRESS },   { "datasymbol", ML_SAMPLES_VARIABLE },
	{ "dataobject", ML_SAMPLES_VARIABLE },   { "symboldaddr", ML_SAMPLES_VARIABLE },
};

void ml_samples_init(struct ml_samples *s)
{
	*s = (struct ml_samples){ .path = "", .format = "", .note = "" };
	for (size_t i = 0; i < ML_SAMPLES_ROLES; i++)
		s->role[i] = -1;
}

void ml_samples_close(struct ml_samples *s)
{
	for (size_t i = 0; i < s->count; i++) {
		ml_free(s->columns[i].wide);
		ml_free(s->columns[i].holes);
		ml_free(s->columns[i].owned);
		ml_names_release(&s->columns[i].dictionary);
	}
	ml_free(s->columns);
	if (s->map.data)
		ml_file_map_close(&s->map);
	ml_arena_release(&s->arena);
	ml_samples_init(s);
}

int ml_samples_find(const struct ml_samples *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcasecmp(s->columns[i].name, name))
			return (int)i;
	return -1;
}

const struct ml_samples_column *ml_samples_role(const struct ml_samples *s,
						enum ml_samples_role role)
{
	return s->role[role] < 0 ? NULL : &s->columns[s->role[role]];
}

static const struct ml_samples_column *integers(const struct ml_samples *s,
						enum ml_samples_role role)
{
	const struct ml_samples_column *c = ml_samples_role(s, role);

	return c && (c->kind == ML_SAMPLES_UNSIGNED || c->kind == ML_SAMPLES_SIGNED)
		       ? c
		       : NULL;
}

const struct ml_samples_column *ml_samples_latency(const struct ml_samples *s)
{
	return integers(s, ML_SAMPLES_LATENCY);
}

const struct ml_samples_column *ml_samples_cpu(const struct ml_samples *s)
{
	return integers(s, ML_SAMPLES_CPU);
}

uint64_t ml_samples_elsewhere(const struct ml_samples *s)
{
	const struct ml_samples_column *c = s->topology.count ? ml_samples_cpu(s) : NULL;
	uint64_t n = 0;

	for (uint64_t row = 0; c && row < s->rows; row++) {
		uint64_t cpu = ml_samples_bits(c, row);
		bool known = !ml_samples_missing(c, row) &&
			     (c->kind == ML_SAMPLES_UNSIGNED || !(cpu >> 63));

		n += known && !ml_topology_has_cpu(&s->topology, cpu);
	}
	return n;
}

const char *ml_samples_role_name(enum ml_samples_role role)
{
	return role_names[role];
}

enum ml_samples_role ml_samples_role_of(const char *name, size_t size)
{
	for (size_t i = 1; i < ML_SAMPLES_ROLES; i++)
		if (strlen(role_names[i]) == size &&
		    !strncasecmp(role_names[i], name, size))
			return (enum ml_samples_role)i;
	return ML_SAMPLES_ROLES;
}

enum ml_samples_role ml_samples_role_by_heading(const char *heading)
{
	char plain[40];
	size_t n = 0;

	for (; *heading; heading++) {
		if (*heading == '_' || *heading == ' ' || *heading == '-')
			continue;
		if (n == sizeof(plain) - 1)
			return ML_SAMPLES_NO_ROLE;
		plain[n++] = *heading;
	}
	plain[n] = 0;
	enum ml_samples_role role = ml_samples_role_of(plain, n);
	for (size_t i = 0;
	     role == ML_SAMPLES_ROLES && i < sizeof(headings) / sizeof(*headings); i++)
		if (!strcasecmp(headings[i].heading, plain))
			role = headings[i].role;
	return role == ML_SAMPLES_ROLES ? ML_SAMPLES_NO_ROLE : role;
}

const char *ml_samples_kind_name(const struct ml_samples_column *c)
{
	static const char *const names[] = { "unsigned", "signed", "real", "names" };

	return c->hex ? "hexadecimal" : names[c->kind];
}

size_t ml_samples_add_column(struct ml_samples *s, const char *name,
			     enum ml_samples_kind kind)
{
	assert(s->count < ML_SAMPLES_COLUMNS_MAX);
	s->columns = ml_grow(s->columns, &s->cap, s->count + 1, sizeof(*s->columns));
	s->columns[s->count] = (struct ml_samples_column){
		.name = ml_arena_strdup(&s->arena, name), .kind = kind
	};
	return s->count++;
}

void ml_samples_put(struct ml_samples *s, size_t column, uint64_t row, uint64_t bits)
{
	struct ml_samples_column *c = &s->columns[column];

	if (row >= c->wide_cap)
		c->wide = ml_grow(c->wide, &c->wide_cap, row + 1, sizeof(*c->wide));
	c->wide[row] = bits;
}

void ml_samples_put_name(struct ml_samples *s, size_t column, uint64_t row,
			 const char *text, size_t size)
{
	struct ml_samples_column *c = &s->columns[column];

	ml_samples_put(s, column, row, ml_names_add_bytes(&c->dictionary, text, size));
}

void ml_samples_put_missing(struct ml_samples *s, size_t column, uint64_t row)
{
	struct ml_samples_column *c = &s->columns[column];

	ml_samples_put(s, column, row, 0);
	c->holes = ml_grow(c->holes, &c->hole_words, row / 64 + 1, sizeof(*c->holes));
	c->holes[row / 64] |= 1ull << row % 64;
	c->missing_count++;
}

void ml_samples_set_role(struct ml_samples *s, size_t column, enum ml_samples_role role)
{
	if (s->columns[column].role)
		s->role[s->columns[column].role] = -1;
	s->columns[column].role = role;
	if (!role)
		return;
	if (s->role[role] >= 0 && s->role[role] != (int)column)
		s->columns[s->role[role]].role = ML_SAMPLES_NO_ROLE;
	s->role[role] = (int)column;
}

void ml_samples_add_bad(struct ml_samples *s, uint64_t line, const char *reason)
{
	if (s->bad < ML_SAMPLES_BAD_SHOWN)
		s->bad_shown[s->bad] = (struct ml_samples_bad){
			line, ml_arena_strdup(&s->arena, reason)
		};
	s->bad++;
}

enum { PACK_ALONE = 1 << 18 }; /* fewer rows are not worth a thread */

static void find_range(struct ml_samples_column *c, uint64_t rows)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (uint64_t i = 0; i < rows; i++) {
		if (c->holes && i / 64 < c->hole_words && c->holes[i / 64] >> i % 64 & 1)
			continue;
		uint64_t key = ml_samples_key(c, c->wide[i]);

		if (key <= low) {
			low = key;
			c->min = c->wide[i];
		}
		if (key >= high) {
			high = key;
			c->max = c->wide[i];
		}
	}
}

static void narrow(struct ml_samples_column *c, uint64_t rows)
{
	uint64_t span = c->max - c->min;

	c->width = c->kind == ML_SAMPLES_REAL ? 8
		   : span <= UINT8_MAX        ? 1
		   : span <= UINT16_MAX       ? 2
		   : span <= UINT32_MAX       ? 4
					      : 8;
	c->base = c->kind == ML_SAMPLES_REAL ? 0 : c->min;
	if (c->width == 8) {
		for (uint64_t i = 0; i < rows; i++)
			c->wide[i] -= c->base;
		c->owned = c->wide;
		c->wide = NULL;
	} else {
		c->owned = ml_resize(NULL, rows * c->width + 8);
		for (uint64_t i = 0; i < rows; i++) {
			uint64_t v = c->wide[i] - c->base;

			if (c->width == 1)
				((uint8_t *)c->owned)[i] = (uint8_t)v;
			else if (c->width == 2)
				((uint16_t *)c->owned)[i] = (uint16_t)v;
			else
				((uint32_t *)c->owned)[i] = (uint32_t)v;
		}
	}
	if (c->holes) /* cells without a value hold the base */
		for (uint64_t i = 0; i < rows; i++)
			if (c->holes[i / 64] >> i % 64 & 1)
				memset((char *)c->owned + i * c->width, 0, c->width);
	c->cells = c->owned;
}

struct packing {
	struct ml_samples_column *c;
	uint64_t rows;
};

static void pack_column(void *arg)
{
	struct packing *p = arg;
	struct ml_samples_column *c = p->c;

	c->wide = ml_grow(c->wide, &c->wide_cap, p->rows + 1, sizeof(*c->wide));
	if (c->holes)
		c->holes = ml_grow(c->holes, &c->hole_words, p->rows / 64 + 1,
				   sizeof(*c->holes));
	if (c->kind == ML_SAMPLES_NAMES && !c->dictionary.count)
		ml_names_add(&c->dictionary, "??"); /* cells are numbers of names */
	find_range(c, p->rows);
	narrow(c, p->rows);
	ml_free(c->wide);
	c->wide = NULL;
	c->missing = c->holes;
	c->names = c->dictionary.text;
	c->name_count = c->dictionary.count;
}

void ml_samples_pack(struct ml_samples *s)
{
	struct packing *jobs = ml_resize(NULL, (s->count + 1) * sizeof(*jobs));
	bool many = s->rows >= PACK_ALONE;
	struct ml_pool pool;

	if (many)
		ml_pool_init(&pool, 0);
	for (size_t i = 0; i < s->count; i++) {
		jobs[i] = (struct packing){ &s->columns[i], s->rows };
		if (s->columns[i].cells)
			continue;
		if (many)
			ml_pool_submit(&pool, pack_column, &jobs[i]);
		else
			pack_column(&jobs[i]);
	}
	if (many)
		ml_pool_release(&pool);
	ml_free(jobs);
}

const char *ml_samples_text(const struct ml_samples_column *c, uint64_t bits,
			    char text[ML_SAMPLES_TEXT])
{
	if (c->kind == ML_SAMPLES_NAMES)
		return bits < c->name_count ? c->names[bits] : "";
	if (c->kind == ML_SAMPLES_REAL)
		snprintf(text, ML_SAMPLES_TEXT, "%.17g", ml_samples_to_real(c, bits));
	else if (c->kind == ML_SAMPLES_SIGNED)
		snprintf(text, ML_SAMPLES_TEXT, "%" PRId64, (int64_t)bits);
	else
		snprintf(text, ML_SAMPLES_TEXT, c->hex ? "0x%" PRIx64 : "%" PRIu64, bits);
	return text;
}
