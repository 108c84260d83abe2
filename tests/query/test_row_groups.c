/* Totals by prepared groups are those of the plain version, on random tables. */
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/query/samples/row_groups.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples.h"
#include "lib/samples/selection.h"
#include "tests/test.h"

static uint32_t seed = 12345;

static unsigned random_below(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Lines with names, numbers with gaps, and latencies that are sometimes missing; in one
 * table of two some latencies are below 0, as those of timed loads. */
static struct ml_samples random_table(unsigned rows, bool below)
{
	struct ml_samples s;
	struct ml_buf text = { 0 };
	struct ml_err err;

	ml_buf_text(&text, "name,number,latency\n");
	for (unsigned i = 0; i < rows; i++) {
		ml_buf_printf(&text, "n%u,", random_below(5));
		ml_buf_printf(&text, random_below(7) ? "%u," : "-,",
			      random_below(20) * 1000);
		ml_buf_printf(&text, random_below(9) ? "%d\n" : "-\n",
			      (int)random_below(500) - (below ? 240 : 0));
	}
	bool ok = ml_samples_read_text(&s, "random", NULL, (const char *)text.data,
				       text.size, NULL, NULL, &err);
	CHECK_OK(ok, &err);
	ml_buf_release(&text);
	return s;
}

static void check_same(const struct ml_totals *x, const struct ml_totals *y)
{
	CHECK_EQ(x->count, y->count);
	CHECK_EQ(x->all.samples, y->all.samples);
	CHECK_EQ(x->all.cycles, y->all.cycles);
	for (size_t i = 0; i < x->count; i++) {
		CHECK_EQ(x->list[i].samples, y->list[i].samples);
		CHECK_EQ(x->list[i].timed, y->list[i].timed);
		CHECK_EQ(x->list[i].cycles, y->list[i].cycles);
		for (size_t k = 0; k < 2; k++) {
			CHECK_EQ(x->list[i].missing[k], y->list[i].missing[k]);
			CHECK_EQ(x->list[i].value[k], y->list[i].value[k]);
		}
	}
}

TEST(groups_give_the_totals_of_the_plain_version)
{
	static const char *const selections[] = { "", "latency > 250", "name = n2",
						  "latency > 100000" };

	for (unsigned round = 0; round < 6; round++) {
		struct ml_samples s = random_table(1 + round * 130, round % 2);

		for (int second = -1; second < 2; second++) {
			struct ml_row_groups g;

			ml_row_groups_init(&g, &s, 0, second);
			for (size_t k = 0; k < 4; k++) {
				struct ml_arena a = { 0 };
				struct ml_selection sel;
				struct ml_totals fast, plain;
				struct ml_err err;

				CHECK_OK(ml_selection_parse(&sel, &s, selections[k], &a,
							    &err),
					 &err);
				enum ml_total_order order = (enum ml_total_order)(k % 3);
				ml_row_groups_totals(&g, &fast, &s, &sel, order, &a);
				ml_totals_by(&plain, &s, &sel, 0, second, order, &a);
				check_same(&fast, &plain);
				ml_arena_release(&a);
			}
			ml_row_groups_release(&g);
		}
		ml_samples_close(&s);
	}
}
