/* kind: stride
 * region: a or b
 * A picture is turned by a quarter, pixel by pixel; in tiles of 16 by 16 when mended. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#ifndef V
#define V 0
#endif
enum { W = V == 2 ? 32 : 400, H = V == 2 ? 16 : 336, TILE = 16 };

__attribute__((noinline)) static void rotate(uint32_t *restrict dst, const uint32_t *restrict src)
{
#if V == 1
	for (int y0 = 0; y0 < H; y0 += TILE)
		for (int x0 = 0; x0 < W; x0 += TILE)
			for (int y = y0; y < y0 + TILE; y++)
				for (int x = x0; x < x0 + TILE; x++)
					dst[x * H + H - 1 - y] = src[y * W + x];
#else
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			dst[x * H + H - 1 - y] = src[y * W + x]; /* HERE */
#endif
}

int main(void)
{
	uint32_t *a = malloc(W * H * sizeof(*a)), *b = malloc(W * H * sizeof(*b));
	int file = open("/dev/null", O_WRONLY);

	for (int i = 0; i < W * H; i++)
		a[i] = (uint32_t)i * 2654435761u;
	for (int r = 0; r < (V == 2 ? 200 : 4); r++) {
		rotate(b, a);
		if (write(file, b, W * H * sizeof(*b)) < 0)
			return 1;
	}
}
