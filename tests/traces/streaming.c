/*
 * An image is made as a whole and written to a file. -DHOW chooses the stores: 0 plain, 1
 * _mm_stream_si128 (movntdq), 2 _mm256_stream_si256 (vmovntdq), 3 _mm_stream_si64 (movnti),
 * 4 _mm_stream_ps (movntps).
 */
#include <fcntl.h>
#include <immintrin.h>
#include <stdlib.h>
#include <unistd.h>

enum { PIXELS = 512 * 400, VECTOR = 32 };

typedef __m256i __attribute__((may_alias)) vector;

static __attribute__((noinline)) void paint(char *to, long y)
{
#if HOW == 1
	for (int i = 0; i < VECTOR; i += 16)
		_mm_stream_si128((__m128i *)(void *)(to + i), _mm_set1_epi64x(y));
#elif HOW == 2
	_mm256_stream_si256((__m256i *)(void *)to, _mm256_set1_epi64x(y));
#elif HOW == 3
	for (int i = 0; i < VECTOR; i += 8)
		_mm_stream_si64((long long *)(void *)(to + i), y);
#elif HOW == 4
	for (int i = 0; i < VECTOR; i += 16)
		_mm_stream_ps((float *)(void *)(to + i), _mm_set1_ps((float)y));
#else
	*(vector *)(void *)to = _mm256_set1_epi64x(y);
#endif
}

int main(void)
{
	size_t size = PIXELS * sizeof(int);
	char *image = aligned_alloc(64, size);
	int out = open("/dev/null", O_WRONLY);

	for (size_t i = 0; i < size; i += VECTOR)
		paint(image + i, (long)i);
	return write(out, image, size) != (ssize_t)size;
}
