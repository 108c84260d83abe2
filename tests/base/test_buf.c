#include "tests/test.h"

#include "lib/base/buf.h"

static const uint64_t edges[] = { 0,     1,          127,        128,       16383,
				  16384, UINT32_MAX, 1ull << 63, UINT64_MAX };
enum { EDGES = sizeof(edges) / sizeof(*edges) };

static struct ml_bytes bytes_of(const struct ml_buf *b)
{
	return (struct ml_bytes){ b->data, b->data + b->size, false };
}

TEST(numbers_read_back_as_they_were_written)
{
	struct ml_buf b = { 0 };

	for (int i = 0; i < EDGES; i++) {
		ml_buf_u8(&b, (uint8_t)edges[i]);
		ml_buf_u32(&b, (uint32_t)edges[i]);
		ml_buf_u64(&b, edges[i]);
		ml_buf_varint(&b, edges[i]);
		ml_buf_zigzag(&b, (int64_t)edges[i]);
		ml_buf_zigzag(&b, -(int64_t)(edges[i] >> 1));
	}
	struct ml_bytes r = bytes_of(&b);
	for (int i = 0; i < EDGES; i++) {
		CHECK_EQ(ml_bytes_u8(&r), (uint8_t)edges[i]);
		CHECK_EQ(ml_bytes_u32(&r), (uint32_t)edges[i]);
		CHECK_EQ(ml_bytes_u64(&r), edges[i]);
		CHECK_EQ(ml_bytes_varint(&r), edges[i]);
		CHECK_EQ(ml_bytes_zigzag(&r), edges[i]);
		CHECK_EQ(ml_bytes_zigzag(&r), -(int64_t)(edges[i] >> 1));
	}
	CHECK(!r.bad && r.at == r.end);
	ml_buf_release(&b);
}

TEST(words_are_little_endian_and_varints_low_first)
{
	struct ml_buf b = { 0 };

	ml_buf_u32(&b, 0x01020304);
	ml_buf_varint(&b, 300); /* 0b10_0101100 */
	ml_buf_zigzag(&b, -2);  /* 0, -1, 1, -2 are 0, 1, 2, 3 */
	ml_buf_string(&b, "hi");
	CHECK_EQ(b.size, 10);
	CHECK(!memcmp(b.data, "\x04\x03\x02\x01\xac\x02\x03\x02hi", 10));
	ml_buf_release(&b);
}

TEST(reading_over_the_end_yields_zeros_and_is_remembered)
{
	static const uint8_t three[] = { 1, 2, 3 };
	struct ml_bytes r = { three, three + 3, false };

	CHECK_EQ(ml_bytes_u32(&r), 0);
	CHECK(r.bad && r.at == r.end);
	CHECK_EQ(ml_bytes_varint(&r), 0);
	CHECK(!ml_bytes_take(&r, 1));
}

TEST(a_varint_without_end_is_bad)
{
	uint8_t endless[11];
	memset(endless, 0x80, sizeof(endless));
	struct ml_bytes r = { endless, endless + sizeof(endless), false };

	ml_bytes_varint(&r);
	CHECK(r.bad);
}

TEST(formatted_text_is_never_cut)
{
	struct ml_buf b = { 0 }, want = { 0 };
	char word[1000];

	memset(word, 'x', sizeof(word));
	for (int size = 0; size < (int)sizeof(word); size += 7) {
		ml_buf_printf(&b, "%.*s,%d", size, word, size);
		ml_buf_put(&want, word, (size_t)size);
		ml_buf_printf(&want, ",%d", size);
	}
	ml_buf_text(&b, "end");
	ml_buf_text(&want, "end");
	CHECK_EQ(b.size, want.size);
	CHECK(!memcmp(b.data, want.data, b.size));
	ml_buf_release(&b);
	ml_buf_release(&want);
}
