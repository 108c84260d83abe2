#include "lib/trace/chunk/residuals.h"

#include <string.h>

#include "tests/test.h"

enum { COUNT = 4096 };

struct columns {
	uint8_t codes[COUNT / 4 + ML_RESIDUALS_SLACK], d1[COUNT + ML_RESIDUALS_SLACK],
		d2[2 * COUNT + ML_RESIDUALS_SLACK], d4[4 * COUNT + ML_RESIDUALS_SLACK],
		d8[8 * COUNT + ML_RESIDUALS_SLACK];
	struct ml_residuals end;
};

static void put(struct columns *c, const struct ml_residuals_ops *ops,
		const int64_t *residual)
{
	memset(c, 0, sizeof(*c));
	c->end = (struct ml_residuals){ c->codes, c->d1, c->d2, c->d4, c->d8 };
	ops->put(&c->end, residual, COUNT);
}

static void get(struct columns *c, const struct ml_residuals_ops *ops, int64_t *residual)
{
	struct ml_residuals r = { c->codes, c->d1, c->d2, c->d4, c->d8 };

	ops->get(&r, residual, COUNT);
	CHECK(r.codes == c->end.codes && r.d1 == c->end.d1 && r.d2 == c->end.d2 &&
	      r.d4 == c->end.d4 && r.d8 == c->end.d8);
}

/* Numbers of all widths, with those where one ends and the next begins. */
static void fill(int64_t *residual, uint64_t seed)
{
	static const int64_t edges[] = {
		INT8_MAX,
		INT8_MIN,
		INT8_MAX + 1,
		INT8_MIN - 1,
		0,
		1,
		-1,
		INT16_MAX,
		INT16_MIN,
		INT16_MAX + 1,
		INT16_MIN - 1,
		INT32_MAX,
		INT32_MIN,
		INT32_MAX + 1ll,
		INT32_MIN - 1ll,
		INT64_MAX,
		INT64_MIN,
	};

	for (size_t i = 0; i < COUNT; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		unsigned kind = (unsigned)(seed >> 60);
		int64_t x = (int64_t)(seed << 4);

		residual[i] = kind < 6    ? 0
			      : kind < 8  ? x >> 57
			      : kind < 10 ? x >> 50
			      : kind < 12 ? x >> 34
					  : x;
		if (kind == 15)
			residual[i] =
				edges[(seed >> 32) % (sizeof(edges) / sizeof(*edges))];
	}
}

TEST(residuals_read_back_as_written)
{
	static int64_t in[COUNT], out[COUNT];
	static struct columns c;

	for (uint64_t seed = 1; seed < 50; seed++) {
		fill(in, seed);
		put(&c, &ml_residuals_plain, in);
		get(&c, &ml_residuals_plain, out);
		CHECK(!memcmp(in, out, sizeof(in)));
	}
}

TEST(nothing_takes_no_room)
{
	static int64_t in[COUNT];
	static struct columns c;

	put(&c, ml_residuals_ops(), in);
	CHECK_EQ(c.end.codes - c.codes, COUNT / 4);
	CHECK(c.end.d1 == c.d1 && c.end.d2 == c.d2 && c.end.d4 == c.d4 &&
	      c.end.d8 == c.d8);
}

/* Without AVX-512 this compares the plain version with itself. */
TEST(vectors_do_as_the_plain_version_does)
{
	static int64_t in[COUNT], out[COUNT];
	static struct columns plain, fast;

	for (uint64_t seed = 1; seed < 50; seed++) {
		fill(in, seed);
		put(&plain, &ml_residuals_plain, in);
		put(&fast, ml_residuals_ops(), in);
		CHECK_EQ(plain.end.d1 - plain.d1, fast.end.d1 - fast.d1);
		CHECK(!memcmp(plain.d1, fast.d1, (size_t)(fast.end.d1 - fast.d1)));
		CHECK_EQ(plain.end.d2 - plain.d2, fast.end.d2 - fast.d2);
		CHECK_EQ(plain.end.d4 - plain.d4, fast.end.d4 - fast.d4);
		CHECK_EQ(plain.end.d8 - plain.d8, fast.end.d8 - fast.d8);
		CHECK(!memcmp(plain.codes, fast.codes, COUNT / 4));
		CHECK(!memcmp(plain.d2, fast.d2, (size_t)(fast.end.d2 - fast.d2)));
		CHECK(!memcmp(plain.d4, fast.d4, (size_t)(fast.end.d4 - fast.d4)));
		CHECK(!memcmp(plain.d8, fast.d8, (size_t)(fast.end.d8 - fast.d8)));
		get(&fast, ml_residuals_ops(), out);
		CHECK(!memcmp(in, out, sizeof(in)));
	}
}
