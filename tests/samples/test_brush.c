/*
 * The fast ways of brushing large tables against plain loops: ranges as bits, bins,
 * counts that follow a selection, and CSV read in parts.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/query/samples/log_bins.h"
#include "lib/samples/bins.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples_make.h"
#include "lib/samples/selection.h"

static uint64_t random_state = 42;

static uint64_t next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 32 | random_state << 32;
}

/* Columns of all widths and kinds; the last has names. One cell in eight is missing in
 * every other column. */
static struct ml_samples made(uint64_t rows)
{
	static const struct {
		enum ml_samples_kind kind;
		uint64_t low, span;
	} kinds[] = {
		{ ML_SAMPLES_UNSIGNED, 1000, 200 },
		{ ML_SAMPLES_UNSIGNED, 5, 60000 },
		{ ML_SAMPLES_UNSIGNED, 1ull << 40, 1u << 31 },
		{ ML_SAMPLES_UNSIGNED, 0, UINT64_MAX },
		{ ML_SAMPLES_SIGNED, (uint64_t)-100, 200 },
		{ ML_SAMPLES_SIGNED, 1ull << 63, UINT64_MAX },
		{ ML_SAMPLES_REAL, 0, 1000 },
		{ ML_SAMPLES_NAMES, 0, 30 },
	};
	struct ml_samples s;

	ml_samples_init(&s);
	s.path = s.format = s.note = "made";
	s.rows = rows;
	for (size_t c = 0; c < sizeof(kinds) / sizeof(*kinds); c++) {
		char name[8] = { 'c', (char)('0' + c), 0 };

		ml_samples_add_column(&s, name, kinds[c].kind);
		for (uint64_t i = 0; i < rows; i++) {
			uint64_t v = kinds[c].low +
				     (kinds[c].span == UINT64_MAX
					      ? next_random()
					      : next_random() % (kinds[c].span + 1));

			if (kinds[c].kind == ML_SAMPLES_REAL) {
				double real = (double)v / 7 - 50;
				memcpy(&v, &real, sizeof(v));
			}
			snprintf(name, sizeof(name), "n%u", (unsigned)(v % 100));
			if (c % 2 && next_random() % 8 == 0)
				ml_samples_put_missing(&s, c, i);
			else if (kinds[c].kind == ML_SAMPLES_NAMES)
				ml_samples_put_name(&s, c, i, name, strlen(name));
			else
				ml_samples_put(&s, c, i, v);
		}
	}
	ml_samples_pack(&s);
	return s;
}

/* Rows whose value lies from low to high, both included, in the order of the column. */
static struct ml_selection rows_from(const struct ml_samples *s, size_t column,
				     uint64_t low, uint64_t high, struct ml_arena *a)
{
	const struct ml_samples_column *c = &s->columns[column];
	struct ml_selection sel = ml_selection_none(s->rows, a);

	ml_selection_keys(&sel, c, ml_samples_key(c, low), ml_samples_key(c, high));
	return sel;
}

TEST(ranges_are_those_of_a_plain_loop)
{
	struct ml_samples s = made(1000); /* the last word is not whole */
	struct ml_arena a = { 0 };

	for (size_t round = 0; round < 400; round++) {
		const struct ml_samples_column *c = &s.columns[round % s.count];
		uint64_t x = ml_samples_bits(c, next_random() % s.rows),
			 y = ml_samples_bits(c, next_random() % s.rows);

		if (round % 5 == 0)
			x = next_random(); /* mostly outside */
		struct ml_selection sel = rows_from(&s, round % s.count, x, y, &a);
		for (uint64_t i = 0; i < s.rows; i++) {
			uint64_t key = ml_samples_key(c, ml_samples_bits(c, i));
			bool in = !ml_samples_missing(c, i) &&
				  key >= ml_samples_key(c, x) &&
				  key <= ml_samples_key(c, y);

			CHECK_EQ(ml_selection_has(&sel, i), in);
		}
		CHECK_EQ(sel.words[s.rows / 64] >> s.rows % 64, 0);
	}
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(names_are_chosen_and_missing_cells_meet_no_condition)
{
	struct ml_samples s = made(1000);
	struct ml_arena a = { 0 };
	struct ml_selection sel;
	struct ml_err err;
	const struct ml_samples_column *c = &s.columns[7];
	static const char *const texts[] = { "c7 = n3", "c7 != n3", "c7 ~ 1",
					     "c7 = none" };

	for (size_t t = 0; t < 4; t++) {
		CHECK_OK(ml_selection_parse(&sel, &s, texts[t], &a, &err), &err);
		for (uint64_t i = 0; i < s.rows; i++) {
			const char *name = c->names[ml_samples_bits(c, i)];
			bool in = t == 0   ? !strcmp(name, "n3")
				  : t == 1 ? strcmp(name, "n3") != 0
				  : t == 2 ? strchr(name, '1') != NULL
					   : false;

			CHECK_EQ(ml_selection_has(&sel, i),
				 in && !ml_samples_missing(c, i));
		}
	}
	ml_arena_release(&a);
	ml_samples_close(&s);
}

TEST(bins_are_exact_quotients)
{
	struct ml_samples s = made(2000);
	static const size_t counts[] = { 1, 2, 7, 100, 255, 256, 1000 };

	for (size_t c = 0; c < s.count; c++)
		for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
			const struct ml_samples_column *x = &s.columns[c];
			struct ml_bins b;

			ml_bins_init(&b, &s, c, counts[k]);
			CHECK(b.count <= counts[k]);
			for (uint64_t i = 0; i < s.rows; i++) {
				size_t bin = ml_bins_at(&b, i);

				if (ml_samples_missing(x, i)) {
					CHECK_EQ(bin, b.count);
					continue;
				}
				/* its value lies from the bin's lowest to below the
				 * next's */
				uint64_t v = ml_samples_key(x, ml_samples_bits(x, i));
				if (x->kind == ML_SAMPLES_REAL)
					continue; /* edges are rounded */
				CHECK(v >= ml_samples_key(x, ml_bins_low(x, &b, bin)));
				CHECK(bin + 1 == b.count ||
				      v < ml_samples_key(x, ml_bins_low(x, &b, bin + 1)));
			}
			ml_bins_release(&b);
		}
	ml_samples_close(&s);
}

static void plain_pairs(const struct ml_bins *a, const struct ml_bins *b,
			const struct ml_selection *sel, uint64_t *counts)
{
	for (uint64_t i = 0; i < sel->rows; i++)
		if (ml_selection_has(sel, i))
			counts[ml_bins_at(a, i) * (b->count + 1) + ml_bins_at(b, i)]++;
}

static void check_counts(const struct ml_bins *const *bins,
			 const struct ml_selection *sel)
{
	enum { CELLS = 301 * 301 };
	static uint64_t wanted[CELLS], got[CELLS], first[CELLS], second[CELLS];
	static uint64_t sums[3][301], alone[301];
	uint64_t *pairs[] = { first, second },
		 *histograms[] = { sums[0], sums[1], sums[2] };

	memset(first, 0, sizeof(first));
	memset(second, 0, sizeof(second));
	memset(sums, 0, sizeof(sums));
	ml_bins_axes(bins, 3, sel, histograms, pairs);
	for (size_t i = 0; i < 2; i++) {
		memset(wanted, 0, sizeof(wanted));
		memset(got, 0, sizeof(got));
		plain_pairs(bins[i], bins[i + 1], sel, wanted);
		ml_bins_pairs(bins[i], bins[i + 1], sel, got);
		CHECK(!memcmp(wanted, got, sizeof(got)));
		CHECK(!memcmp(wanted, pairs[i], sizeof(got)));
	}
	for (size_t i = 0; i < 3; i++) {
		memset(alone, 0, sizeof(alone));
		ml_bins_histogram(bins[i], sel, alone);
		CHECK(!memcmp(alone, histograms[i], sizeof(alone)));
		uint64_t all = 0;
		for (size_t k = 0; k <= bins[i]->count; k++)
			all += alone[k];
		CHECK_EQ(all, ml_selection_count(sel));
	}
}

/* Large enough for counts to be remembered. */
TEST(counts_follow_selections_wherever_they_go)
{
	enum { ROWS = (1 << 20) + 100 };
	struct ml_samples s;
	struct ml_arena a = { 0 };
	struct ml_bins b[3];
	const struct ml_bins *bins[] = { &b[0], &b[1], &b[2] };

	ml_samples_init(&s);
	s.path = s.format = s.note = "made";
	s.rows = ROWS;
	for (size_t c = 0; c < 3; c++) {
		ml_samples_add_column(&s,
				      c == 0   ? "a"
				      : c == 1 ? "b"
					       : "c",
				      ML_SAMPLES_UNSIGNED);
		for (uint64_t i = 0; i < ROWS; i++)
			ml_samples_put(&s, c, i,
				       c == 0 ? i / 1000 : next_random() % 5000);
	}
	ml_samples_pack(&s);
	for (size_t c = 0; c < 3; c++)
		(c == 2 ? ml_log_bins_init : ml_bins_init)(
			&b[c], &s, c, c == 1 ? 300 : 100); /* one or two bytes */
	static const uint64_t ranges[][3] = {
		{ 0, 0, UINT64_MAX },                  /* all */
		{ 0, 100, 400 },                       /* far from it */
		{ 0, 110, 410 },                       /* near the last */
		{ 1, 0, 50 },                          /* few */
		{ 1, 10, 60 },        { 0, 120, 420 }, /* back to another */
		{ 2, 5000, 6000 },                     /* none */
		{ 1, 0, 2000 },                        /* some of each 64 rows */
		{ 1, 0, 2600 },                        /* few more of them */
		{ 0, 0, UINT64_MAX },
	};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		struct ml_selection sel = rows_from(&s, ranges[i][0], ranges[i][1],
						    ranges[i][2], &a);

		check_counts(bins, &sel);
	}
	/* cells cut in another way are not taken for those that were counted before */
	for (uint64_t i = 0; i < ROWS; i++)
		((uint8_t *)b[2].cells)[i] =
			(uint8_t)(b[2].count - 1 - ((uint8_t *)b[2].cells)[i]);
	b[2].cut = 0;
	struct ml_selection all = ml_selection_all(ROWS, &a);
	check_counts(bins, &all);
	for (size_t c = 0; c < 3; c++)
		ml_bins_release(&b[c]);
	ml_arena_release(&a);
	ml_samples_close(&s);
}

/* A text of several parts: values, names, cells without a value, and bad lines. */
TEST(a_long_text_is_read_in_parts_as_if_it_were_one)
{
	enum { ROWS = 200000 };
	struct ml_buf text = { 0 };
	struct ml_samples s;
	struct ml_err err;
	uint64_t bad = 0;
	char line[100];

	ml_buf_text(&text, "time,latency,name,rest\n");
	for (unsigned i = 0; i < ROWS; i++) {
		int n = i % 30000 == 29999 ? snprintf(line, sizeof(line), "%u,oops\n", i)
			: i % 7 == 3 ? snprintf(line, sizeof(line), "%u,??,name%u,-%u\n",
						i, i * 31 % 1000, i)
				     : snprintf(line, sizeof(line), "%u,%u,name%u,-%u\n",
						i, i % 77, i * 31 % 1000, i);

		bad += i % 30000 == 29999;
		ml_buf_put(&text, line, (size_t)n);
	}
	CHECK(text.size > 4 << 20); /* several parts */
	CHECK_OK(ml_samples_read_text(&s, "made", NULL, (const char *)text.data,
				      text.size, NULL, NULL, &err),
		 &err);
	CHECK_EQ(s.rows, ROWS - bad);
	CHECK_EQ(s.bad, bad);
	for (uint64_t i = 0; i < bad; i++)
		CHECK_EQ(s.bad_shown[i].line, i * 30000 + 29999 + 2);
	for (uint64_t row = 0; row < s.rows; row++) {
		uint64_t i = ml_samples_bits(&s.columns[0], row);

		CHECK_EQ(i, row + row / 29999);
		CHECK_EQ(ml_samples_missing(&s.columns[1], row), i % 7 == 3);
		if (i % 7 != 3)
			CHECK_EQ(ml_samples_bits(&s.columns[1], row), i % 77);
		snprintf(line, sizeof(line), "name%u", (unsigned)(i * 31 % 1000));
		CHECK_STR(s.columns[2].names[ml_samples_bits(&s.columns[2], row)], line);
		CHECK_EQ((int64_t)ml_samples_bits(&s.columns[3], row), -(int64_t)i);
	}
	ml_samples_close(&s);
	ml_buf_release(&text);
}
