/* Bins that grow: every value is in the bin whose range it lies in. */
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/err.h"
#include "lib/query/samples/log_bins.h"
#include "lib/samples/read/read_samples.h"
#include "lib/samples/samples.h"
#include "tests/test.h"

static struct ml_samples read_text(const char *text)
{
	struct ml_samples s;
	struct ml_err err;

	CHECK_OK(ml_samples_read_text(&s, "text", NULL, text, strlen(text), NULL, NULL,
				      &err),
		 &err);
	return s;
}

TEST(edges_double_where_the_span_is_a_power_of_two)
{
	struct ml_samples s = read_text("latency,x\n0,1\n15,1\n7,1\n");
	uint64_t low[ML_BINS_MAX];

	/* 2^0 - 1, 2^1 - 1, 2^2 - 1, 2^3 - 1 */
	CHECK_EQ(ml_log_bins_edges(&s.columns[0], 4, low), 4);
	CHECK_EQ(low[0], 0);
	CHECK_EQ(low[1], 1);
	CHECK_EQ(low[2], 3);
	CHECK_EQ(low[3], 7);
	CHECK(!ml_log_bins_can(&s.columns[1])); /* one value */
	ml_samples_close(&s);
}

static void check_table(const char *text, size_t bins)
{
	struct ml_samples s = read_text(text);
	const struct ml_samples_column *c = &s.columns[0];
	uint64_t low[ML_BINS_MAX];
	size_t count = ml_log_bins_edges(c, bins, low);
	struct ml_bins b;

	ml_log_bins_init(&b, &s, 0, bins);
	CHECK_EQ(b.count, count);
	CHECK(count <= bins);
	CHECK_EQ(low[0], c->min);
	for (size_t i = 1; i < count; i++)
		CHECK(low[i] - c->min > low[i - 1] - c->min);
	for (uint64_t row = 0; row < s.rows; row++) {
		size_t bin = ml_bins_at(&b, row);

		if (ml_samples_missing(c, row)) {
			CHECK_EQ(bin, count);
			continue;
		}
		uint64_t at = ml_samples_bits(c, row) - c->min;
		CHECK(low[bin] - c->min <= at);
		CHECK(bin + 1 == count || at < low[bin + 1] - c->min);
	}
	ml_bins_release(&b);
	ml_samples_close(&s);
}

TEST(each_value_is_in_the_bin_of_its_range)
{
	struct ml_buf text = { 0 };

	ml_buf_text(&text, "latency,x\n");
	for (unsigned i = 0; i < 400; i++)
		ml_buf_printf(&text, i % 50 == 7 ? "-,1\n" : "%u,1\n",
			      i * i * i % 90007 + 21);
	ml_buf_u8(&text, 0);
	for (size_t bins = 1; bins <= 1000; bins = 3 * bins + 1)
		check_table((const char *)text.data, bins);
	ml_buf_release(&text);
	check_table("latency,x\n-9,1\n700,1\n0,1\n-3,1\n", 10);
	check_table("latency,x\n0,1\n18446744073709551615,1\n9223372036854775808,1\n",
		    100);
}
