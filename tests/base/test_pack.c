#include "tests/test.h"

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/pack.h"

enum { SIZE = 100000 };

static void fill(uint8_t *bytes)
{
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i / 100 * 7);
}

TEST(packed_bytes_unpack_to_the_same)
{
	struct ml_packer p = { 0 };
	struct ml_unpacker u = { 0 };
	struct ml_err err;
	static uint8_t in[SIZE], out[SIZE];

	fill(in);
	for (int level = 1; level < 6; level += 2) {
		struct ml_buf b = { 0 };

		ml_buf_put(&b, "head", 4);
		size_t n = ml_pack(&p, in, SIZE, level, &b);
		CHECK_EQ(b.size, n + 4);
		CHECK(n < SIZE / 10);
		memset(out, 0, SIZE);
		CHECK_OK(ml_unpack(&u, b.data + 4, n, out, SIZE, &err), &err);
		CHECK(!memcmp(in, out, SIZE));
		ml_buf_release(&b);
	}
	ml_packer_release(&p);
	ml_unpacker_release(&u);
}

TEST(stored_bytes_take_their_own_room_and_little_more)
{
	struct ml_packer p = { 0 };
	struct ml_unpacker u = { 0 };
	struct ml_buf b = { 0 };
	struct ml_err err;
	static uint8_t in[SIZE], out[SIZE];

	/* packed by how often they come they would be half as many */
	for (uint32_t i = 0, x = 1; i < SIZE; i++) {
		x = x * 1664525 + 1013904223;
		in[i] = (uint8_t)(x >> 28);
	}
	CHECK(ml_pack(&p, in, SIZE, ML_PACK_NO_SEARCH, &b) < SIZE * 6 / 10);
	b.size = 0;
	CHECK(ml_pack(&p, in, SIZE, ML_PACK_STORE, &b) >= SIZE);
	CHECK(b.size < SIZE + 100);
	CHECK_OK(ml_unpack(&u, b.data, b.size, out, SIZE, &err), &err);
	CHECK(!memcmp(in, out, SIZE));
	/* and the next ones are packed again */
	b.size = 0;
	CHECK(ml_pack(&p, in, SIZE, 1, &b) < SIZE * 6 / 10);
	ml_buf_release(&b);
	ml_packer_release(&p);
	ml_unpacker_release(&u);
}

TEST(nothing_packs_to_something_that_unpacks_to_nothing)
{
	struct ml_packer p = { 0 };
	struct ml_unpacker u = { 0 };
	struct ml_buf b = { 0 };
	struct ml_err err;
	uint8_t out[1];

	ml_pack(&p, NULL, 0, 1, &b);
	CHECK_OK(ml_unpack(&u, b.data, b.size, out, 0, &err), &err);
	ml_buf_release(&b);
	ml_packer_release(&p);
	ml_unpacker_release(&u);
}

TEST(a_wrong_size_or_broken_bytes_fail_with_a_reason)
{
	struct ml_packer p = { 0 };
	struct ml_unpacker u = { 0 };
	struct ml_buf b = { 0 };
	struct ml_err err;
	static uint8_t in[SIZE], out[SIZE + 1];

	fill(in);
	ml_pack(&p, in, SIZE, 1, &b);
	CHECK_FAILS(ml_unpack(&u, b.data, b.size, out, SIZE - 1, &err), &err,
		    "decompress");
	CHECK_FAILS(ml_unpack(&u, b.data, b.size, out, SIZE + 1, &err), &err,
		    "100000 bytes instead of 100001");
	CHECK_FAILS(ml_unpack(&u, b.data, b.size - 1, out, SIZE, &err), &err,
		    "decompress");
	b.data[0] ^= 1;
	CHECK_FAILS(ml_unpack(&u, b.data, b.size, out, SIZE, &err), &err, "decompress");
	CHECK_EQ(err.kind, ML_FORMAT);
	b.data[0] ^= 1;
	CHECK_OK(ml_unpack(&u, b.data, b.size, out, SIZE, &err), &err);
	ml_buf_release(&b);
	ml_packer_release(&p);
	ml_unpacker_release(&u);
}
